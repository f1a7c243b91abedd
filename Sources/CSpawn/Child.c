#include "Calls.h"
#include "Child.h"

#include <string.h>

CHILD_BEGIN

enum { FIRST_OTHER_DESCRIPTOR = 3, FIRST_REAL_TIME_SIGNAL = 32 };

static void give_up(struct launch *launch, enum cspawn_step step, int error) {
    launch->outcome->error = error;
    launch->outcome->step = step;
    call_exit(127);
}

// Reset the handlers before the mask is lifted, because a handler in the child would write into the parent's memory. Ignored
// signals would stay ignored across execve(2). Real-time signals are skipped: there are as many again, and the caller neither
// handles nor ignores any. The current action is not read first, because reading costs as much as setting.
static void reset_signals(void) {
    for (int number = 1; number < FIRST_REAL_TIME_SIGNAL; number++) {
        if (number != SIGKILL && number != SIGSTOP) call_reset_signal(number);
    }
}

static void place(struct launch *launch, int source, int target) {
    long placed = call_duplicate(source, target);
    if (placed < 0) give_up(launch, CSPAWN_DESCRIPTORS, (int)-placed);
}

// The child's table of descriptors is its own, so moving and closing there touches nothing of the parent's.
static void set_descriptors(struct launch *launch) {
    const struct cspawn_request *request = &launch->request;
    int sources[FIRST_OTHER_DESCRIPTOR] = {request->standard_input, request->standard_output, request->standard_error};
    // A source among 0...2 would be overwritten before its turn, or keep its close-on-exec flag.
    for (int target = 0; target < FIRST_OTHER_DESCRIPTOR; target++) {
        if (sources[target] >= FIRST_OTHER_DESCRIPTOR) continue;
        sources[target] = (int)call_fcntl(sources[target], F_DUPFD_CLOEXEC, FIRST_OTHER_DESCRIPTOR);
        if (sources[target] < 0) give_up(launch, CSPAWN_DESCRIPTORS, -sources[target]);
    }
    for (int target = 0; target < FIRST_OTHER_DESCRIPTOR; target++) {
        place(launch, sources[target], target);
    }
}

// A program that read from the worker's terminal, or set its mode, would be stopped, because its group is in the background. Without
// a terminal it fails at once. A session of its own would do so as well, but where the kernel shares the processors among sessions
// first, sched(7), the niceness of a process counts only within its session. A process that leads no session loses the terminal
// alone: ioctl_tty(2), TIOCNOTTY.
static void leave_terminal(void) {
    int terminal = (int)call_open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (terminal < 0) return;
    call_ioctl(terminal, TIOCNOTTY);
    call_close(terminal);
}

// The child records its own group: a parent that is killed right after the fork could not record the new process.
void cspawn_note_group(const struct cspawn_request *request, pid_t group) {
    struct timespec now;
    if (request->note_descriptor < 0 || call_clock_gettime(CLOCK_BOOTTIME, &now) != 0) return;
    int64_t ticks = now.tv_sec * request->note_ticks + now.tv_nsec * request->note_ticks / 1000000000;
    int64_t words[3] = {group, request->note_since, ticks};
    // Where it fails, the group is merely not named.
    call_pwrite(request->note_descriptor, words, sizeof words, request->note_offset);
}

static void close_other_descriptors(void) {
    if (call_close_range(FIRST_OTHER_DESCRIPTOR, ~0U) == 0) return;
    // A kernel before 5.9, or a sandbox that does not know the call. All of ours are close-on-exec anyway.
    struct rlimit limit;
    int end = call_getrlimit(&limit) == 0 && limit.rlim_cur < 65536 ? (int)limit.rlim_cur : 65536;
    for (int descriptor = FIRST_OTHER_DESCRIPTOR; descriptor < end; descriptor++) call_close(descriptor);
}

// Behind the closing of descriptors, which may go by the limit.
static void set_open_files(int count) {
    struct rlimit limit;
    if (count <= 0 || call_getrlimit(&limit) != 0) return;
    limit.rlim_cur = (rlim_t)count;
    call_setrlimit(&limit);
}

int cspawn_has_pipes(const struct cspawn_request *request) {
    return request->input_pipe != NULL || request->output_pipe != NULL || request->error_pipe != NULL;
}

static void open_pipe(struct launch *launch, const char *path, int access, int target, enum cspawn_step step) {
    int descriptor;
    do {
        descriptor = cspawn_open_file(path, access | O_CLOEXEC, 0);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) give_up(launch, step, errno);
    place(launch, descriptor, target);
}

// Waits for the other ends, as a shell does, in the order of its redirections. Such a child has memory of its own.
static void open_pipes(struct launch *launch) {
    const struct cspawn_request *request = &launch->request;
    const char *output = request->output_pipe, *error = request->error_pipe;
    if (request->input_pipe != NULL) open_pipe(launch, request->input_pipe, O_RDONLY, STDIN_FILENO, CSPAWN_INPUT);
    if (output != NULL) open_pipe(launch, output, O_WRONLY, STDOUT_FILENO, CSPAWN_OUTPUT);
    if (error == NULL) return;
    // A reader that comes once and leaves would not be there for a second opening.
    if (output == NULL || strcmp(output, error) != 0) {
        open_pipe(launch, error, O_WRONLY, STDERR_FILENO, CSPAWN_ERROR);
    } else {
        place(launch, STDOUT_FILENO, STDERR_FILENO);
    }
}

// The shells' rule: a candidate that is not there, or may not be run, does not end the search,
// and of two reasons "not allowed" tells more than "not there". A directory of PATH that may not be searched says nothing
// about the program: its candidate counts as "not there".
static void execute(struct launch *launch) {
    const struct cspawn_request *request = &launch->request;
    int reason = ENOENT;
    for (const char *const *candidate = request->candidates; *candidate != NULL; candidate++) {
        int error = (int)-call_execve(*candidate, request->arguments, request->environment);
        if (error == EACCES && launch->is_searched) error = call_exists(*candidate) == 0 ? EACCES : ENOENT;
        int searches_on = error == ENOENT || error == ENOTDIR || error == EACCES;
        if (reason != EACCES || !searches_on) reason = error;
        if (!searches_on) break;
    }
    give_up(launch, CSPAWN_EXECUTE, reason);
}

int cspawn_child(void *argument) {
    struct launch *launch = argument;
    const struct cspawn_request *request = &launch->request;

    call_setpgid(0, 0);
    leave_terminal();
    if (!request->outlives_parent) {
        call_die_with_parent();
        if (call_getppid() != launch->parent) call_exit(127);  // it died before the line above: no signal will come
    }
    cspawn_note_group(request, (pid_t)call_getpid());
    // Before the program's memory comes into being: what a process has does not move with it.
    if (request->control_group >= 0) {
        long written = call_write(request->control_group, "0", 1);
        if (written != 1) give_up(launch, CSPAWN_CONTROL_GROUP, written < 0 ? (int)-written : EIO);
    }
    reset_signals();
    // A wish: a worker without privilege cannot raise anybody, and that is no reason not to run.
    if (request->sets_niceness) call_set_niceness(request->niceness);
    if (request->io_priority >= 0) call_set_io_priority(request->io_priority);
    // The mask of a child is its own: clone(2) shares it with CLONE_FS alone.
    if (request->sets_mask) call_umask(request->mask);
    set_descriptors(launch);
    close_other_descriptors();
    set_open_files(request->open_files);
    long entered = request->directory != NULL ? call_chdir(request->directory) : 0;
    if (entered < 0) give_up(launch, CSPAWN_DIRECTORY, (int)-entered);

    call_unblock_signals();
    if (cspawn_has_pipes(request)) open_pipes(launch);
    execute(launch);
    return 127;
}

CHILD_END
