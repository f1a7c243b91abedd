#ifndef CTHREADS_H
#define CTHREADS_H

// What a program in Swift cannot name: the hook of Swift's concurrency runtime through which a program runs its tasks on threads
// of its own, which the runtime declares for C++ alone, and the names of threads, which are an extension of the C library.

/// Takes a task that is ready to run.
typedef void (*cthreads_start)(void *task);

/// Passes each task that names no executor to the function, which other threads call from then on.
///
/// Call this function once, before the first task of the program.
void cthreads_take_tasks(cthreads_start start);

/// Runs a task on the calling thread until the task ends or waits.
void cthreads_run_task(void *task);

/// Names the calling thread, for tools such as top and gdb; the system keeps 15 bytes.
void cthreads_name(const char *name);

/// Lets other threads go before the calling one, and before those that it creates: raises its niceness by a number, up to the highest one.
///
/// Only Linux knows the niceness of a thread; elsewhere the function does nothing.
void cthreads_yield_to_others(int niceness);

/// Has the process keep up to 16 MiB of freed memory for each of its heaps, for blocks below 1 MiB, instead of half a MiB.
///
/// Only the GNU C library can be told so; elsewhere the function does nothing.
void cthreads_keep_freed_memory(void);

#endif
