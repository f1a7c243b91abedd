@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import Baton

@Suite("Additions whose answers did not come")
struct UnansweredAdditionTests {
    private let channel = FakeChannel()
    private let cluster: Cluster
    private let queue: DistributedOperationQueue

    init() {
        cluster = channel.makeCluster()
        queue = cluster.queue("q")
    }

    private func add(_ operation: DistributedOperation, to other: DistributedOperationQueue? = nil) throws {
        try (other ?? queue).addOperation(operation)
    }

    /// Cancels without waiting; asynchronous code gets the waiting form otherwise.
    private func cancel(_ operation: DistributedOperation) { operation.cancel() }

    /// Answers the oldest request with the loss of the coordinator.
    private func lose(mayBeDone: Bool = true) {
        var error = ClientError.lost(channel.endpoint, after: .seconds(60))
        error.mayBeDone = mayBeDone
        channel.answer(.failure(error))
    }

    /// Starts a call, and returns when its request has been sent.
    private func begin<Value: Sendable>(
        _ call: @escaping @Sendable () async throws -> Value
    ) async -> Task<Value, any Error> {
        let count = channel.requests.count
        let task = Task { try await call() }
        while channel.requests.count == count { await Task.yield() }
        return task
    }

    @Test("L4 An awaited addition that was lost is repeated under its key, and answered with the job of the first")
    func awaited() async throws {
        let operation = DistributedOperation().named("a")
        let first = await begin { [queue] in try await queue.addOperation(operation) }
        let sent = try #require(channel.submissions.first)
        lose()
        let error = await #expect(throws: ClusterError.self) { try await first.value }
        #expect(error?.code == .lost && error?.message.contains(sent.key ?? "no key") == true)
        #expect(operation.queue == nil && !operation.isFinished && operation.address == nil)
        let wait = await #expect(throws: ClusterError.self) { try await operation.waitUntilFinished() }
        #expect(wait?.code == .uncertain)

        // The object's addition elsewhere, or as something else, is another one.
        let other = cluster.queue("other")
        #expect(throws: ClusterError.self) { try add(operation, to: other) }
        let group = await #expect(throws: ClusterError.self) { try await queue.addOperations([operation]) }
        #expect(group?.code == .uncertain)
        await #expect(throws: ClusterError.self) { try await queue.addBarrierOperation(operation) }
        #expect(channel.requests.isEmpty)

        operation.queuePriority = .high
        let second = await begin { [queue] in try await queue.addOperation(operation) }
        #expect(channel.submissions == [sent])
        channel.accept()
        try await second.value
        #expect(operation.address?.description == "1/0")
        #expect(channel.requests.contains(.setPriority([.operation(OperationID(job: JobNumber(1), index: 0))], .high)))
    }

    @Test("L4 A request that never went out leaves its objects as they were")
    func unsent() async throws {
        let operation = DistributedOperation()
        let first = await begin { [queue] in try await queue.addOperation(operation) }
        lose(mayBeDone: false)
        await #expect(throws: ClusterError.self) { try await first.value }
        try add(operation, to: cluster.queue("other"))
        #expect(channel.submissions.first?.queueNames == ["other"])
    }

    @Test("L4 A group is repeated as it was, in its order, and as nothing else")
    func group() async throws {
        let operations = (0..<4).map { DistributedOperation().named("o\($0)") }
        operations[3].addDependency(operations[0])
        let first = await begin { [queue] in try await queue.addOperations(operations) }
        let sent = try #require(channel.submissions.first)
        lose()
        await #expect(throws: ClusterError.self) { try await first.value }
        let compositions = [
            Array(operations.dropLast()), operations.reversed(), operations + [DistributedOperation()],
            [DistributedOperation()] + operations, [operations[1]],
        ]
        for composition in compositions {
            let error = await #expect(throws: ClusterError.self) { try await queue.addOperations(composition) }
            #expect(error?.code == .uncertain)
        }
        #expect(throws: ClusterError.self) { try add(operations[2]) }
        let named = await #expect(throws: ClusterError.self) {
            try await queue.addOperations(name: "other") { operations }
        }
        #expect(named?.code == .uncertain && channel.requests.isEmpty)
        // A second loss changes nothing.
        let second = await begin { [queue] in try await queue.addOperations(operations) }
        lose(mayBeDone: false)
        await #expect(throws: ClusterError.self) { try await second.value }
        try await operations[2].cancel()
        let third = await begin { [queue] in try await queue.addOperations(operations) }
        #expect(channel.submissions == [sent])
        channel.accept()
        #expect(try await third.value.number == 1)
        #expect(operations.map(\.address?.description) == ["1/0", "1/1", "1/2", "1/3"])
        #expect(channel.requests == [.cancel([.operation(OperationID(job: JobNumber(1), index: 2))], queue: nil)])
    }

    @Test("L4 L5 Of additions that went together, each is repeated alone, and the request is sent once more at most")
    func collected() async throws {
        try add(DistributedOperation())
        let operations = (0..<3).map { DistributedOperation().named("o\($0)") }
        var tasks: [Task<Void, any Error>] = []
        for operation in operations {
            tasks.append(Task { [queue] in try await queue.addOperation(operation) })
            while operation.queue == nil { await Task.yield() }
        }
        channel.accept()
        let sent = try #require(channel.submissions.first)
        #expect(sent.entries.count == 3)
        lose()
        for task in tasks { await #expect(throws: ClusterError.self) { try await task.value } }
        let last = await begin { [queue] in try await queue.addOperation(operations[2]) }
        #expect(channel.submissions == [sent])
        channel.accept()
        try await last.value
        try await queue.addOperation(operations[0])
        #expect(channel.requests.isEmpty)
        #expect(operations.map(\.address?.description) == ["2/0", nil, "2/2"])
        #expect(throws: ClusterError.self) { try add(operations[0]) }
    }

    @Test("L4 A repetition whose refusal shows that nothing was made leaves its objects as they were")
    func refusedRepetition() async throws {
        let operation = DistributedOperation()
        let first = await begin { [queue] in try await queue.addOperations([operation]) }
        let sent = try #require(channel.submissions.first)
        lose()
        await #expect(throws: ClusterError.self) { try await first.value }
        // A full disk shows nothing.
        let second = await begin { [queue] in try await queue.addOperations([operation]) }
        channel.refuse(.storage)
        await #expect(throws: ClusterError.self) { try await second.value }
        let third = await begin { [queue] in try await queue.addOperations([operation]) }
        #expect(channel.submissions == [sent])
        channel.refuse(.invalid)
        await #expect(throws: ClusterError.self) { try await third.value }
        try add(operation)
        #expect(channel.submissions.first?.key != sent.key)
    }

    @Test("L12 After a cancelled call, the same call is answered with the job of the first")
    func cancelled() async throws {
        let operations = [DistributedOperation(), DistributedOperation()]
        let first = await begin { [queue] in try await queue.addOperations(operations) }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let other = await #expect(throws: ClusterError.self) {
            try await queue.addOperations(operations.reversed())
        }
        #expect(other?.code == .alreadyAdded)
        let second = Task { [queue] in try await queue.addOperations(operations) }
        channel.accept()
        #expect(try await second.value.number == 1)
        #expect(channel.requests.isEmpty && operations[1].address?.description == "1/1")
        let third = await #expect(throws: ClusterError.self) { try await queue.addOperations(operations) }
        #expect(third?.code == .alreadyAdded)
    }

    @Test("L4 What nobody awaits and nobody has answered is not finished, and is asked for again by the next flush")
    func unawaited() async throws {
        let (operation, dependent) = (DistributedOperation().named("a"), DistributedOperation().named("b"))
        dependent.addDependency(operation)
        try add(operation)
        try add(dependent)
        cancel(dependent)
        let sent = try #require(channel.submissions.first)
        lose()
        let flush = await begin { [cluster] in try await cluster.flush() }
        #expect(channel.submissions == [sent])
        lose()
        let error = await #expect(throws: ClusterError.self) { try await flush.value }
        #expect(error?.code == .lost)
        #expect(
            !operation.isFinished && operation.outcome == nil && operation.error == nil && operation.queue === queue
        )
        #expect(!dependent.isFinished && channel.requests.isEmpty)
        let again = await begin { [cluster] in try await cluster.flush() }
        #expect(channel.submissions == [sent])
        accept(asJob: 1)
        let rest = try #require(channel.submissions.first)
        #expect(rest.entries.map(\.name) == ["b"] && rest.entries[0].isCancelled)
        accept(asJob: 2)
        try await again.value
        #expect((operation.address?.description, dependent.address?.description) == ("1/0", "2/0"))
    }

    /// Accepts the oldest submission; there may be questions about operations before it.
    private func accept(asJob number: UInt32) {
        let job = Reply.job(JobNumber(number), operations: 1, isNew: true)
        channel.answer(.success(job)) { if case .submit = $0 { true } else { false } }
    }

    @Test("L3 L4 A later addition or change asks again, and everything stays in its order")
    func order() throws {
        let (first, second) = (DistributedOperation(), DistributedOperation())
        try add(first)
        let sent = try #require(channel.submissions.first)
        lose()
        try add(second)
        #expect(channel.submissions == [sent])
        lose()
        first.queuePriority = .low
        #expect(channel.submissions == [sent])
        channel.accept()
        channel.accept()
        #expect(second.address?.description == "2/0")
        #expect(channel.requests == [.setPriority([.operation(OperationID(job: JobNumber(1), index: 0))], .low)])
    }

    @Test("L4 close gives the objects back, and another cluster object repeats their addition")
    func close() async throws {
        let operations = [DistributedOperation(), DistributedOperation()]
        try addGroup(operations)
        let sent = try #require(channel.submissions.first)
        lose()
        let closing = await begin { [cluster] in try await cluster.close() }
        lose()
        let error = await #expect(throws: ClusterError.self) { try await closing.value }
        #expect(error?.code == .lost && operations.allSatisfy { $0.queue == nil && !$0.isFinished })
        let other = channel.makeCluster().queue("q")
        let again = await begin { try await other.addOperations(operations) }
        #expect(channel.submissions == [sent])
        channel.accept()
        #expect(try await again.value.number == 1)
    }

    private func addGroup(_ operations: [DistributedOperation]) throws {
        try queue.addOperations(operations, waitUntilFinished: false)
    }
}
