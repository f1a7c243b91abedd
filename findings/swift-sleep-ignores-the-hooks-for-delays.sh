#!/usr/bin/env bash
# Swift 6.3.1 on Linux: Task.sleep calls neither the hook for delayed tasks nor the hook for tasks with a deadline.
#
# The concurrency runtime exports function pointers through which a program can run its tasks itself. One takes a task that is ready,
# and two take tasks that are ready later (with a delay, and with a deadline). All three are set here, to functions that count and then
# call the original. A sleep calls the first hook alone, when it is over. So a program that takes its tasks to threads of its own through
# these hooks does not see its sleeps begin: they are counted elsewhere in the runtime, on threads that the program meant to do without.
# Such a program has to wait by its own means.
#
# Seen, with ten sleeps of a millisecond in each of three ways:
#   tasks: 32, delays: 0, deadlines: 0
set -euo pipefail
[ "$(uname -s)" = Linux ] || { echo "The finding is about Linux."; exit 1; }
swift --version 2>&1 | head -n 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > hooks.h <<'C'
void set_hooks(void);
long counted(int which);
C
cat > hooks.c <<'C'
#include "hooks.h"
#include <stdatomic.h>

#define SWIFT __attribute__((swiftcall))

typedef SWIFT void (*ready)(void *);
typedef SWIFT void (*later)(unsigned long long, void *);
typedef SWIFT void (*at)(long long, long long, long long, long long, int, void *);

extern SWIFT void (*swift_task_enqueueGlobal_hook)(void *, ready);
extern SWIFT void (*swift_task_enqueueGlobalWithDelay_hook)(unsigned long long, void *, later);
extern SWIFT void (*swift_task_enqueueGlobalWithDeadline_hook)(long long, long long, long long, long long, int, void *, at);

static atomic_long counts[3];

static SWIFT void take(void *task, ready original) {
  counts[0]++;
  original(task);
}

static SWIFT void takeLater(unsigned long long delay, void *task, later original) {
  counts[1]++;
  original(delay, task);
}

static SWIFT void takeAt(long long s, long long ns, long long ts, long long tns, int clock, void *task, at original) {
  counts[2]++;
  original(s, ns, ts, tns, clock, task);
}

void set_hooks(void) {
  swift_task_enqueueGlobal_hook = take;
  swift_task_enqueueGlobalWithDelay_hook = takeLater;
  swift_task_enqueueGlobalWithDeadline_hook = takeAt;
}

long counted(int which) { return counts[which]; }
C
cat > main.swift <<'SWIFT'
set_hooks()
await Task.detached {
    for _ in 0..<10 {
        try? await Task.sleep(nanoseconds: 1_000_000)
        try? await Task.sleep(for: .milliseconds(1), clock: .continuous)
        try? await Task.sleep(for: .milliseconds(1), clock: .suspending)
    }
}.value
print("tasks: \(counted(0)), delays: \(counted(1)), deadlines: \(counted(2))")
SWIFT
clang -O1 -c hooks.c -o hooks.o
swiftc -swift-version 6 -import-objc-header hooks.h main.swift hooks.o -o sleeps
./sleeps | tee output
read -r _ tasks _ delays _ deadlines <<< "$(tr -d , < output)"
[ "$tasks" -ge 30 ] || { echo "changed: the hook for tasks that are ready is called $tasks times, not once for each end of a sleep"; exit 1; }
[ "$delays" = 0 ] && [ "$deadlines" = 0 ] || { echo "changed: a sleep calls the hook for delays or deadlines"; exit 1; }
