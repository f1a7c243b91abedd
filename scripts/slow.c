/* Slows the clocks of a program down, and lengthens its waits, for a program under callgrind, which is slow itself.
 *
 * Otherwise each operation would have a commit and a message of its own, because no others would come in the few milliseconds that
 * gather them, and the load of the machine would decide how many do. This library is loaded before the C library, in whose place its
 * functions are called. See scripts/cost.
 *
 * It also has a child executed before its parent goes on: valgrind knows no other child that has its parent's memory. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Callgrind takes fifty times as long. With much more, no commit and no message is due by time alone, whatever the load. */
enum { factor = 4000 };

static int64_t read_clock(clockid_t clock) {
    struct timespec now;
    syscall(SYS_clock_gettime, clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct timespec time_of(int64_t nanoseconds) {
    return (struct timespec){.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
}

/* The clocks of all processes agree: each clock was right when the machine started. */
int clock_gettime(clockid_t clock, struct timespec *time) {
    switch (clock) {
    case CLOCK_MONOTONIC:
    case CLOCK_BOOTTIME:
        *time = time_of(read_clock(clock) / factor);
        return 0;
    case CLOCK_REALTIME: {
        int64_t since_start = read_clock(CLOCK_BOOTTIME);
        *time = time_of(read_clock(clock) - since_start + since_start / factor);
        return 0;
    }
    default:
        return (int)syscall(SYS_clock_gettime, clock, time);
    }
}

static int lengthened(int milliseconds) {
    return milliseconds > INT_MAX / factor ? INT_MAX : milliseconds < 0 ? milliseconds : milliseconds * factor;
}

int poll(struct pollfd *descriptors, nfds_t count, int milliseconds) {
    static int (*original)(struct pollfd *, nfds_t, int);
    if (!original) original = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
    if (!original) abort();
    return original(descriptors, count, lengthened(milliseconds));
}

int epoll_wait(int descriptor, struct epoll_event *events, int most, int milliseconds) {
    static int (*original)(int, struct epoll_event *, int, int);
    if (!original) original = (int (*)(int, struct epoll_event *, int, int))dlsym(RTLD_NEXT, "epoll_wait");
    if (!original) abort();
    return original(descriptor, events, most, lengthened(milliseconds));
}

/* Baton's conditions have this clock. */
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *end) {
    struct timespec real = time_of(((int64_t)end->tv_sec * 1000000000 + end->tv_nsec) * factor);
    return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &real);
}

/* Valgrind gives the child memory of its own, in which the kernel would clear the word of CLONE_CHILD_CLEARTID. */
int clone(int (*function)(void *), void *stack, int flags, void *argument, ...) {
    static int (*original)(int (*)(void *), void *, int, void *, ...);
    if (!original) original = (int (*)(int (*)(void *), void *, int, void *, ...))dlsym(RTLD_NEXT, "clone");
    if (!original) abort();
    va_list rest;
    va_start(rest, argument);
    pid_t *parent_word = va_arg(rest, pid_t *);
    void *storage = va_arg(rest, void *);
    pid_t *child_word = va_arg(rest, pid_t *);
    va_end(rest);
    int waits = (flags & CLONE_VM) && !(flags & (CLONE_THREAD | CLONE_VFORK));
    if (!waits) return original(function, stack, flags, argument, parent_word, storage, child_word);
    int process = original(function, stack, flags | CLONE_VFORK, argument, parent_word, storage, child_word);
    if (process > 0 && (flags & CLONE_CHILD_CLEARTID)) __atomic_store_n(child_word, 0, __ATOMIC_RELEASE);
    return process;
}
