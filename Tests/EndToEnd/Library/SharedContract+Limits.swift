import Dispatch
import Foundation
import Synchronization

/// Parts of the contract that compare what ran at the same time, or in which order.
extension SharedContract {
    /// The most operations that were between their two notes at once.
    private static func mostAtOnce(_ family: Family) -> Int {
        var (now, most) = (0, 0)
        for word in notes(family) {
            now += word == "in" ? 1 : -1
            most = max(most, now)
        }
        return most
    }

    static func overlap(_ family: Family) throws {
        let queue = try family.queue()
        queue.maxConcurrentOperationCount = 2
        // The first two are inside at once, and the others follow.
        let gates = try (0..<2).map { _ in try ContractGate(in: family.directory) }
        let first = gates.map { family.operation(.note("in"), .pass($0), .note("out")) }
        let others = (0..<12).map { _ in family.operation(.note("in"), .note("out")) }
        try queue.addOperations(first + others, waitUntilFinished: false)
        let arrived = try gates.map { try $0.arrival() }
        for handle in arrived { try handle.close() }
        try queue.waitUntilAllOperationsAreFinished()
        try hold(notes(family).count == 28, "all of them ran")
        try hold(mostAtOnce(family) == 2, "CO1 two executed at once, and never more: \(notes(family))")
        queue.maxConcurrentOperationCount = 1
        try queue.addOperations(
            (0..<12).map { family.operation(.note("serial \($0)")) },
            waitUntilFinished: true
        )
        try hold(notes(family).suffix(12) == (0..<12).map { "serial \($0)" }, "CO2 PR3 with 1, the queue is serial")
    }

    static func noSlots(_ family: Family) throws {
        let queue = try family.queue()
        queue.maxConcurrentOperationCount = 0
        let operation = family.operation(.note("late"))
        try queue.addOperation(operation)
        let other = try family.queue()
        try other.addOperations([family.operation(.note("first"))], waitUntilFinished: true)
        try hold(!operation.isFinished && queue.count() == 1, "CO3 0 starts nothing")
        queue.maxConcurrentOperationCount = 1
        try operation.waitUntilFinished()
        try hold(notes(family) == ["first", "late"], "CO3 raising it starts work")
    }

    static func lateOrder(_ family: Family) throws {
        let queue = try family.queue()
        queue.maxConcurrentOperationCount = 1
        let gate = try ContractGate(in: family.directory)
        try queue.addOperation(family.operation(.pass(gate), .note("first")))
        let arrived = try gate.arrival()
        let names = ["a", "b", "c", "d"]
        let waiting = names.map { family.operation(.note($0)) }
        for (operation, name) in zip(waiting, names) {
            operation.name = name
            try queue.addOperation(operation)
        }
        let urgent = family.operation(.note("urgent"))
        urgent.queuePriority = try value(Base.QueuePriority(rawValue: 8))
        try queue.addOperation(urgent)
        let listed = try queue.listed()
        try hold(listed.count == 6 && Set(listed) == Set(listed.prefix(1) + waiting + [urgent]), "QU7 all are listed")
        try hold(waiting.map(\.name) == names, "the names are theirs")
        try arrived.close()
        try queue.waitUntilAllOperationsAreFinished()
        try hold(notes(family) == ["first", "urgent"] + names, "PR9 a late, higher one overtakes: \(notes(family))")
    }

    static func readiness(_ family: Family) throws {
        let (queue, other) = (try family.queue(), try family.queue())
        queue.maxConcurrentOperationCount = 1
        let gate = try ContractGate(in: family.directory)
        let blocker = family.operation(.pass(gate), .note("blocker"))
        let urgent = family.operation(.note("urgent"))
        urgent.queuePriority = try value(Base.QueuePriority(rawValue: 8))
        urgent.addDependency(blocker)
        let calm = family.operation(.note("calm"))
        calm.queuePriority = try value(Base.QueuePriority(rawValue: -8))
        try other.addOperation(blocker)
        try queue.addOperation(urgent)
        try queue.addOperation(calm)
        try calm.waitUntilFinished()
        try hold(!urgent.isReady && !urgent.isFinished, "DE22 readiness comes before priority")
        try gate.open()
        try urgent.waitUntilFinished()
        try hold(notes(family) == ["calm", "blocker", "urgent"], "DE1 then the dependent runs: \(notes(family))")
    }

    static func alone(_ family: Family) throws {
        let (queue, other) = (try family.queue(), try family.queue())
        let gates = try (0..<2).map { _ in try ContractGate(in: family.directory) }
        try queue.addOperation(family.operation(.pass(gates[0]), .note("before")))
        let before = try gates[0].arrival()
        try queue.add(barrier: family.operation(.note("barrier in"), .pass(gates[1]), .note("barrier out")))
        let after = family.operation(.note("after"))
        try queue.addOperation(after)
        // Another queue runs what came later, and so a slot was free all the time (BA7).
        try other.addOperations([family.operation(.note("other 1"))], waitUntilFinished: true)
        try before.close()
        let barrier = try gates[1].arrival()
        try other.addOperations([family.operation(.note("other 2"))], waitUntilFinished: true)
        try hold(!after.isFinished, "BA2 what comes after a barrier waits for it")
        try barrier.close()
        try queue.waitUntilAllOperationsAreFinished()
        let expected = ["other 1", "before", "barrier in", "other 2", "barrier out", "after"]
        try hold(notes(family) == expected, "BA1 BA2 BA7 a barrier runs alone in its queue: \(notes(family))")
    }

    static func severalBarriers(_ family: Family) throws {
        let queue = try family.queue()
        queue.isSuspended = true
        try queue.addOperation(family.operation(.note("a")))
        let skipped = family.operation(.note("never"))
        try queue.addOperation(skipped)
        try queue.add(barrier: family.operation(.note("first")))
        try queue.add(barrier: family.operation(.note("second")))
        try queue.addOperation(family.operation(.note("b")))
        try queue.add(barrier: family.operation(.note("third")))
        skipped.cancel()
        queue.isSuspended = false
        try queue.waitUntilAllOperationsAreFinished()
        try hold(notes(family) == ["a", "first", "second", "b", "third"], "BA3 BA10 in their order: \(notes(family))")
    }

    static func waiters(_ family: Family) throws {
        let queue = try family.queue()
        let gate = try ContractGate(in: family.directory)
        nonisolated(unsafe) let operation = family.operation(.pass(gate))
        try queue.addOperation(operation)
        let arrived = try gate.arrival()
        let calls = Calls()
        // Another end has no part in the waits (WA2).
        for _ in 0..<4 {
            Thread.detachNewThread {
                try? operation.waitUntilFinished()
                calls.note(operation.isFinished ? "finished" : "unfinished")
            }
        }
        try arrived.close()
        try hold(calls.wait(for: 4) == Array(repeating: "finished", count: 4), "WA2 all waits end, after the end")
        try operation.waitUntilFinished()
    }

    static func blockAtEnd(_ family: Family) throws {
        let queue = try family.queue()
        queue.maxConcurrentOperationCount = 1
        let calls = Calls()
        nonisolated(unsafe) let operation = family.operation(.note("a"))
        operation.call {
            // From inside, waiting for the same operation returns at once (CM7).
            try? operation.waitUntilFinished()
            calls.note("first")
        }
        let dependent = family.operation(.note("b"))
        dependent.addDependency(operation)
        dependent.call { calls.note("second") }
        try queue.addOperation(operation)
        try queue.addOperation(dependent)
        try hold(Set(calls.wait(for: 2)) == ["first", "second"], "CM7 the wait in the block has returned")
        try queue.waitUntilAllOperationsAreFinished()
        let last = family.operation(.note("c"))
        last.call { calls.note("third") }
        try queue.addOperation(last)
        try hold(calls.wait(for: 1).count == 3, "CM1 each block was called once")
        try hold(notes(family) == ["a", "b", "c"], "CM5 dependents do not wait for blocks")
    }

    static func partlyRemoved(_ family: Family) throws {
        let (queue, other) = (try family.queue(), try family.queue())
        let gates = try (0..<2).map { _ in try ContractGate(in: family.directory) }
        let targets = gates.map { family.operation(.pass($0), .note("target")) }
        let operation = family.operation(.note("dependent"))
        for target in targets { operation.addDependency(target) }
        try queue.addOperations(targets + [operation], waitUntilFinished: false)
        let arrived = try gates.map { try $0.arrival() }
        operation.removeDependency(targets[0])
        try other.addOperations([family.operation(.note("other"))], waitUntilFinished: true)
        try hold(!operation.isFinished && operation.dependencies == [targets[1]], "DE2 one of two is left")
        try arrived[1].close()
        try operation.waitUntilFinished()
        try hold(!targets[0].isFinished, "DE13 what was removed is not waited for")
        try hold(notes(family) == ["other", "target", "dependent"], "DE2 the other one is: \(notes(family))")
        try arrived[0].close()
        try queue.waitUntilAllOperationsAreFinished()
    }
}
