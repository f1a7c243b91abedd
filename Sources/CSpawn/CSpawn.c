#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { FIRST_OTHER_DESCRIPTOR = 3, FIRST_REAL_TIME_SIGNAL = 32, STACK_SIZE = 64 * 1024, IO_PRIORITY_OF_PROCESS = 1 };

// Shared by parent and child, which has the parent's memory until it executes, while the parent stands still. A child that waits for
// a pipe has a copy, in which the outcome alone is shared.
struct launch {
    const struct cspawn_request *request;
    pid_t parent;
    volatile struct cspawn_outcome *outcome;
};

static void give_up(struct launch *launch, enum cspawn_step step, int error) {
    launch->outcome->error = error;
    launch->outcome->step = step;
    _exit(127);
}

// Reset the handlers before the mask is lifted, because a handler in the child would write into the parent's memory. Ignored
// signals would stay ignored across execve(2). Real-time signals are skipped: there are as many again, and the caller neither
// handles nor ignores any. The current action is not read first, because reading costs as much as setting.
static void reset_signals(void) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    for (int number = 1; number < FIRST_REAL_TIME_SIGNAL; number++) {
        if (number != SIGKILL && number != SIGSTOP) sigaction(number, &action, NULL);
    }
}

// The child's table of descriptors is its own, so moving and closing there touches nothing of the parent's.
static void set_descriptors(struct launch *launch) {
    const struct cspawn_request *request = launch->request;
    int sources[FIRST_OTHER_DESCRIPTOR] = {request->standard_input, request->standard_output, request->standard_error};
    // A source among 0...2 would be overwritten before its turn, or keep its close-on-exec flag.
    for (int target = 0; target < FIRST_OTHER_DESCRIPTOR; target++) {
        if (sources[target] >= FIRST_OTHER_DESCRIPTOR) continue;
        sources[target] = fcntl(sources[target], F_DUPFD_CLOEXEC, FIRST_OTHER_DESCRIPTOR);
        if (sources[target] < 0) give_up(launch, CSPAWN_DESCRIPTORS, errno);
    }
    for (int target = 0; target < FIRST_OTHER_DESCRIPTOR; target++) {
        if (dup2(sources[target], target) < 0) give_up(launch, CSPAWN_DESCRIPTORS, errno);
    }
}

// A program that read from the worker's terminal, or set its mode, would be stopped, because its group is in the background. Without
// a terminal it fails at once. A session of its own would do so as well, but where the kernel shares the processors among sessions
// first, sched(7), the niceness of a process counts only within its session. A process that leads no session loses the terminal
// alone: ioctl_tty(2), TIOCNOTTY.
static void leave_terminal(void) {
    int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (terminal < 0) return;
    ioctl(terminal, TIOCNOTTY);
    close(terminal);
}

// The child records its own group: a parent that is killed right after the fork could not record the new process.
static void note_group(const struct cspawn_request *request, pid_t group) {
    struct timespec now;
    if (request->note_descriptor < 0 || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return;
    int64_t ticks = now.tv_sec * request->note_ticks + now.tv_nsec * request->note_ticks / 1000000000;
    int64_t words[3] = {group, request->note_since, ticks};
    ssize_t written = pwrite(request->note_descriptor, words, sizeof words, request->note_offset);
    (void)written;  // where it fails, the group is merely not named
}

static void close_other_descriptors(void) {
    if (syscall(SYS_close_range, FIRST_OTHER_DESCRIPTOR, ~0U, 0) == 0) return;
    // A kernel before 5.9, or a sandbox that does not know the call. All of ours are close-on-exec anyway.
    struct rlimit limit;
    int end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? (int)limit.rlim_cur : 65536;
    for (int descriptor = FIRST_OTHER_DESCRIPTOR; descriptor < end; descriptor++) close(descriptor);
}

// Behind the closing of descriptors, which may go by the limit.
static void set_open_files(int count) {
    struct rlimit limit;
    if (count <= 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = (rlim_t)count;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int has_pipes(const struct cspawn_request *request) {
    return request->input_pipe != NULL || request->output_pipe != NULL || request->error_pipe != NULL;
}

static void open_pipe(struct launch *launch, const char *path, int access, int target, enum cspawn_step step) {
    int descriptor;
    do {
        descriptor = cspawn_open_file(path, access | O_CLOEXEC, 0);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) give_up(launch, step, errno);
    if (dup2(descriptor, target) < 0) give_up(launch, CSPAWN_DESCRIPTORS, errno);
}

// Waits for the other ends, as a shell does, in the order of its redirections.
static void open_pipes(struct launch *launch) {
    const struct cspawn_request *request = launch->request;
    const char *output = request->output_pipe, *error = request->error_pipe;
    if (request->input_pipe != NULL) open_pipe(launch, request->input_pipe, O_RDONLY, STDIN_FILENO, CSPAWN_INPUT);
    if (output != NULL) open_pipe(launch, output, O_WRONLY, STDOUT_FILENO, CSPAWN_OUTPUT);
    if (error == NULL) return;
    // A reader that comes once and leaves would not be there for a second opening.
    if (output == NULL || strcmp(output, error) != 0) {
        open_pipe(launch, error, O_WRONLY, STDERR_FILENO, CSPAWN_ERROR);
    } else if (dup2(STDOUT_FILENO, STDERR_FILENO) < 0) {
        give_up(launch, CSPAWN_DESCRIPTORS, errno);
    }
}

// The shells' rule: a candidate that is not there, or may not be run, does not end the search,
// and of two reasons "not allowed" tells more than "not there". A directory of PATH that may not be searched says nothing
// about the program: its candidate counts as "not there".
static void execute(struct launch *launch) {
    const struct cspawn_request *request = launch->request;
    int is_searched = strchr(request->arguments[0], '/') == NULL;
    int reason = ENOENT;
    for (const char *const *candidate = request->candidates; *candidate != NULL; candidate++) {
        execve(*candidate, request->arguments, request->environment);
        if (errno == EACCES && is_searched) errno = access(*candidate, F_OK) == 0 ? EACCES : ENOENT;
        int searches_on = errno == ENOENT || errno == ENOTDIR || errno == EACCES;
        if (reason != EACCES || !searches_on) reason = errno;
        if (!searches_on) break;
    }
    give_up(launch, CSPAWN_EXECUTE, reason);
}

static int child(void *argument) {
    struct launch *launch = argument;
    const struct cspawn_request *request = launch->request;

    setpgid(0, 0);
    leave_terminal();
    if (!request->outlives_parent) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != launch->parent) _exit(127);  // it died before the line above: no signal will come
    }
    note_group(request, getpid());
    // Before the program's memory comes into being: what a process has does not move with it.
    if (request->control_group >= 0 && write(request->control_group, "0", 1) != 1)
        give_up(launch, CSPAWN_CONTROL_GROUP, errno);
    reset_signals();
    // A wish: a worker without privilege cannot raise anybody, and that is no reason not to run.
    if (request->sets_niceness) setpriority(PRIO_PROCESS, 0, request->niceness);
    if (request->io_priority >= 0) syscall(SYS_ioprio_set, IO_PRIORITY_OF_PROCESS, 0, request->io_priority);
    // The mask of a child is its own: clone(2) shares it with CLONE_FS alone.
    if (request->sets_mask) umask((mode_t)request->mask);
    set_descriptors(launch);
    close_other_descriptors();
    set_open_files(request->open_files);
    if (request->directory != NULL && chdir(request->directory) != 0) give_up(launch, CSPAWN_DIRECTORY, errno);

    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (has_pipes(request)) open_pipes(launch);
    execute(launch);
    return 127;
}

// vfork(2) by its flags, fork(2) for a pipe. clone(2) returns once, into a function with a stack of its own, and hands out the
// pidfd with the process: there is no moment in which the child runs and cannot be watched.
struct cspawn_result cspawn(const struct cspawn_request *request) {
    _Alignas(16) char stack[STACK_SIZE];
    volatile struct cspawn_outcome outcome = {.step = CSPAWN_STARTED, .error = 0};
    struct launch launch = {.request = request, .parent = getpid(), .outcome = &outcome};
    struct cspawn_result result = {.process = -1, .descriptor = -1, .step = CSPAWN_STARTED, .error = 0, .later = NULL};
    if (has_pipes(request)) {
        // Memory instead of a pipe: nothing has to stay open in a child that closes all descriptors, and execve(2) takes it away.
        void *shared = mmap(NULL, sizeof *result.later, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED) {
            result.step = CSPAWN_CLONE;
            result.error = errno;
            return result;
        }
        launch.outcome = result.later = shared;
    }

    // SIGCHLD stays unblocked. Its default action is to be ignored, but a thread that blocks it, even during a launch, leaves it
    // pending for other threads, which wake for nothing. The child has no children whose end could send SIGCHLD here.
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGCHLD);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int descriptor = -1;
    // A child that waits for the other end of a pipe would let its parent wait too.
    int sharing = has_pipes(request) ? 0 : CLONE_VM | CLONE_VFORK;
    pid_t process = clone(child, stack + STACK_SIZE, sharing | CLONE_PIDFD | SIGCHLD, &launch, &descriptor);
    int clone_error = errno;
    sigdelset(&before, SIGCHLD);
    pthread_sigmask(SIG_SETMASK, &before, NULL);

    if (process < 0) {
        if (result.later != NULL) munmap(result.later, sizeof *result.later);
        result.later = NULL;
        result.step = CSPAWN_CLONE;
        result.error = clone_error;
        return result;
    }
    if (outcome.step != CSPAWN_STARTED) {
        close(descriptor);
        while (waitpid(process, NULL, 0) < 0 && errno == EINTR) continue;
        result.step = outcome.step;
        result.error = outcome.error;
        return result;
    }
    if (has_pipes(request)) {
        // The child may not have come so far yet. Signals to its group would be lost, and so would be the note, if the caller moves
        // the file with the notes before.
        setpgid(process, process);
        note_group(request, process);
    }
    result.process = process;
    result.descriptor = descriptor;
    return result;
}

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
