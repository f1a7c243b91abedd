#!/usr/bin/env bash
# Foundation of Swift 6.3.1 on Linux: an operation queue whose operations block starts as many as there are processors, and then about
# one more a second, whatever its limit says.
#
# Operations that wait (for a child process, a lock, a disk) take no processor, and a limit is set to have many of them at once. But
# the threads come from libdispatch, which starts a thread for each processor, and looks once a second whether to start one more. So a
# queue with a limit of processors + 4 needs four seconds to reach its limit. A queue that runs programs this way is slow exactly when
# the programs are short and many.
#
# Seen on two processors, operations that sleep, with a limit of 6 (seconds after the first start):
#   0.0 0.0 0.4 1.4 2.4 3.4
set -euo pipefail
[ "$(uname -s)" = Linux ] || { echo "The finding is about Linux."; exit 1; }
swift --version 2>&1 | head -n 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > main.swift <<'SWIFT'
import Foundation

let processors = ProcessInfo.processInfo.activeProcessorCount
let (queue, lock) = (OperationQueue(), NSLock())
nonisolated(unsafe) var starts: [TimeInterval] = []
queue.maxConcurrentOperationCount = processors + 4
for _ in 0..<processors + 4 {
    queue.addOperation {
        lock.withLock { starts.append(ProcessInfo.processInfo.systemUptime) }
        Thread.sleep(forTimeInterval: 8)
    }
}
queue.waitUntilAllOperationsAreFinished()
let first = starts.min() ?? 0
print(processors, starts.sorted().map { String(format: "%.1f", $0 - first) }.joined(separator: " "))
SWIFT
swiftc main.swift -o starts
./starts | tee output
read -r processors times < output
read -ra times <<< "$times"
# The limit is reached seconds after the first start, and the steps between the last starts are of about a second.
python3 - "$processors" "${times[@]}" <<'PYTHON'
import sys

processors, times = int(sys.argv[1]), [float(time) for time in sys.argv[2:]]
if times[processors - 1] > 0.5:
    sys.exit(f"changed: the first {processors} operations do not start together: {times}")
if times[-1] < 2 or times[-1] > 7.5:
    sys.exit(f"changed: the limit is reached after {times[-1]} s, not after about 3.4 s")
PYTHON
