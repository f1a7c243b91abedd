// Launching of programs, and the Linux headers for watching processes that Swift's Glibc module omits.
#pragma once

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/types.h>
#include <sys/xattr.h>

struct cspawn_request {
    // What to execute, tried in order, ended by NULL. Relative paths count from `directory`.
    const char *const *candidates;
    char *const *arguments;    // ended by NULL
    char *const *environment;  // ended by NULL
    const char *directory;     // NULL: that of the parent
    int standard_input;
    int standard_output;
    int standard_error;
    // Named pipes to open as the streams instead, which waits for a writer or a reader; NULL: none. The call returns before that, and
    // `later` of its result tells whether the program was executed.
    const char *input_pipe;
    const char *output_pipe;
    const char *error_pipe;
    int sets_niceness;
    int niceness;     // absolute; left alone where privilege is missing
    int io_priority;  // as ioprio_set(2) encodes it, or -1
    int sets_mask;
    unsigned mask;    // as umask(2) takes it
    int open_files;   // the soft RLIMIT_NOFILE; 0: that of the parent
    int control_group;  // `cgroup.procs` of the control group to enter, open for writing; -1: that of the parent
    int outlives_parent;  // 0: the kernel kills the child once the thread that started it has ended

    // Where the child names its process group before it executes anything, in three numbers of 64 bits: the group, `note_since`,
    // and the moment of writing, in clock ticks since the machine was started. -1: nowhere.
    int note_descriptor;
    off_t note_offset;
    int64_t note_since;
    int64_t note_ticks;  // clock ticks a second
};

// Where a launch failed.
enum cspawn_step {
    CSPAWN_STARTED = 0,
    CSPAWN_CLONE,
    CSPAWN_CONTROL_GROUP,
    CSPAWN_DESCRIPTORS,
    CSPAWN_DIRECTORY,
    CSPAWN_INPUT,
    CSPAWN_OUTPUT,
    CSPAWN_ERROR,
    CSPAWN_EXECUTE,
};

struct cspawn_outcome {
    int step;   // an `enum cspawn_step`
    int error;  // errno of that step
};

struct cspawn_result {
    pid_t process;  // also the number of its process group
    int descriptor; // a pidfd, close-on-exec, which the caller closes
    int step;       // an `enum cspawn_step`
    int error;      // errno of that step
    // Where a child that waits for a pipe tells of its failure, to be read once it has ended, in memory that the caller unmaps; NULL
    // for any other child.
    struct cspawn_outcome *later;
    struct cspawn_arena *arena;  // not NULL: the launch is under way, and nobody knows yet whether it fails
};

// The memory in which children prepare themselves while their parent runs on. One thread at a time may use it.
struct cspawn_arenas;

// Opens a file of a user, as open(2), but through no link to a file that a process has open, such as those of /dev/fd and /dev/stdout:
// they are files of the calling process, and not of the user. These fail with ELOOP. A kernel before 5.6, or a sandbox that does not know
// openat2(2), opens them.
int cspawn_open_file(const char *path, int flags, unsigned int mode);

// Starts a program in a process group of its own, without a terminal, which dies with the calling thread, and returns once it has
// been executed or has failed to. A child that failed has been reaped. No signal is blocked, ignored or handled in the program,
// if none for real time is ignored or handled here.
struct cspawn_result cspawn(const struct cspawn_request *request);

// The number of launches that can be under way at once.
enum { CSPAWN_ARENAS = 8 };

// NULL where there is no memory: cspawn_begin() takes that too.
struct cspawn_arenas *cspawn_make_arenas(void);

// Waits for the children that use the arenas, and gives the memory back.
void cspawn_drop_arenas(struct cspawn_arenas *arenas);

// Starts a program as cspawn() does, but may return before it has been executed: then the arena of the result is not NULL, and
// cspawn_settle() has to be called. The child has its own copies of all descriptors and texts of the request.
//
// A launch that has to enter a control group, or finds no free arena, is not under way when the call returns.
struct cspawn_result cspawn_begin(struct cspawn_arenas *arenas, const struct cspawn_request *request);

// Whether the child of a launch under way has executed its program or failed to, so that cspawn_settle() would not wait for it.
int cspawn_has_settled(const struct cspawn_result *result);

// Waits until the child of a launch under way has executed its program or failed to, and completes the result as cspawn() returns it.
void cspawn_settle(struct cspawn_result *result);

// A pidfd for any process, close-on-exec, which the caller closes; -1 with errno where there is none.
int cspawn_open(pid_t process);

// Sends a signal to the process of a pidfd; -1 with errno where that cannot be.
int cspawn_signal(int descriptor, int number);

// Has a signal written to a descriptor, as one byte, instead of taking its effect; -1 with errno where that cannot be.
int cspawn_watch_signal(int number, int descriptor);

// Gives the first `length` bytes of a file back to its file system, and keeps the file's length; -1 with errno where that
// cannot be.
int cspawn_punch(int descriptor, off_t length);

// Waits until all that was written to the file system of an open file is on its disk; -1 with errno where that cannot be.
int cspawn_sync_file_system(int descriptor);

// The environment of this process, ended by NULL.
char **cspawn_environment(void);
