import Baton
import Foundation
import Synchronization

/// The contract that both families keep, by one source.
///
/// The functions block, as programs with `OperationQueue` do, and run on a thread of their own.
enum SharedContract<Family: OperationFamily> {
    typealias Base = Family.Base

    static func newOperation(_ family: Family) throws {
        let operation = family.operation(.note("a"))
        try hold(operation.isReady, "ST1 a new operation is ready")
        try hold(!operation.isExecuting && !operation.isFinished && !operation.isCancelled, "ST1 it is nothing else")
        try hold(operation.queuePriority.rawValue == 0, "PR1 its priority is normal")
        try hold(operation.dependencies.isEmpty && operation.name == nil, "ST1 it has no dependency and no name")
        let other = family.operation(.note("b"))
        operation.addDependency(other)
        try hold(!operation.isReady && other.isReady, "ST1 an operation with an unfinished dependency is not ready")
        try hold(operation.dependencies == [other], "DE10 the dependency is listed")
        operation.addDependency(other)
        try hold(operation.dependencies == [other], "DE11 adding it twice is adding it once")
        operation.removeDependency(other)
        operation.removeDependency(other)
        try hold(operation.dependencies.isEmpty, "DE12 removing it twice does no harm")
        operation.name = "first"
        try hold(operation.name == "first" && operation == operation && operation != other, "names, and identity")
    }

    static func states(_ family: Family) throws {
        let queue = try family.queue()
        let gate = try ContractGate(in: family.directory)
        let operation = family.operation(.pass(gate), .note("a"))
        try queue.addOperation(operation)
        let arrived = try gate.arrival()
        // A program hears of the start a moment later.
        while !operation.isExecuting { sched_yield() }
        try hold(!operation.isFinished, "ST6 an executing operation is not finished")
        try hold(try queue.count() == 1 && queue.listed() == [operation], "QU7 QU8 the queue lists it")
        try arrived.close()
        try operation.waitUntilFinished()
        try hold(operation.isFinished && !operation.isExecuting && !operation.isCancelled, "ST4 it is finished")
        operation.cancel()
        try hold(operation.isFinished && !operation.isCancelled, "CA1 cancelling a finished operation has no effect")
        try operation.waitUntilFinished()
        try queue.waitUntilAllOperationsAreFinished()
        try hold(try queue.count() == 0 && queue.listed().isEmpty, "QU9 it has left the queue")
        try hold(notes(family) == ["a"], "it ran once")
    }

    static func order(_ family: Family) throws {
        let queue = try family.queue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let priorities = [0, 4, -4, 8, -8, 0, 8, 4, -8, -4]
        for (number, priority) in priorities.enumerated() {
            let operation = family.operation(.note("\(priority)/\(number)"))
            operation.queuePriority = try value(Base.QueuePriority(rawValue: priority))
            try queue.addOperation(operation)
        }
        try hold(try queue.count() == 10, "SU2 a suspended queue takes operations")
        queue.isSuspended = false
        try queue.waitUntilAllOperationsAreFinished()
        let expected = ["8/3", "8/6", "4/1", "4/7", "0/0", "0/5", "-4/2", "-4/9", "-8/4", "-8/8"]
        try hold(notes(family) == expected, "PR2 PR3 by priority, then in the order of addition: \(notes(family))")
    }

    static func dependencies(_ family: Family) throws {
        let (first, second) = (try family.queue(), try family.queue())
        let gate = try ContractGate(in: family.directory)
        let a = family.operation(.pass(gate), .note("a"))
        let b = family.operation(.note("b"))
        let c = family.operation(.note("c"))
        let d = family.operation(.note("d"))
        b.addDependency(a)
        c.addDependency(a)
        c.addDependency(b)
        d.addDependency(c)
        // The dependents come first, and in another queue (DE3, DE5).
        second.maxConcurrentOperationCount = 1
        try second.addOperation(d)
        try second.addOperation(c)
        try first.addOperation(b)
        try first.addOperation(a)
        try hold(try second.count() == 2, "CO8 those that wait are in their queue")
        try gate.open()
        // A wait is about its own operation (L7).
        for operation in [d, c, b, a] { try operation.waitUntilFinished() }
        try hold([a, b, c, d].allSatisfy(\.isFinished), "DE2 all that it depends on is finished")
        try hold(notes(family) == ["a", "b", "c", "d"], "DE1 in their order: \(notes(family))")
        try hold(c.dependencies == [a, b], "DE10 finished ones stay in the list")
        let late = family.operation(.note("e"))
        late.addDependency(a)
        try first.addOperation(late)
        try late.waitUntilFinished()
        try hold(late.isFinished, "DE6 a finished dependency does not block")
    }

    static func cancelledDependency(_ family: Family) throws {
        let queue = try family.queue()
        queue.isSuspended = true
        let a = family.operation(.note("a"))
        let b = family.operation(.note("b"))
        b.addDependency(a)
        try queue.addOperation(a)
        try queue.addOperation(b)
        a.cancel()
        try hold(a.isCancelled && !a.isFinished, "SU3 a suspended queue keeps a cancelled operation")
        queue.isSuspended = false
        try queue.waitUntilAllOperationsAreFinished()
        try hold(a.isFinished && b.isFinished && !b.isCancelled, "CA10 the dependent is not cancelled")
        try hold(notes(family) == ["b"], "CA2 DE7 the cancelled one never ran, its dependent did")
    }

    static func addedDependency(_ family: Family) throws {
        let queue = try family.queue()
        queue.isSuspended = true
        let gate = try ContractGate(in: family.directory)
        let a = family.operation(.pass(gate), .note("a"))
        let b = family.operation(.note("b"))
        try queue.addOperation(b)
        try queue.addOperation(a)
        b.addDependency(a)
        queue.isSuspended = false
        try gate.open()
        try b.waitUntilFinished()
        try hold(notes(family) == ["a", "b"], "DE14 a dependency added to a ready operation counts")
    }

    static func removedDependency(_ family: Family) throws {
        let queue = try family.queue()
        let gate = try ContractGate(in: family.directory)
        let a = family.operation(.pass(gate), .note("a"))
        let b = family.operation(.note("b"))
        b.addDependency(a)
        try queue.addOperation(a)
        try queue.addOperation(b)
        let arrived = try gate.arrival()
        b.removeDependency(a)
        try b.waitUntilFinished()
        try hold(!a.isFinished && notes(family) == ["b"], "DE13 without its last dependency, the operation runs")
        let c = family.operation(.note("c"))
        c.addDependency(a)
        c.removeDependency(a)
        try hold(c.isReady, "DE13 and is ready")
        try arrived.close()
        try a.waitUntilFinished()
    }

    static func cancellation(_ family: Family) throws {
        let queue = try family.queue()
        queue.maxConcurrentOperationCount = 1
        let gate = try ContractGate(in: family.directory)
        let early = family.operation(.note("early"))
        early.cancel()
        try hold(early.isCancelled && !early.isFinished, "CA12 cancelled before it was added")
        try queue.addOperation(early)
        try early.waitUntilFinished()
        let running = family.operation(.pass(gate), .note("running"))
        let waiting = (0..<5).map { family.operation(.note("waiting \($0)")) }
        try queue.addOperation(running)
        let arrived = try gate.arrival()
        for operation in waiting { try queue.addOperation(operation) }
        waiting[0].cancel()
        waiting[0].cancel()
        try hold(waiting[0].isCancelled && !waiting[1].isCancelled, "CA9 twice is once")
        for operation in waiting[1...3] { operation.cancel() }
        // The count comes after all that was asked before (L3).
        _ = try queue.count()
        try arrived.close()
        try waiting[4].waitUntilFinished()
        try queue.waitUntilAllOperationsAreFinished()
        try hold(waiting.allSatisfy(\.isFinished), "CA8 cancelled operations finish")
        try hold(notes(family) == ["running", "waiting 4"], "CA2 what was cancelled never ran: \(notes(family))")
    }

    static func cancelledQueue(_ family: Family) throws {
        let queue = try family.queue()
        queue.isSuspended = true
        let before = (0..<4).map { family.operation(.note("before \($0)")) }
        for operation in before { try queue.addOperation(operation) }
        queue.cancelAllOperations()
        try hold(before.allSatisfy(\.isCancelled), "CA6 all that is in the queue is cancelled")
        let after = family.operation(.note("after"))
        try queue.addOperation(after)
        try hold(!after.isCancelled, "CA6 nothing that is added later is")
        try hold(try queue.count() == 5, "QU10 cancelled ones that have not finished count")
        queue.isSuspended = false
        try queue.waitUntilAllOperationsAreFinished()
        try hold(before.allSatisfy { $0.isFinished && $0.isCancelled } && !after.isCancelled, "ST5 the flags stay")
        try hold(notes(family) == ["after"], "CA2 what was cancelled never ran")
    }

    static func limits(_ family: Family) throws {
        let (queue, other) = (try family.queue(), try family.queue())
        queue.maxConcurrentOperationCount = 2
        let gates = try (0..<3).map { _ in try ContractGate(in: family.directory) }
        let operations = gates.map { family.operation(.note("in"), .pass($0), .note("out")) }
        try queue.addOperations(operations, waitUntilFinished: false)
        // Two execute at once (CO9). The third does not, although other queues have room for one later operation after another.
        let arrived = try gates[..<2].map { try $0.arrival() }
        for _ in 0..<5 { try other.addOperations([family.operation(.note("other"))], waitUntilFinished: true) }
        let before = ["in", "in"] + Array(repeating: "other", count: 5)
        try hold(notes(family) == before, "CO1 at most two execute: \(notes(family))")
        while !(operations[0].isExecuting && operations[1].isExecuting) { sched_yield() }
        try hold(!operations[2].isExecuting, "CO1 the third is not executing")
        // The third arrives while the first two are still at their gates.
        queue.maxConcurrentOperationCount = 3
        let last = try gates[2].arrival()
        try hold(notes(family) == before + ["in"], "CO5 raising the limit takes effect: \(notes(family))")
        for handle in arrived + [last] { try handle.close() }
        try queue.waitUntilAllOperationsAreFinished()
        try hold(operations.allSatisfy(\.isFinished), "all of them finish")
    }

    static func suspension(_ family: Family) throws {
        let queue = try family.queue()
        try hold(!queue.isSuspended, "a new queue is not suspended")
        let gate = try ContractGate(in: family.directory)
        let running = family.operation(.pass(gate), .note("running"))
        try queue.addOperation(running)
        let arrived = try gate.arrival()
        queue.isSuspended = true
        queue.isSuspended = true
        let waiting = family.operation(.note("waiting"))
        try queue.addOperation(waiting)
        try arrived.close()
        try running.waitUntilFinished()
        let other = try family.queue()
        let elsewhere = family.operation(.note("elsewhere"))
        try other.addOperation(elsewhere)
        try elsewhere.waitUntilFinished()
        try hold(queue.isSuspended && !waiting.isFinished, "SU1 SU6 what runs goes on, and other queues")
        queue.isSuspended = false
        try waiting.waitUntilFinished()
        try hold(notes(family) == ["running", "elsewhere", "waiting"], "SU4 on resume the others go: \(notes(family))")
    }

    static func barriers(_ family: Family) throws {
        let queue = try family.queue()
        let gate = try ContractGate(in: family.directory)
        try queue.addOperation(family.operation(.pass(gate), .note("before")))
        let arrived = try gate.arrival()
        try queue.add(barrier: family.operation(.note("barrier")))
        let after = family.operation(.note("after"))
        try queue.addOperation(after)
        try arrived.close()
        try queue.waitUntilAllOperationsAreFinished()
        try hold(after.isFinished, "BA9 the wait includes what comes after")
        try hold(notes(family) == ["before", "barrier", "after"], "BA1 BA2 alone, in its place: \(notes(family))")
    }

    static func completionBlocks(_ family: Family) throws {
        let queue = try family.queue()
        queue.isSuspended = true
        let calls = Calls()
        let ran = family.operation(.note("ran"))
        let cancelled = family.operation(.note("cancelled"))
        for operation in [ran, cancelled] {
            // Finished is what the block sees (CM1).
            nonisolated(unsafe) let object = operation
            operation.call { calls.note(object.isFinished ? "finished" : "unfinished") }
            try queue.addOperation(operation)
        }
        cancelled.cancel()
        queue.isSuspended = false
        try queue.waitUntilAllOperationsAreFinished()
        try hold(calls.wait(for: 2) == ["finished", "finished"], "CM1 CM3 CA7 once each, for every end")
    }

    static func batches(_ family: Family) throws {
        let queue = try family.queue()
        try queue.addOperations([], waitUntilFinished: true)
        let operations = (0..<20).map { family.operation(.note("\($0)")) }
        for (earlier, later) in zip(operations, operations.dropFirst()) { later.addDependency(earlier) }
        try queue.addOperations(operations, waitUntilFinished: true)
        try hold(operations.allSatisfy(\.isFinished), "QU6 the batch is finished")
        try hold(notes(family) == (0..<20).map { "\($0)" }, "DE1 in the order of the chain")
        try queue.waitUntilAllOperationsAreFinished()
        try hold(try queue.count() == 0, "WA4 waiting for an empty queue returns at once")
    }

    static func progress(_ family: Family) throws {
        let queue = try family.queue()
        queue.progress.totalUnitCount = 4
        let gate = try ContractGate(in: family.directory)
        try queue.addOperations((0..<3).map { family.operation(.note("\($0)")) }, waitUntilFinished: true)
        let cancelled = family.operation(.note("cancelled"))
        cancelled.cancel()
        try queue.addOperation(cancelled)
        let last = family.operation(.pass(gate))
        try queue.addOperation(last)
        let arrived = try gate.arrival()
        while queue.progress.completedUnitCount < 3 { sched_yield() }
        try hold(queue.progress.fractionCompleted == 0.75, "PG1 PG4 three of four: \(queue.progress.fractionCompleted)")
        try arrived.close()
        try queue.waitUntilAllOperationsAreFinished()
        while queue.progress.completedUnitCount < 4 { sched_yield() }
        try hold(queue.progress.fractionCompleted == 1, "PG1 an operation cancelled before its start adds none")
    }

    // MARK: - What the parts share

    static func notes(_ family: Family) -> [String] {
        let text = (try? String(contentsOfFile: family.directory + "/notes", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    static func hold(_ condition: Bool, _ statement: @autoclosure () -> String) throws {
        if !condition { throw ContractFailure(statement()) }
    }

    static func value<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw ContractFailure("A value is missing.") }
        return value
    }
}

/// The calls of completion blocks, from any thread.
final class Calls: Sendable {
    private let words = Mutex<[String]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    func note(_ word: String) {
        words.withLock { $0.append(word) }
        arrivals.signal()
    }

    /// Blocks until there are so many calls.
    func wait(for count: Int) -> [String] {
        for _ in 0..<count { arrivals.wait() }
        return words.withLock { $0 }
    }
}
