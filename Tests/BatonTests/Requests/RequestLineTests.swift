@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import Baton

@Suite("The order of requests")
struct RequestLineTests {
    private let channel = FakeChannel()
    private let cluster: Cluster
    private let queue: DistributedOperationQueue

    init() {
        cluster = channel.makeCluster()
        queue = cluster.queue("q")
    }

    /// Adds an operation without waiting; asynchronous code gets the waiting form otherwise.
    private func add(_ operation: DistributedOperation) throws { try queue.addOperation(operation) }

    private func addGroup(_ operations: [DistributedOperation]) throws {
        try queue.addOperations(operations, waitUntilFinished: false)
    }

    @Test("L5 The first addition goes at once, and those that come meanwhile go together, in their order")
    func collecting() throws {
        let operations = (0..<6).map { DistributedOperation().named("o\($0)") }
        for operation in operations { try add(operation) }
        #expect(channel.submissions.map(\.entries.count) == [1])
        #expect(operations.allSatisfy { $0.address == nil && $0.queue === queue })
        channel.accept()
        #expect(channel.submissions.map { $0.entries.map(\.name) } == [["o1", "o2", "o3", "o4", "o5"]])
        channel.accept()
        #expect(operations.map(\.address?.description) == ["1/0", "2/0", "2/1", "2/2", "2/3", "2/4"])
        #expect(channel.requests.isEmpty)
    }

    @Test("L5 Operations with equal names, and groups, have submissions of their own")
    func boundaries() throws {
        try add(DistributedOperation())
        try add(DistributedOperation().named("a"))
        try add(DistributedOperation())
        try add(DistributedOperation().named("a"))
        try addGroup([DistributedOperation(), DistributedOperation()])
        try add(DistributedOperation())
        var sizes: [Int] = []
        while case .submit(let submission)? = channel.accept() { sizes.append(submission.entries.count) }
        #expect(sizes == [1, 2, 1, 2, 1])
    }

    @Test("L3 A change waits for the additions before it, and later additions wait for nothing but the submission")
    func changes() throws {
        let (first, second) = (DistributedOperation(), DistributedOperation())
        queue.isSuspended = true
        try add(first)
        first.queuePriority = .high
        queue.cancelAllOperations()
        try add(second)
        // The suspension and the addition are on their way together; the rest needs the answer to the addition.
        #expect(channel.requests.count == 2)
        #expect(channel.accept() == .setQueue(QueueChange(name: "q", isSuspended: true)))
        guard case .submit? = channel.accept() else {
            Issue.record("The addition was not sent.")
            return
        }
        #expect(channel.requests.count == 3)
        #expect(channel.accept() == .setPriority([.operation(OperationID(job: JobNumber(1), index: 0))], .high))
        #expect(channel.accept() == .cancel([], queue: "q"))
        #expect(channel.submissions.count == 1)
        channel.accept()
        #expect(second.address?.description == "2/0" && !second.isCancelled && first.isCancelled)
    }

    @Test("CA12 PR6 What changes before an operation is sent is part of its submission")
    func early() throws {
        try add(DistributedOperation())
        let (operation, other) = (DistributedOperation(), DistributedOperation())
        try add(operation)
        try add(other)
        operation.queuePriority = .low
        operation.hold()
        other.addDependency(operation, requiring: .success)
        other.cancel()
        channel.accept()
        let entries = try #require(channel.submissions.first).entries
        #expect(entries[0].priority == .low && entries[0].isHeld && !entries[0].isCancelled)
        #expect(entries[1].isCancelled)
        #expect(Array(entries[1].dependencies) == [Dependency(on: .entry(0), condition: .success)])
        channel.accept()
        #expect(channel.requests.isEmpty)
    }

    @Test("L5 Of additions that are refused together, each succeeds or fails alone", arguments: [1, 2, 5, 8, 13])
    func halves(_ bad: Int) throws {
        let operations = (0..<13).map { DistributedOperation().named("o\($0 + 1)") }
        try add(DistributedOperation())
        for operation in operations { try add(operation) }
        channel.accept()
        var requests = 0
        while let submission = channel.submissions.first {
            requests += 1
            let isBad = submission.entries.contains { $0.name == "o\(bad)" }
            if isBad { channel.refuse(.invalid) } else { channel.accept() }
        }
        #expect(requests <= 2 * 4 + 1, "halves need few requests")
        for (number, operation) in operations.enumerated() {
            #expect(operation.isFinished == (number + 1 == bad) && (operation.address == nil) == (number + 1 == bad))
        }
        #expect(operations[bad - 1].error?.code == .refused)
        #expect(throws: ClusterError.self) { try cluster.line.throwFailure() }
        try cluster.line.throwFailure()
    }

    @Test("L4 A record that takes nothing fails all additions at once")
    func storage() throws {
        let operations = (0..<5).map { _ in DistributedOperation() }
        try add(DistributedOperation())
        for operation in operations { try add(operation) }
        channel.accept()
        channel.refuse(.storage)
        #expect(channel.requests.isEmpty)
        #expect(operations.allSatisfy { $0.error?.code == .refused })
    }

    @Test(
        "L6 An operation is held until what it depends on has been added, and gets the dependencies before its release"
    )
    func missing() throws {
        let (early, late) = (DistributedOperation(), DistributedOperation())
        early.addDependency(late, requiring: .success)
        try add(early)
        #expect(channel.submissions.first?.entries.first?.isHeld == true)
        channel.accept()
        try add(late)
        channel.accept()
        let (first, second) = (OperationID(job: JobNumber(1), index: 0), OperationID(job: JobNumber(2), index: 0))
        let edge = ExistingDependency(on: .operation(second), condition: .success)
        #expect(channel.requests == [.depend(.operation(first), [edge])])
        channel.accept()
        #expect(channel.requests == [.release([.operation(first)])])
        channel.accept()
        #expect(channel.requests.isEmpty)
    }

    @Test("L6 An operation whose new dependency is refused stays held, and so does an operation that the program holds")
    func missingRefused() throws {
        let (early, late) = (DistributedOperation(), DistributedOperation())
        early.addDependency(late)
        try add(early)
        channel.accept()
        try add(late)
        channel.accept()
        channel.refuse(.cycle)
        #expect(channel.requests.isEmpty)
        #expect(throws: ClusterError.self) { try cluster.line.throwFailure() }

        let held = DistributedOperation(options: OperationOptions(isHeld: true))
        let target = DistributedOperation()
        held.addDependency(target)
        try add(held)
        channel.accept()
        try add(target)
        channel.accept()
        channel.accept()
        #expect(channel.requests.isEmpty)
    }

    @Test("L4 L6 An operation that waits for an addition is cancelled when that addition is refused, and says why")
    func refusedAddition() throws {
        let (early, late) = (DistributedOperation(), DistributedOperation().named("late"))
        let (other, end) = (DistributedOperation(), DistributedOperation())
        early.addDependency(late, requiring: .success)
        early.addDependency(other)
        end.addDependency(early)
        try add(early)
        channel.accept()
        try add(end)
        channel.accept()
        try add(late)
        channel.refuse(.invalid)
        let id = OperationID(job: JobNumber(1), index: 0)
        #expect(channel.requests == [.cancel([.operation(id)], queue: nil)])
        channel.accept()
        // The rest of what the operation waited for changes nothing any more.
        try add(other)
        channel.accept()
        #expect(channel.requests.isEmpty)
        #expect(!early.apply(.state(.finished, outcome: .cancelled, attempt: 0, worker: nil)))
        #expect(early.isCancelled && early.outcome == .cancelled && early.error?.code == .cancelled)
        #expect(early.error?.message == "It was cancelled because \"late\", which it depends on, was refused: No.")
        let error = #expect(throws: ClusterError.self) { try cluster.line.throwFailure() }
        #expect(error?.code == .invalid)
    }

    @Test("L4 L6 After the refusal of an awaited addition, an operation waits on: the object can be added again")
    func refusedAwaitedAddition() async throws {
        let (early, late) = (DistributedOperation(), DistributedOperation())
        early.addDependency(late)
        try add(early)
        channel.accept()
        let addition = Task { try await queue.addOperation(late) }
        while channel.requests.isEmpty { await Task.yield() }
        channel.refuse(.invalid)
        await #expect(throws: ClusterError.self) { try await addition.value }
        #expect(channel.requests.isEmpty)
        try add(late)
        channel.accept()
        guard case .depend? = channel.accept() else {
            Issue.record("The dependency was not made.")
            return
        }
        #expect(channel.requests == [.release([.operation(OperationID(job: JobNumber(1), index: 0))])])
    }

    @Test("L6 An operation is also cancelled when the addition was refused through another cluster object")
    func refusedElsewhere() throws {
        let other = channel.makeCluster()
        let (early, late) = (DistributedOperation(), DistributedOperation())
        early.addDependency(late)
        try add(early)
        channel.accept()
        func addElsewhere(_ operation: DistributedOperation) throws { try other.queue("r").addOperation(operation) }
        try addElsewhere(late)
        channel.refuse(.invalid)
        let id = OperationID(job: JobNumber(1), index: 0)
        #expect(channel.requests == [.cancel([.operation(id)], queue: nil)])
        #expect(throws: ClusterError.self) { try other.line.throwFailure() }
    }

    @Test("DE11 An operation with two conditions is one of the dependencies, as it is for Foundation")
    func twoConditions() {
        let (operation, first, second) = (DistributedOperation(), DistributedOperation(), DistributedOperation())
        operation.addDependency(first)
        operation.addDependency(second)
        operation.addDependency(first, requiring: .success)
        #expect(operation.dependencies == [first, second])
        operation.removeDependency(first)
        #expect(operation.dependencies == [second])
    }

    @Test("L12 A cancelled task stops waiting for its addition, which goes on")
    func cancelledAddition() async throws {
        let operation = DistributedOperation()
        let addition = Task { try await queue.addOperation(operation) }
        while channel.requests.isEmpty { await Task.yield() }
        addition.cancel()
        await #expect(throws: CancellationError.self) { try await addition.value }
        channel.accept()
        #expect(operation.address?.description == "1/0")
    }

    @Test("L4 A wait for an operation ends when its awaited addition is refused")
    func refusedWait() async throws {
        let operation = DistributedOperation()
        let addition = Task { try await queue.addOperation(operation) }
        while channel.requests.isEmpty { await Task.yield() }
        let wait = Task { try await operation.waitUntilFinished() }
        channel.refuse(.invalid)
        await #expect(throws: ClusterError.self) { try await addition.value }
        let error = await #expect(throws: ClusterError.self) { try await wait.value }
        #expect(error?.code == .notAdded && operation.queue == nil)
    }

    @Test("L3 L6 A release that comes after a dependency on a later addition does not let the operation start")
    func releaseAfterDependency() throws {
        let (operation, later) = (DistributedOperation(options: OperationOptions(isHeld: true)), DistributedOperation())
        try add(operation)
        channel.accept()
        let id = OperationID(job: JobNumber(1), index: 0)
        // A change that is on its way keeps the line busy.
        operation.queuePriority = .high
        operation.addDependency(later)
        operation.release()
        channel.accept()
        #expect(channel.requests == [.hold([.operation(id)])])
        channel.accept()
        #expect(channel.requests.isEmpty)
        try add(later)
        channel.accept()
        guard case .depend? = channel.accept() else {
            Issue.record("The dependency was not made.")
            return
        }
        #expect(channel.requests == [.release([.operation(id)])])
    }

    @Test("L6 A dependency may be added through another cluster object, and not through another coordinator")
    func otherClusters() throws {
        let other = channel.makeCluster()
        let (early, late) = (DistributedOperation(), DistributedOperation())
        early.addDependency(late)
        try add(early)
        channel.accept()
        func addElsewhere(_ operation: DistributedOperation) throws { try other.queue("r").addOperation(operation) }
        try addElsewhere(late)
        channel.accept()
        let (first, second) = (OperationID(job: JobNumber(1), index: 0), OperationID(job: JobNumber(2), index: 0))
        #expect(
            channel.requests == [
                .depend(.operation(first), [ExistingDependency(on: .operation(second), condition: .any)])
            ]
        )
    }

    @Test("L4 A barrier that is refused is an operation as before")
    func refusedBarrier() async throws {
        let operation = DistributedOperation()
        let addition = Task { try await queue.addBarrierOperation(operation) }
        while channel.requests.isEmpty { await Task.yield() }
        #expect(operation.isBarrier)
        channel.refuse(.invalid)
        await #expect(throws: ClusterError.self) { try await addition.value }
        #expect(!operation.isBarrier)
    }
}
