#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

enum { FIRST_REAL_TIME_SIGNAL = 32 };

int cspawn_open(pid_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

int cspawn_signal(int descriptor, int number) {
    return (int)syscall(SYS_pidfd_send_signal, descriptor, number, NULL, 0);
}

char **cspawn_environment(void) {
    return environ;
}

// The descriptor that each signal is told to, plus one: a handler can be given nothing.
static volatile int signal_bells[FIRST_REAL_TIME_SIGNAL];

static void tell_signal(int number) {
    int error = errno;
    unsigned char byte = (unsigned char)number;
    ssize_t written = write(signal_bells[number] - 1, &byte, 1);
    (void)written;  // as many as a pipe holds have come before it
    errno = error;
}

int cspawn_watch_signal(int number, int descriptor) {
    if (number <= 0 || number >= FIRST_REAL_TIME_SIGNAL) return -1;
    signal_bells[number] = descriptor + 1;
    struct sigaction action = {.sa_handler = tell_signal, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    return sigaction(number, &action, NULL);
}

int cspawn_punch(int descriptor, off_t length) {
    return fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, length);
}

int cspawn_sync_file_system(int descriptor) { return syncfs(descriptor); }

int cspawn_open_file(const char *path, int flags, unsigned int mode) {
    struct open_how how = {
        .flags = (unsigned int)flags,
        .mode = flags & O_CREAT ? mode : 0,
        .resolve = RESOLVE_NO_MAGICLINKS,
    };
    int descriptor = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    return descriptor < 0 && (errno == ENOSYS || errno == EPERM) ? open(path, flags, mode) : descriptor;
}
