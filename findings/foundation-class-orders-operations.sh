#!/usr/bin/env bash
# Foundation of Swift 6.3.1 on Linux: the quality of service of operations decides the order in which a queue starts them, but only
# while the limit of the queue is not 1 and the priority was never set, not even to what it is already.
#
# Six operations of five classes wait in a suspended queue. With a limit of 1 they start as they were added. With a limit of 2, or
# without a limit, the highest class starts first. Assigning "queuePriority = .normal", which changes no value that can be read,
# brings the order of addition back. The priority reads 0 in all cases: nothing shows that the class plays a part. So a program that is
# tested with a serial queue, or that sets priorities "to be explicit", runs in another order than one that does not.
#
# Seen (class/number in the order of addition):
#   limit 1, priority untouched: background/0 utility/1 initiated/2 interactive/3 background/4 interactive/5
#   limit 2, priority untouched: interactive/3 interactive/5 initiated/2 utility/1 background/0 background/4
#   limit 2, priority set to 0:  background/0 utility/1 initiated/2 interactive/3 background/4 interactive/5
set -euo pipefail
[ "$(uname -s)" = Linux ] || { echo "The finding is about Linux."; exit 1; }
swift --version 2>&1 | head -n 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > main.swift <<'SWIFT'
import Foundation

let classes: [(String, QualityOfService)] = [
    ("background", .background), ("utility", .utility), ("initiated", .userInitiated), ("interactive", .userInteractive),
    ("background", .background), ("interactive", .userInteractive),
]

/// Runs the operations on a queue of a limit, and prints the order of their starts.
func run(_ title: String, limit: Int, setsPriority: Bool) {
    let (queue, lock) = (OperationQueue(), NSLock())
    nonisolated(unsafe) var order: [String] = []
    queue.maxConcurrentOperationCount = limit
    queue.isSuspended = true
    let operations = classes.enumerated().map { number, quality in
        let operation = BlockOperation { lock.withLock { order.append("\(quality.0)/\(number)") } }
        operation.qualityOfService = quality.1
        if setsPriority { operation.queuePriority = .normal }
        return operation
    }
    queue.addOperations(operations, waitUntilFinished: false)
    let priorities = Set(operations.map(\.queuePriority.rawValue))
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    print(title, order.joined(separator: " "), "priorities", priorities.map(String.init).joined(separator: ","))
}

run("one", limit: 1, setsPriority: false)
run("many", limit: 2, setsPriority: false)
run("set", limit: 2, setsPriority: true)
SWIFT
swiftc main.swift -o order
./order | tee output
added="background/0 utility/1 initiated/2 interactive/3 background/4 interactive/5 priorities 0"
grep -qx "one $added" output || { echo "changed: a serial queue starts operations in another order"; exit 1; }
grep -qx "set $added" output || { echo "changed: a set priority does not keep the order of addition"; exit 1; }
# With two at once, the first two may change places.
grep -q "^many interactive/[35] interactive/[35] .*priorities 0$" output ||
  { echo "changed: the class no longer comes before the order of addition"; exit 1; }
