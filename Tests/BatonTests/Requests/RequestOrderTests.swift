import Synchronization
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import Baton

@Suite("Answers that come late, or say no")
struct RequestOrderTests {
    private let channel = FakeChannel()
    private let cluster: Cluster
    private let queue: DistributedOperationQueue

    init() {
        cluster = channel.makeCluster()
        queue = cluster.queue("q")
    }

    /// Adds an operation without waiting; asynchronous code gets the waiting form otherwise.
    private func add(_ operation: DistributedOperation) throws { try queue.addOperation(operation) }

    /// Adds an operation, which becomes the only one of the next job.
    private func addAndAccept(_ operation: DistributedOperation) throws {
        try add(operation)
        channel.accept()
    }

    private func cancelAll() { queue.cancelAllOperations() }

    private func id(_ job: UInt32, _ index: UInt32 = 0) -> OperationID {
        OperationID(job: JobNumber(job), index: index)
    }

    private func loseOldest() { channel.answer(.failure(.lost(channel.endpoint, after: .seconds(60)))) }

    @Test("L3 A dependency waits for the answers before it, and lets nothing pass before its own")
    func exclusive() throws {
        let (first, second) = (DistributedOperation(), DistributedOperation())
        try addAndAccept(first)
        try addAndAccept(second)
        first.queuePriority = .high
        cancelAll()
        second.addDependency(first, requiring: .failure)
        second.queuePriority = .low
        #expect(channel.requests == [.setPriority([.operation(id(1))], .high), .cancel([], queue: "q")])
        channel.accept()
        #expect(channel.requests.count == 1, "another answer is due")
        channel.accept()
        let edge = ExistingDependency(on: .operation(id(1)), condition: .failure)
        #expect(channel.requests == [.depend(.operation(id(2)), [edge])])
        channel.accept()
        #expect(channel.requests == [.setPriority([.operation(id(2))], .low)])
        second.removeDependency(first)
        #expect(channel.requests.count == 1)
        channel.accept()
        #expect(channel.requests == [.undepend(.operation(id(2)), [.operation(id(1))])])
        channel.accept()
        #expect(channel.requests.isEmpty)
    }

    @Test("L3 A flush returns after the last answer to what was asked before it, whatever is asked after it")
    func flush() throws {
        let (first, second) = (DistributedOperation(), DistributedOperation())
        try add(first)
        first.cancel()
        let isPassed = Passed()
        cluster.line.append(.point { _ in isPassed.note() })
        try add(second)
        channel.accept()
        #expect(channel.requests == [.cancel([.operation(id(1))], queue: nil)])
        #expect(!isPassed.isNoted)
        channel.accept()
        #expect(isPassed.isNoted && second.address == nil)
        #expect(channel.submissions.count == 1, "what comes after the point goes on")
        channel.accept()
        #expect(second.address == OperationAddress(job: 2, index: 0))
    }

    @Test("L4 The first of several refusals is kept, thrown once, and awaited ones are not kept")
    func kept() async throws {
        let operation = DistributedOperation()
        try addAndAccept(operation)
        operation.queuePriority = .high
        queue.maxConcurrentOperationCount = -7
        cancelAll()
        let awaited = Task { try await operation.set(queuePriority: .low) }
        while channel.requests.count < 3 { await Task.yield() }
        channel.refuse(.notAllowed)
        channel.refuse(.storage)
        channel.refuse(.fault)
        let own = await #expect(throws: ClusterError.self) { try await awaited.value }
        #expect(own?.code == .fault)
        // The bad limit never left the program, and so was refused first.
        let error = await #expect(throws: ClusterError.self) { try await cluster.flush() }
        #expect(error?.code == .invalid)
        try await cluster.flush()
        operation.queuePriority = .high
        channel.refuse(.notAllowed)
        let next = await #expect(throws: ClusterError.self) { try await queue.waitUntilAllOperationsAreFinished() }
        #expect(next?.code == .notAllowed && channel.requests.isEmpty, "the wait asks nothing after a refusal")
    }

    @Test("CO4 A change of a queue that nobody has used is none, and of an operation that is gone a refusal")
    func absence() throws {
        queue.isSuspended = false
        cancelAll()
        channel.refuse(.notFound)
        channel.refuse(.notFound)
        try cluster.line.throwFailure()
        let operation = DistributedOperation()
        try addAndAccept(operation)
        operation.cancel()
        channel.refuse(.notFound)
        let error = #expect(throws: ClusterError.self) { try cluster.line.throwFailure() }
        #expect(error?.code == .notFound)
    }

    @Test(
        "L4 L5 L11 Additions that are lost with the coordinator stay together, unfinished, and are not sent in halves"
    )
    func lost() async throws {
        let operations = (0..<5).map { _ in DistributedOperation() }
        for operation in operations { try add(operation) }
        loseOldest()
        #expect(channel.requests.isEmpty)
        let flush = Task { try await cluster.flush() }
        while channel.submissions.isEmpty { await Task.yield() }
        channel.accept()
        #expect(channel.submissions.map(\.entries.count) == [4])
        loseOldest()
        #expect(channel.requests.isEmpty)
        let error = await #expect(throws: ClusterError.self) { try await flush.value }
        #expect(error?.code == .lost)
        let rest = operations.dropFirst()
        #expect(operations[0].address != nil)
        #expect(rest.allSatisfy { $0.outcome == nil && $0.error == nil && $0.address == nil })
    }

    @Test("L4 QU4 A group that is refused is not taken apart, and gives its objects back")
    func group() async throws {
        let operations = (0..<4).map { DistributedOperation().named("o\($0)") }
        let addition = Task { try await queue.addOperations(operations) }
        while channel.requests.isEmpty { await Task.yield() }
        channel.refuse(.invalid)
        let error = await #expect(throws: ClusterError.self) { try await addition.value }
        #expect(error?.code == .invalid && channel.requests.isEmpty)
        #expect(operations.allSatisfy { $0.queue == nil && !$0.isFinished })
        try cluster.line.throwFailure()
        let again = Task { try await queue.addOperations(operations) }
        while channel.requests.isEmpty { await Task.yield() }
        channel.accept()
        #expect(try await again.value.number == 1)
        #expect(operations.map(\.address?.index) == [0, 1, 2, 3])
    }

    @Test("L14 What is beyond the limit is refused where nobody waits, and waits for room otherwise")
    func room() async throws {
        var options = Cluster.Options()
        options.maximumUnsent = 4
        let cluster = Cluster(channel: channel, streams: { [channel] in channel }, options: options)
        let queue = cluster.queue("q")
        func add(_ operation: DistributedOperation) throws { try queue.addOperation(operation) }
        func addAll(_ operations: [DistributedOperation]) throws {
            try queue.addOperations(operations, waitUntilFinished: false)
        }
        // A group that is larger than the limit goes alone.
        let large = (0..<9).map { _ in DistributedOperation() }
        try addAll(large)
        let refused = DistributedOperation()
        let error = #expect(throws: ClusterError.self) { try add(refused) }
        #expect(error?.code == .overloaded && refused.queue == nil)
        #expect(throws: ClusterError.self) { try addAll([refused, DistributedOperation()]) }
        #expect(refused.queue == nil)
        let waiting = DistributedOperation()
        let addition = Task { try await queue.addOperation(waiting) }
        let cancelled = Task { try await queue.addOperation(DistributedOperation()) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(channel.submissions.map(\.entries.count) == [9])
        channel.accept()
        while channel.requests.isEmpty { await Task.yield() }
        #expect(channel.submissions.map(\.entries.count) == [1])
        channel.accept()
        try await addition.value
        #expect(waiting.address == OperationAddress(job: 2, index: 0))
        try add(refused)
    }

    @Test("L4 A closed cluster takes no operation, and answers what it had taken")
    func close() async throws {
        let (before, after) = (DistributedOperation(), DistributedOperation())
        try add(before)
        let close = Task { try await cluster.close() }
        // The cluster is closed as soon as an addition throws.
        var error: ClusterError?
        while error == nil {
            do {
                try add(DistributedOperation())
                await Task.yield()
            } catch let thrown as ClusterError {
                error = thrown
            }
        }
        #expect(error?.code == .closed)
        #expect(throws: ClusterError.self) { try add(after) }
        #expect(after.queue == nil)
        while !channel.requests.isEmpty { channel.accept() }
        try await close.value
        #expect(before.address != nil)
        let awaited = await #expect(throws: ClusterError.self) { try await queue.addOperation(after) }
        #expect(awaited?.code == .closed)
        try await cluster.close()
    }

    @Test("L6 Of halves, the first waits for the addition of the second")
    func halves() throws {
        let (first, bad) = (DistributedOperation().named("first"), DistributedOperation().named("bad"))
        let (target, last) = (DistributedOperation().named("target"), DistributedOperation().named("last"))
        first.addDependency(target, requiring: .success)
        try add(DistributedOperation())
        for operation in [first, bad, target, last] { try add(operation) }
        channel.accept()
        #expect(channel.submissions.first.map { Array($0.entries[0].dependencies).count } == 1)
        channel.refuse(.invalid)
        #expect(channel.submissions.map { $0.entries.map(\.name) } == [["first", "bad"]])
        #expect(channel.submissions.first?.entries.map(\.isHeld) == [true, false])
        channel.refuse(.invalid)
        channel.accept()
        #expect(first.address != nil)
        channel.refuse(.invalid)
        #expect(bad.isFinished && channel.submissions.map { $0.entries.map(\.name) } == [["target", "last"]])
        channel.accept()
        let target0 = try #require(target.numberInCluster)
        let first0 = try #require(first.numberInCluster)
        let edge = ExistingDependency(on: .operation(target0), condition: .success)
        #expect(channel.requests == [.depend(.operation(first0), [edge])])
        channel.accept()
        #expect(channel.requests == [.release([.operation(first0)])])
    }

    @Test("L6 DE13 Without its last missing dependency, an operation is released at once")
    func removed() throws {
        let (operation, absent) = (DistributedOperation(), DistributedOperation())
        operation.addDependency(absent)
        try addAndAccept(operation)
        operation.removeDependency(absent)
        #expect(channel.requests == [.release([.operation(id(1))])])
        channel.accept()
        try addAndAccept(absent)
        #expect(channel.requests.isEmpty)
    }

    @Test("L6 A dependency that becomes missing while its target's addition is refused leaves nothing behind")
    func withdrawn() async throws {
        let (operation, target) = (DistributedOperation(), DistributedOperation())
        operation.addDependency(target)
        try addAndAccept(operation)
        let addition = Task { try await queue.addOperation(target) }
        while channel.requests.isEmpty { await Task.yield() }
        channel.refuse(.invalid)
        await #expect(throws: ClusterError.self) { try await addition.value }
        #expect(channel.requests.isEmpty && cluster.missing.missing(for: operation) == [target])
        // Added again, it is what was waited for.
        try addAndAccept(target)
        #expect(
            channel.requests == [
                .depend(.operation(id(1)), [ExistingDependency(on: .operation(id(2)), condition: .any)])
            ]
        )
    }
}

/// Whether a point has been passed, for any thread.
private final class Passed: Sendable {
    private let state = Mutex(false)

    func note() { state.withLock { $0 = true } }
    var isNoted: Bool { state.withLock { $0 } }
}
