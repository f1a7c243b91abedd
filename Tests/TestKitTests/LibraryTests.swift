import Baton
import BatonTestKit
import Foundation
import Testing

/// What a user's tests see: nothing but the two public modules.
@Suite("A test cluster: the library", .timeLimit(.minutes(60)))
struct LibraryTests {
    @Test("An operation is finished, and its value is known, when the cluster is quiet")
    func value() async throws {
        try await withTestCluster(operations: sampleOperations) { test in
            let echo = try await test.cluster.queue("texts").addOperation(Echo(text: "hello"))
            await test.advance(by: .zero)
            #expect(echo.isFinished && echo.outcome == .succeeded && echo.attempt == 1 && echo.worker == "w1")
            #expect(try await echo.value == "hello")
            #expect(try await test.cluster.queue("texts").operationCountNow() == 0)
        }
    }

    @Test("A graph runs in the order of its dependencies, and passes results on")
    func graph() async throws {
        try await withTestCluster(operations: sampleOperations) { test in
            let (first, second) = (RemoteOperation(Echo(text: "to")), RemoteOperation(Echo(text: "be")))
            let join = RemoteOperation(Join())
            join.needs([first, second])
            let never = RemoteOperation(Echo(text: "no")).onFailure(of: join)
            let job = try await test.cluster.queue().addOperations {
                join
                first
                second
                never
            }
            #expect(try await job.waitUntilFinished() == .succeeded)
            #expect(try await join.value == "to be")
            #expect(never.outcome == .skipped)
            // Two conditions on one operation make one dependency (DE11).
            let twice = RemoteOperation(Join()).needs(first).after(first, second)
            try await test.cluster.queue().addOperation(twice)
            #expect(try await twice.value == "to be")
        }
    }

    @Test("A graph is written down on the main actor")
    @MainActor func mainActor() async throws {
        try await withTestCluster(operations: sampleOperations) { @MainActor test in
            let first = RemoteOperation(Echo(text: "here"))
            let job = try await test.cluster.queue().addOperations(name: "main") {
                first
                RemoteOperation(Join()).needs(first)
            }
            #expect(try await job.waitUntilFinished() == .succeeded)
        }
    }

    @Test("PG4 The progress of a queue begins again with the next total, and never passes 1")
    func progress() async throws {
        try await withTestCluster(operations: sampleOperations) { test in
            let queue = test.cluster.queue("again")
            for count in [2, 3, 2] {
                queue.progress.totalUnitCount = 2
                while queue.progress.completedUnitCount != 0 { await Task.yield() }
                let added = (0..<count).map { RemoteOperation(Echo(text: "\($0)")) }
                try await queue.addOperations(added, waitUntilFinished: true)
                while queue.progress.completedUnitCount < 2 { await Task.yield() }
                #expect(queue.progress.fractionCompleted == 1)
            }
        }
    }

    @Test("BA2 A Swift operation is added as a barrier by its value, in both forms")
    func barriers() async throws {
        try await withTestCluster(operations: sampleOperations) { test in
            let queue = test.cluster.queue()
            let wait = try await queue.addOperation(Wait(gate: "barriers"))
            let barrier = try await queue.addBarrierOperation(Echo(text: "first"))
            let other = try Self.addBarrier(to: queue)
            let after = try await queue.addOperation(Echo(text: "after"))
            await test.advance(by: .zero)
            #expect(barrier.isBarrier && other.isBarrier && wait.isExecuting)
            #expect(!barrier.isFinished && !other.isFinished && !after.isFinished)
            Wait.gate("barriers").open()
            #expect(try await other.value == "second")
            #expect(barrier.outcome == .succeeded)
            #expect(try await after.value == "after")
        }
    }

    private static func addBarrier(to queue: DistributedOperationQueue) throws -> RemoteOperation<Echo> {
        try queue.addBarrierOperation(Echo(text: "second"))
    }

    @Test("Synchronous forms work as in a program, also those that block")
    func synchronous() async throws {
        try await withTestCluster(slots: 4, operations: sampleOperations) { test in
            let queue = test.cluster.queue()
            let finished = try await onThread { try Self.addAndWait(to: queue) }
            #expect(finished == 100)
            #expect(test.now == .zero)
        }
    }

    private static func addAndWait(to queue: DistributedOperationQueue) throws -> Int {
        queue.isSuspended = true
        let operations = (0..<100).map { RemoteOperation(Echo(text: "\($0)")) }
        for operation in operations { try queue.addOperation(operation) }
        let count = try queue.operationCount
        queue.isSuspended = false
        try queue.waitUntilAllOperationsAreFinished()
        return operations.count(where: \.isFinished) == count ? count : -1
    }

    @Test("Operations of many jobs and streams are followed at once, and a quiet cluster stays quiet")
    func following() async throws {
        try await withTestCluster(slots: 0, operations: sampleOperations) { test in
            var operations: [RemoteOperation<Echo>] = []
            for number in 0..<12 {
                operations.append(try await test.cluster.queue().addOperation(Echo(text: "\(number)")))
                #expect(!operations[number].isFinished)
            }
            let streams = operations.map { operation in
                Task {
                    var states: [OperationState] = []
                    for try await case .state(let state, _, _, _) in operation.stateChanges { states.append(state) }
                    return states
                }
            }
            let events = Task {
                for try await event in test.cluster.events(since: 0) {
                    if case .jobFinished(12, _, _) = event.kind { return }
                }
            }
            // If a watch ended another one, the two would never come to rest.
            await test.advance(by: .seconds(1))
            try await test.addWorker("late", operations: sampleOperations)
            await test.advance(by: .seconds(1))
            #expect(operations.allSatisfy { $0.isFinished })
            for stream in streams { #expect(try await stream.value.last == .finished) }
            try await events.value
        }
    }

    @Test("A delay, retries and a timeout take the test's time")
    func times() async throws {
        try await withTestCluster(slots: 3, operations: sampleOperations) { test in
            let queue = test.cluster.queue()
            let late = RemoteOperation(Echo(text: "late"), options: OperationOptions(delay: .seconds(3_600)))
            let again = RemoteOperation(
                Fail(times: 2),
                options: OperationOptions(retries: 2, retryDelay: .seconds(10))
            )
            let slow = RemoteOperation(Wait(gate: "times"), options: OperationOptions(timeout: .seconds(60)))
            try await queue.addOperations([late, again, slow])
            await test.advance(by: .seconds(29))
            #expect(again.attempt == 2 && !again.isFinished)
            await test.advance(by: .seconds(1))
            #expect(again.attempt == 3 && again.outcome == .succeeded)
            #expect(slow.isExecuting)
            await test.advance(by: .seconds(30))
            #expect(slow.error?.code == .timeout)
            #expect(late.operationState == .pending)
            await test.advance(by: .seconds(3_540))
            #expect(late.outcome == .succeeded)
        }
    }

    @Test("An operation's error says why it has failed")
    func errors() async throws {
        try await withTestCluster(operations: sampleOperations) { test in
            let failing = RemoteOperation(Fail())
            let command = CommandOperation("make", "all")
            try await test.cluster.queue().addOperations([failing, command])
            await test.advance(by: .zero)
            #expect(failing.error?.code == .error && failing.error?.message == "It threw an error: Paper jam.")
            #expect(command.error?.code == .launch)
            #expect(command.error?.message.hasPrefix("A test cluster runs no commands") == true)
            await #expect(throws: OperationError.self) { try await failing.value }
        }
    }

    @Test("An operation uses the cluster: it adds others, waits for them, and may not wait for itself")
    func nested() async throws {
        try await withTestCluster(operations: sampleOperations) { test in
            let queue = test.cluster.queue()
            for round in 0..<50 {
                let delegate = try await queue.addOperation(Delegate(text: "\(round)"))
                await test.advance(by: .zero)
                #expect(delegate.isFinished)
                #expect(try await delegate.value == "\(round) by another")
            }
            let leave = try await queue.addOperation(Leave(queue: "left"))
            await test.advance(by: .zero)
            #expect(leave.outcome == .succeeded)
            #expect(try await test.cluster.job(102).operations.map(\.outcome) == [.succeeded])
            let deadlock = try await queue.addOperation(WaitForItself())
            await test.advance(by: .zero)
            #expect(deadlock.error?.code == .error)
        }
    }

    @Test("A stream of changes has all states, through a restart of the coordinator")
    func stateChanges() async throws {
        try await withTestCluster(operations: sampleOperations) { test in
            let wait = try await test.cluster.queue().addOperation(Wait(gate: "changes"))
            let changes = wait.stateChanges
            let reader = Task {
                var states: [OperationState] = []
                for try await case .state(let state, _, _, _) in changes { states.append(state) }
                return states
            }
            await test.advance(by: .seconds(1))
            try await test.restartCoordinator()
            await test.advance(by: .seconds(200))
            #expect(wait.isExecuting && wait.attempt == 1)
            Wait.gate("changes").open()
            #expect(try await reader.value.last == .finished)
            #expect(try await wait.value == 1)
        }
    }

    @Test("A lost worker's operation has attempt 2 elsewhere")
    func lostWorker() async throws {
        try await withTestCluster(slots: 1, operations: sampleOperations) { test in
            let wait = try await test.cluster.queue().addOperation(Wait(gate: "lost"))
            await test.advance(by: .seconds(10))
            #expect(wait.worker == "w1")
            try await test.addWorker("w2", operations: sampleOperations)
            try await test.loseWorker("w1")
            await test.advance(by: .seconds(45))
            #expect(wait.worker == "w2" && wait.attempt == 2 && wait.isExecuting)
            Wait.gate("lost").open()
            await test.advance(by: .zero)
            #expect(try await wait.result == 2)
        }
    }

    @Test("A completion block runs, and progress is shown")
    func completion() async throws {
        try await withTestCluster(operations: sampleOperations) { test in
            let (ends, end) = AsyncStream<Bool>.makeStream()
            let wait = RemoteOperation(Wait(gate: "completion"))
            wait.completionBlock = { end.yield(wait.isFinished) }
            try await test.cluster.queue().addOperation(wait)
            await test.advance(by: .zero)
            #expect(wait.progress.fractionCompleted == 0.25)
            Wait.gate("completion").open()
            for await isFinished in ends {
                #expect(isFinished)
                break
            }
            #expect(wait.progress.fractionCompleted == 1)
        }
    }

    @Test("Requests that wait when the cluster ends throw, and so do later ones")
    func end() async throws {
        var waiting: Task<String, any Error>?
        var queue: DistributedOperationQueue?
        try await withTestCluster(slots: 0) { test in
            queue = test.cluster.queue()
            let echo = try await test.cluster.queue().addOperation(Echo(text: "never"))
            waiting = Task { try await echo.value }
            await test.advance(by: .seconds(1))
        }
        let value = try #require(waiting)
        await #expect(throws: ClusterError.self) { try await value.value }
        let late = try #require(queue)
        await #expect(throws: ClusterError.self) { try await late.addOperation(Echo(text: "late")) }
    }

    @Test("Two types of one name are refused")
    func types() async throws {
        await #expect(throws: ClusterError.self) {
            try await withTestCluster(operations: [Echo.self, Echo.self]) { _ in }
        }
    }

    @Test("10,000 additions of one program are done when the cluster is quiet")
    func many() async throws {
        try await withTestCluster(slots: 8, operations: sampleOperations) { test in
            let queue = test.cluster.queue()
            let operations = try Self.add(10_000, to: queue)
            await test.advance(by: .zero)
            #expect(operations.allSatisfy { $0.address != nil })
            #expect(try await queue.status().operationCount == 0)
            #expect(try await operations[9_999].value == "9999")
        }
    }

    private static func add(_ count: Int, to queue: DistributedOperationQueue) throws -> [RemoteOperation<Echo>] {
        try (0..<count).map { try queue.addOperation(Echo(text: "\($0)")) }
    }
}

extension DistributedOperationQueue {
    fileprivate func operationCountNow() async throws -> Int { try await status().operationCount }
}

/// Runs blocking code on a dispatch queue, so that no thread of Swift's pool is blocked.
private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
    }
}
