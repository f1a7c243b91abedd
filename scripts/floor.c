// Runs a program a number of times, with a maximum number of concurrent processes, by posix_spawn alone: the upper bound of the
// rate at which this machine can run a program. Prints the elapsed seconds.
//
//   floor [--output] OPERATIONS AT_ONCE PROGRAM [ARGUMENT...]
//
// With --output, the standard output of each process goes to a file, which is read after the end of the process and used again: the
// least that a program does that keeps what its processes print.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// A process with the file of its output, which outlives it.
struct slot {
    pid_t process;
    int file;
    posix_spawn_file_actions_t actions;
};

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void fail(const char *action) {
    perror(action);
    exit(70);
}

// Opens a file that goes with this process, for the standard output of others.
static void open_output(struct slot *slot) {
    const char *directory = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/floor-XXXXXX", directory && *directory ? directory : "/tmp");
    slot->file = mkostemp(path, O_APPEND | O_CLOEXEC);
    if (slot->file < 0) fail(path);
    unlink(path);
    if (posix_spawn_file_actions_init(&slot->actions) || posix_spawn_file_actions_adddup2(&slot->actions, slot->file, 1))
        fail("posix_spawn_file_actions_adddup2");
}

// Reads what a process has printed, and empties the file.
static void take_output(const struct slot *slot, const char *program) {
    char piece[65536];
    ssize_t length = pread(slot->file, piece, sizeof piece, 0);
    if (length < 0) fail("pread");
    if (length == 0) {
        fprintf(stderr, "%s has printed nothing.\n", program);
        exit(1);
    }
    if (ftruncate(slot->file, 0)) fail("ftruncate");
}

int main(int count, char **arguments) {
    int has_output = count > 1 && strcmp(arguments[1], "--output") == 0;
    if (has_output) {
        count--;
        arguments++;
    }
    long operations = count > 3 ? atol(arguments[1]) : 0;
    long slots = count > 3 ? atol(arguments[2]) : 0;
    if (operations < 1 || slots < 1) {
        fprintf(stderr, "usage: floor [--output] OPERATIONS AT_ONCE PROGRAM [ARGUMENT...]\n");
        return 64;
    }
    char **command = arguments + 3;
    struct slot *all = calloc((size_t)slots, sizeof *all);
    if (!all) fail("calloc");
    for (long number = 0; has_output && number < slots; number++) open_output(&all[number]);
    double start = seconds();
    long running = 0;
    for (long started = 0; started < operations || running > 0;) {
        if (started < operations && running < slots) {
            struct slot *slot = all;
            while (slot->process) slot++;
            int code =
                posix_spawn(&slot->process, command[0], has_output ? &slot->actions : NULL, NULL, command, environ);
            if (code != 0) {
                fprintf(stderr, "Cannot start %s: %s\n", command[0], strerror(code));
                return 70;
            }
            started++;
            running++;
            continue;
        }
        int status;
        pid_t process = wait(&status);
        if (process < 0) {
            if (errno == EINTR) continue;
            fail("wait");
        }
        if (status != 0) {
            fprintf(stderr, "%s failed.\n", command[0]);
            return 1;
        }
        struct slot *slot = all;
        while (slot->process != process) slot++;
        if (has_output) take_output(slot, command[0]);
        slot->process = 0;
        running--;
    }
    printf("%.6f\n", seconds() - start);
    return 0;
}
