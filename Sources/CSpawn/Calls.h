// The system calls of a child that has its parent's memory while the parent runs on.
//
// The functions of the C library note errors in `errno`, which belongs to a thread: parent and child have the same one, as they have
// the same memory for what belongs to a thread. They may also take locks that another thread of the parent holds, or be cancelled. So
// these calls go to the kernel directly, and return a negative errno. On a processor without them here, the C library makes the
// calls, and the parent has to stand still meanwhile.
#pragma once

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Around what a child executes. A sanitizer, too, keeps notes for each thread, and the child's would be those of its parent's thread.
#if defined(__clang__)
#define CHILD_BEGIN _Pragma("clang attribute push(__attribute__((disable_sanitizer_instrumentation)), apply_to = function)")
#define CHILD_END _Pragma("clang attribute pop")
#else
#define CHILD_BEGIN
#define CHILD_END
#endif

CHILD_BEGIN

#if defined(__x86_64__)
#define CALLS_ARE_DIRECT 1
static inline long direct_call(long number, long a, long b, long c, long d, long e) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
#define CALLS_ARE_DIRECT 1
static inline long direct_call(long number, long a, long b, long c, long d, long e) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
    return x0;
}
#else
#define CALLS_ARE_DIRECT 0
#endif

// The second form is that of the C library.
#if CALLS_ARE_DIRECT
#define CALL(number, a, b, c, d, e, call) direct_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e))
#else
static inline long noted(long result) { return result < 0 ? -errno : result; }
#define CALL(number, a, b, c, d, e, call) noted(call)
#endif

static inline long call_getpid(void) { return CALL(SYS_getpid, 0, 0, 0, 0, 0, getpid()); }

static inline long call_getppid(void) { return CALL(SYS_getppid, 0, 0, 0, 0, 0, getppid()); }

static inline long call_setpgid(pid_t process, pid_t group) {
    return CALL(SYS_setpgid, process, group, 0, 0, 0, setpgid(process, group));
}

static inline long call_open(const char *path, int flags) {
    return CALL(SYS_openat, AT_FDCWD, path, flags, 0, 0, open(path, flags));
}

static inline long call_close(int descriptor) { return CALL(SYS_close, descriptor, 0, 0, 0, 0, close(descriptor)); }

static inline long call_close_range(unsigned first, unsigned last) {
    return CALL(SYS_close_range, first, last, 0, 0, 0, syscall(SYS_close_range, first, last, 0));
}

static inline long call_ioctl(int descriptor, unsigned long request) {
    return CALL(SYS_ioctl, descriptor, request, 0, 0, 0, ioctl(descriptor, request));
}

static inline long call_fcntl(int descriptor, int command, int argument) {
    return CALL(SYS_fcntl, descriptor, command, argument, 0, 0, fcntl(descriptor, command, argument));
}

// The descriptors have to differ.
static inline long call_duplicate(int source, int target) {
    return CALL(SYS_dup3, source, target, 0, 0, 0, dup3(source, target, 0));
}

static inline long call_write(int descriptor, const void *bytes, size_t count) {
    return CALL(SYS_write, descriptor, bytes, count, 0, 0, write(descriptor, bytes, count));
}

static inline long call_pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return CALL(SYS_pwrite64, descriptor, bytes, count, offset, 0, pwrite(descriptor, bytes, count, offset));
}

static inline long call_die_with_parent(void) {
    return CALL(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, prctl(PR_SET_PDEATHSIG, SIGKILL));
}

static inline long call_clock_gettime(clockid_t clock, struct timespec *time) {
    return CALL(SYS_clock_gettime, clock, time, 0, 0, 0, clock_gettime(clock, time));
}

static inline long call_set_niceness(int niceness) {
    return CALL(SYS_setpriority, PRIO_PROCESS, 0, niceness, 0, 0, setpriority(PRIO_PROCESS, 0, niceness));
}

static inline long call_set_io_priority(int priority) {
    enum { OF_PROCESS = 1 };
    return CALL(SYS_ioprio_set, OF_PROCESS, 0, priority, 0, 0, syscall(SYS_ioprio_set, OF_PROCESS, 0, priority));
}

static inline long call_umask(unsigned mask) { return CALL(SYS_umask, mask, 0, 0, 0, 0, umask((mode_t)mask)); }

static inline long call_getrlimit(struct rlimit *limit) {
    return CALL(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, limit, 0, getrlimit(RLIMIT_NOFILE, limit));
}

static inline long call_setrlimit(const struct rlimit *limit) {
    return CALL(SYS_prlimit64, 0, RLIMIT_NOFILE, limit, 0, 0, setrlimit(RLIMIT_NOFILE, limit));
}

static inline long call_chdir(const char *path) { return CALL(SYS_chdir, path, 0, 0, 0, 0, chdir(path)); }

static inline long call_exists(const char *path) {
    return CALL(SYS_faccessat, AT_FDCWD, path, F_OK, 0, 0, access(path, F_OK));
}

static inline long call_execve(const char *path, char *const *arguments, char *const *environment) {
    return CALL(SYS_execve, path, arguments, environment, 0, 0, execve(path, arguments, environment));
}

static inline void call_exit(int status) {
#if CALLS_ARE_DIRECT
    while (1) direct_call(SYS_exit_group, status, 0, 0, 0, 0);
#else
    _exit(status);
#endif
}

#if CALLS_ARE_DIRECT
enum { BYTES_OF_SIGNALS = 8 };

// The kernel's form of an action: the handler, of which SIG_DFL is 0, the flags, a function for the return, and the mask.
static inline long call_reset_signal(int number) {
    unsigned long action[4];
    // Not by an initializer, for which a compiler may call the C library.
    for (int place = 0; place < 4; place++) action[place] = 0;
    return direct_call(SYS_rt_sigaction, number, (long)action, 0, BYTES_OF_SIGNALS, 0);
}

static inline long call_unblock_signals(void) {
    uint64_t none = 0;
    return direct_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, BYTES_OF_SIGNALS, 0);
}
#else
static inline long call_reset_signal(int number) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    return noted(sigaction(number, &action, NULL));
}

static inline long call_unblock_signals(void) {
    sigset_t none;
    sigemptyset(&none);
    return noted(sigprocmask(SIG_SETMASK, &none, NULL));
}
#endif

CHILD_END
