// Runs a program a number of times, with a maximum number of concurrent processes, by posix_spawn alone: the upper bound of the
// rate at which this machine can start programs. Prints the elapsed seconds.
//
//   floor OPERATIONS AT_ONCE PROGRAM
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int count, char **arguments) {
    long operations = count == 4 ? atol(arguments[1]) : 0;
    long slots = count == 4 ? atol(arguments[2]) : 0;
    if (operations < 1 || slots < 1) {
        fprintf(stderr, "usage: floor OPERATIONS AT_ONCE PROGRAM\n");
        return 64;
    }
    char *command[] = {arguments[3], NULL};
    double start = seconds();
    long running = 0;
    for (long started = 0; started < operations || running > 0;) {
        if (started < operations && running < slots) {
            pid_t process;
            int code = posix_spawn(&process, command[0], NULL, NULL, command, environ);
            if (code != 0) {
                fprintf(stderr, "Cannot start %s: %s\n", command[0], strerror(code));
                return 70;
            }
            started++;
            running++;
            continue;
        }
        int status;
        if (wait(&status) < 0) {
            if (errno == EINTR) continue;
            perror("wait");
            return 70;
        }
        if (status != 0) {
            fprintf(stderr, "%s failed.\n", command[0]);
            return 1;
        }
        running--;
    }
    printf("%.6f\n", seconds() - start);
    return 0;
}
