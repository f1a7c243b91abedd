#define _GNU_SOURCE

#include "CThreads.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// The calling convention of Swift's runtime.
#define SWIFT __attribute__((swiftcall))

typedef SWIFT void (*original_start)(void *task);

// An executor as the runtime passes it: an object and a table of functions; zeros stand for the runtime's default.
typedef struct {
  uintptr_t object;
  uintptr_t functions;
} executor;

extern SWIFT void (*swift_task_enqueueGlobal_hook)(void *task, original_start original);
extern SWIFT void swift_job_run(void *task, executor executor);

static cthreads_start taken_start;

static SWIFT void start(void *task, original_start original) {
  (void)original;
  taken_start(task);
}

void cthreads_take_tasks(cthreads_start new_start) {
  taken_start = new_start;
  swift_task_enqueueGlobal_hook = start;
}

void cthreads_run_task(void *task) {
  executor none = {0, 0};
  swift_job_run(task, none);
}

void cthreads_name(const char *name) {
  char kept[16] = {0};
  strncpy(kept, name, sizeof kept - 1);
#ifdef __APPLE__
  pthread_setname_np(kept);
#else
  pthread_setname_np(pthread_self(), kept);
#endif
}

void cthreads_yield_to_others(int niceness) {
#ifdef __linux__
  // For Linux, the process 0 is the calling thread: setpriority(2), "C library/kernel differences".
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + niceness);
#else
  (void)niceness;
#endif
}

void cthreads_keep_freed_memory(void) {
#ifdef __GLIBC__
  // The second number alone would have each block above 128 KiB mapped anew: mallopt(3), "M_MMAP_THRESHOLD".
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
}
