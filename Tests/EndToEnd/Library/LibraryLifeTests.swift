import Baton
@_spi(Baton) import BatonSampleOperations
import Foundation
import Testing

@Suite("The library: what lasts, and what is told", .timeLimit(.minutes(60)))
struct LibraryLifeTests {
    @Test("OB10 L11 Changes are told without a gap, none twice, through two deaths of the coordinator")
    func changes() async throws {
        try await withCluster(workers: 1) { cluster in
            let client = try cluster.client()
            let queue = client.queue("changes")
            try await queue.suspend()
            let gate = try cluster.gate()
            let operation = CommandOperation(shell: gate.wait)
            try await queue.addOperation(operation)
            let seen = Observed<[OperationChange]>([])
            let reading = Task {
                for try await change in operation.stateChanges { seen.update { $0.append(change) } }
            }
            // From here on, the stream may miss nothing.
            try await seen.wait { !$0.isEmpty }
            try await operation.set(queuePriority: .high)
            try await operation.hold()
            try await cluster.restartCoordinator(with: SIGKILL)
            try await operation.release()
            try await operation.set(queuePriority: .veryLow)
            try await queue.resume()
            try await gate.arrival()
            try await seen.wait { $0.contains(.state(.executing, outcome: nil, attempt: 1, worker: "w1")) }
            try await cluster.restartCoordinator(with: SIGKILL)
            try await operation.cancel()
            try await reading.value

            var all: [OperationChange] = []
            for try await event in client.events(since: 0) {
                guard case .operation(let address, let count, let change) = event.kind else { continue }
                #expect(address == operation.address && count == 1)
                all.append(change)
                if case .state(.finished, _, _, _) = change { break }
            }
            #expect(seen.value == all)
            let priorities = all.compactMap { if case .priority(let priority) = $0 { priority } else { nil } }
            #expect(priorities == [.high, .veryLow])
            #expect(all.filter { $0 == .held(true) }.count == 1 && all.filter { $0 == .held(false) }.count == 1)
            #expect(all.filter { $0 == .cancelled }.count == 1)
            #expect(all.last == .state(.finished, outcome: .cancelled, attempt: 1, worker: "w1"))
            // A later stream has the end alone.
            var late: [OperationChange] = []
            for try await change in operation.stateChanges { late.append(change) }
            #expect(late == [.state(.finished, outcome: .cancelled, attempt: 1, worker: "w1")])
        }
    }

    @Test("OB10 Events go on after any number, with the jobs' ends and their counts")
    func events() async throws {
        try await withCluster(workers: 1) { cluster in
            let (client, other) = (try cluster.client(), try cluster.client())
            let bad = CommandOperation("false")
            let job = try await client.queue("events").addOperations([
                CommandOperation("true"), bad, CommandOperation("true").needs(bad),
            ])
            try await job.waitUntilFinished()
            func read(since number: UInt64) async throws -> [Baton.ClusterEvent] {
                var events: [Baton.ClusterEvent] = []
                for try await event in other.events(since: number) {
                    events.append(event)
                    if case .jobFinished = event.kind { break }
                }
                return events
            }
            let all = try await read(since: 0)
            let begin = try #require(all.firstIndex { $0.kind == .jobSubmitted(job.number, operations: 3) })
            guard case .jobFinished(job.number, .failed, let counts)? = all.last?.kind else {
                Issue.record("\(all)")
                return
            }
            #expect(counts == (try await job.counts))
            #expect((counts.succeeded, counts.failed, counts.skipped, counts.notNeeded) == (1, 1, 1, 0))
            #expect(zip(all, all.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
            for position in begin..<all.count - 1 {
                #expect(try await read(since: all[position].sequence) == Array(all[(position + 1)...]))
            }
            // Of each operation, the states are in order, and the end comes once.
            for index in 0..<3 {
                let states = all.compactMap { event -> OperationState? in
                    guard case .operation(let first, let count, .state(let state, _, _, _)) = event.kind,
                        first.job == job.number, (first.index..<first.index + count).contains(index)
                    else { return nil }
                    return state
                }
                #expect(states.last == .finished && states.filter { $0 == .finished }.count == 1, "\(index): \(states)")
                #expect(states.contains(.executing) == (index < 2), "\(index): \(states)")
            }
        }
    }

    @Test("L9 QU14 CM1 An object that nobody holds has its completion block run, and one that is let go still runs")
    func letGo() async throws {
        try await withCluster(workers: 1) { cluster in
            let gate = try cluster.gate()
            let outcomes = Observed<[String]>([])
            let client = try cluster.client()
            weak var kept: DistributedOperation?
            weak var free: DistributedOperation?
            do {
                let operation = CommandOperation(shell: "\(gate.wait); \(cluster.note("kept"))")
                let other = CommandOperation(shell: cluster.note("free"))
                operation.completionBlock = { outcomes.update { $0.append("called") } }
                try await client.queue().addOperations([operation, other])
                (kept, free) = (operation, other)
            }
            #expect(kept != nil && free == nil)
            do {
                // A client that is neither closed nor flushed; its addition was awaited.
                let other = try cluster.client()
                try await other.queue().addOperation(CommandOperation(shell: cluster.note("gone")))
            }
            try await gate.open()
            try await outcomes.wait { !$0.isEmpty }
            try await client.queue().waitUntilAllOperationsAreFinished()
            #expect(cluster.notes == ["kept", "free", "gone"])
            #expect(outcomes.value == ["called"])
        }
    }

    @Test("QU14 A client that is killed while its operations run changes nothing: they end, and so do those that wait")
    func killed() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.startSampleWorker("types", slots: 2)
            let gates = [try cluster.gate(), try cluster.gate()]
            let program = try cluster.start(example: "sample-worker", ["add"] + gates.map(\.path))
            for gate in gates { try await gate.arrival() }
            program.signal(SIGKILL)
            #expect(try await program.end() == 128 + SIGKILL)
            for gate in gates { try await gate.open() }

            let client = try cluster.client()
            let job = try await client.job(1)
            #expect(try await job.waitUntilFinished() == .succeeded)
            let operations = try await job.operations
            #expect(operations.map(\.attempt) == [1, 1, 1])
            #expect(operations.allSatisfy { $0.queue === client.queue("added") && $0.outcome == .succeeded })
            let stay = try await client.operation(OperationAddress(job: 1, index: 0), as: StayAtGate.self)
            #expect(try await stay.value == "passed")
            let last = try await client.operation(OperationAddress(job: 1, index: 2), as: MeasureText.self)
            #expect(try await last.value.words == 2)
        }
    }

    @Test("WA5 QU7 CA6 A queue is everybody's: its list, its waits and its cancellation")
    func shared() async throws {
        try await withCluster(workers: 1) { cluster in
            let (first, second) = (try cluster.client(), try cluster.client())
            let gate = try cluster.gate()
            let running = CommandOperation(shell: gate.wait)
            try await first.queue("shared").addOperation(running)
            try await gate.arrival()
            let others: [DistributedOperation] = [
                GroupOperation(commands: [["true"], ["false"]]), CommandOperation("true").named("second"),
            ]
            try await second.queue("shared").addOperations(others)
            let listed = try await first.queue("shared").allOperations()
            #expect(listed.map(\.address) == [running.address] + others.map(\.address))
            #expect(listed.first === running && listed[2].name == "second")
            #expect((listed[1] as? GroupOperation)?.commands == [["true"], ["false"]])
            #expect((listed[2] as? CommandOperation)?.command == ["true"])
            #expect(try await first.queue("shared").allOperations() == listed, "the same objects again")
            let counts = try await blockingly { () throws(any Error) in
                (try first.queue("shared").operationCount, try second.queue("shared").operations.count)
            }
            #expect(counts == (3, 3))

            // A program's wait includes the operations that another program adds meanwhile.
            let wait = Task { try await first.queue("shared").waitUntilAllOperationsAreFinished() }
            let late = CommandOperation(shell: cluster.note("late"))
            try await second.queue("shared").addOperation(late)
            #expect(try await listed[1].waitUntilFinishedAfter { try await gate.open() } == .failed)
            try await wait.value
            #expect(try await late.waitUntilFinished() == .succeeded)

            let next = try cluster.gate()
            let again = CommandOperation(shell: "trap 'exit 0' TERM; \(next.checkIn); \(Gate.awaitSignal)")
            try await first.queue("shared").addOperation(again)
            try await next.arrival()
            let waiting = CommandOperation(shell: cluster.note("never"))
            try await first.queue("shared").addOperation(waiting)
            try await second.queue("shared").cancelAllOperations()
            #expect(try await again.waitUntilFinished() == .cancelled)
            #expect(try await waiting.waitUntilFinished() == .cancelled)
            #expect(again.isCancelled && waiting.isCancelled && waiting.attempt == 0)
            #expect(cluster.notes == ["late"])
        }
    }

    @Test("Why an operation waits is told, kind by kind, and nothing of one that runs")
    func explanations() async throws {
        try await withCluster(workers: 1) { cluster in
            let client = try cluster.client()
            let (queue, paused, serial) = (client.queue("a"), client.queue("paused"), client.queue("serial"))
            try await paused.suspend()
            try await serial.set(maxConcurrentOperationCount: 1)
            let gate = try cluster.gate()
            let running = CommandOperation(shell: gate.wait)
            try await serial.addOperation(running)
            try await gate.arrival()
            while !running.isExecuting { await Task.yield() }
            #expect(try await running.explain().isEmpty)

            func kinds(
                _ operation: DistributedOperation,
                in queue: DistributedOperationQueue
            ) async throws -> Set<WaitReason.Kind> {
                try await queue.addOperation(operation)
                let reasons = try await operation.explain()
                #expect(reasons.allSatisfy { !$0.description.isEmpty })
                return Set(reasons.map(\.kind))
            }
            let dependent = CommandOperation("true").after(running)
            #expect(try await kinds(dependent, in: queue) == [.dependency])
            #expect(try await dependent.explain().map(\.operation) == [running.address])
            let held = OperationOptions(isHeld: true)
            #expect(try await kinds(CommandOperation("true", options: held), in: queue) == [.hold])
            let delayed = OperationOptions(delay: .seconds(3600))
            #expect(try await kinds(CommandOperation("true", options: delayed), in: queue) == [.delay])
            #expect(try await kinds(CommandOperation("true"), in: paused).contains(.suspended))
            #expect(try await kinds(CommandOperation("true"), in: serial).contains(.limit))
            let label = OperationOptions(labels: ["zone=moon"])
            #expect(try await kinds(CommandOperation("true", options: label), in: client.queue("b")) == [.labels])
            let large = OperationOptions(resources: ["gpu": 3])
            #expect(try await kinds(CommandOperation("true", options: large), in: client.queue("b")) == [.resources])
            let unknown = DistributedOperation()
            let error = await #expect(throws: ClusterError.self) { try await unknown.explain() }
            #expect(error?.code == .notAdded)
            for name in ["a", "b", "paused"] { try await client.queue(name).cancelAllOperations() }
            try await gate.open()
            #expect(try await running.waitUntilFinished() == .succeeded)
            #expect(try await running.explain().isEmpty)
            try await serial.waitUntilAllOperationsAreFinished()
        }
    }
}

extension DistributedOperation {
    /// Waits for the end of an operation, which an action brings about once the wait has begun.
    fileprivate func waitUntilFinishedAfter(_ action: () async throws -> Void) async throws -> OperationOutcome {
        async let outcome = waitUntilFinished()
        try await action()
        return try await outcome
    }
}
