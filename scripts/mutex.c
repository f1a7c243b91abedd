/* Tells the thread sanitizer of the slow paths of Synchronization.Mutex on Linux.
 *
 * The fast paths of lock and unlock are compiled into the code under test, where the sanitizer sees them. Where threads contend, the
 * Swift library locks and unlocks with futex(2), which the sanitizer does not see: it would report each change under the lock as a
 * race. This library is loaded before the Swift library, in whose place its functions are called. See scripts/sanitize. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

/* Functions of the sanitizer, which lie in the program under test; a program without the sanitizer has none. */
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

SWIFT void lock_slow(uint32_t, SELF void *) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void unlock_slow(SELF void *) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
  SWIFT void (*original)(uint32_t, SELF void *) =
      (SWIFT void (*)(uint32_t, SELF void *))dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
  if (!original) abort();
  original(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void unlock_slow(SELF void *mutex) {
  SWIFT void (*original)(SELF void *) =
      (SWIFT void (*)(SELF void *))dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
  if (!original) abort();
  if (__tsan_release) __tsan_release(mutex);
  original(mutex);
}
