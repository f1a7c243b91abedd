import Foundation
import Operations
import Testing

@testable import Scheduler

@Suite("Random histories", .timeLimit(.minutes(3)))
struct RandomTests {
    /// The seeds to play: that of the variable BATON_SEED alone, where it is set.
    static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["BATON_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? Array(1...200)

    @Test("Random graphs and events go as the model says, and leave nothing behind")
    func agreesWithModel() {
        for seed in Self.seeds {
            var run = RandomRun(seed: seed)
            for _ in 0..<40 { run.step() }
            run.complete()
        }
    }

    @Test("D6 a restart at a random moment keeps everything, and what runs goes on")
    func restarts() {
        for seed in Self.seeds {
            var run = RandomRun(seed: seed)
            for _ in 0..<30 {
                run.step()
                if run.random.chance(10) { run.restartCopy() }
            }
        }
    }
}

extension RandomRun {
    /// Starts a copy of the cluster anew, compares it with the original, and lets it come to its end.
    mutating func restartCopy() {
        var copy = cluster
        let held = model.ops.compactMap(\.attempt)
        // Some of the last dispatches may not have reached the disk.
        let dispatches = cluster.record.changes.reversed().prefix { change in
            if case .operation(let record) = change { record.state == .executing && !record.isCancelled } else { false }
        }
        let missing = random.number(0...dispatches.count)
        let forgotten = Set(
            dispatches.prefix(missing).compactMap { change in
                if case .operation(let record) = change { record.id } else { nil }
            }
        )
        copy.restart(from: cluster.record.withoutLast(missing))
        expect(copy.scheduler.counts.total == cluster.scheduler.counts.total, "the restart changed the total")
        for op in model.ops {
            let expected = forgotten.contains(op.id) ? .ready : model.state(op)
            expect(copy.state(op.id) == expected, "\(op.id) is \(copy.state(op.id)) after the restart, was \(expected)")
            expect(copy.outcome(op.id) == op.outcome, "\(op.id) has another outcome after the restart")
        }
        for queue in cluster.scheduler.allQueues {
            expect(
                copy.scheduler.operations(inQueue: queue.name, limit: .max)
                    == cluster.scheduler.operations(inQueue: queue.name, limit: .max),
                "queue \(queue.name) has another order after the restart"
            )
            expect(
                copy.scheduler.queue(queue.name)?.settings == queue.settings,
                "queue \(queue.name) has other settings"
            )
        }

        // Most workers come back and tell what they run.
        var returned: Set<OperationID> = []
        for (name, worker) in model.workers.sorted(by: { $0.key < $1.key }) where random.chance(80) {
            let attempts = held.filter { $0.session == worker.session }
            let session = copy.join(name, slots: worker.slots, holding: attempts)
            expect(copy.effects.stale == [], "a returning worker is told that \(copy.effects.stale as Any) is stale")
            for attempt in attempts {
                copy.running[attempt.operation] = attempt
                copy.running[attempt.operation]?.session = session
                returned.insert(attempt.operation)
            }
        }
        expect(copy.started.isEmpty, "something was dispatched within the window")
        for op in model.ops where op.attempt != nil {
            guard returned.contains(op.id) else { continue }
            expect(copy.state(op.id) == .executing, "\(op.id) was not adopted")
            expect(copy.last(op.id)?.attempt == UInt32(op.attempts), "\(op.id) runs as another attempt")
        }
        copy.pass(.seconds(5))
        let again = copy.started.filter { op in held.contains { $0.operation == op.operation } }
        expect(again.allSatisfy { !returned.contains($0.operation) }, "what was adopted was dispatched again")
        for assignment in again where !forgotten.contains(assignment.operation) {
            let before = held.first { $0.operation == assignment.operation }?.attempt ?? 0
            expect(assignment.attempt == before + 1, "\(assignment.operation) runs again as \(assignment.attempt)")
        }
        for queue in copy.scheduler.allQueues { copy.setQueue(queue.name, limit: .unlimited) }
        copy.join("last")
        copy.finishAll()
        expect(copy.ends.count == model.ops.count && copy.ends.values.allSatisfy { $0 == 1 }, "not one end each")
    }
}
