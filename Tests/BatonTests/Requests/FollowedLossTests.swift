@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Synchronization
import Testing

@_spi(Baton) @testable import Baton

@Suite("What a program hears late, twice or not at all")
struct FollowedLossTests {
    private let channel = FakeChannel()
    private let cluster: Cluster
    private let queue: DistributedOperationQueue

    init() {
        cluster = channel.makeCluster()
        queue = cluster.queue("q")
    }

    /// Answers the oldest watch with events.
    private func answer(_ lines: String..., last: UInt64, missed: UInt64 = 0) {
        #expect(channel.answerWatch(lines, last: last, missed: missed) != nil, "nobody watches")
    }

    /// Answers the oldest request for a document.
    private func answer(document text: String) {
        let reply = Reply.document(Array(text.utf8))
        let request = channel.answer(.success(reply)) { if case .document = $0 { true } else { false } }
        #expect(request != nil, "nobody asks for a document")
    }

    /// The documents that are asked for, oldest first.
    private var documents: [DocumentRequest] {
        channel.requests.compactMap { if case .document(let document) = $0 { document } else { nil } }
    }

    private func event(_ address: String, _ state: String, attempt: Int = 1, seq: Int, _ rest: String = "") -> String {
        #"{"seq":\#(seq),"event":"operation","operation":"\#(address)","state":"\#(state)","attempt":\#(attempt),"worker":"w"\#(rest)}"#
    }

    private func succeeded(_ address: String, seq: Int, _ rest: String = "") -> String {
        event(address, "finished", seq: seq, #","outcome":"succeeded"\#(rest)"#)
    }

    private func document(
        _ address: String,
        _ state: String,
        attempt: Int = 0,
        outcome: String = "null",
        _ rest: String = ""
    ) -> String {
        #"{"operation":"\#(address)","queue":"q","state":"\#(state)","outcome":\#(outcome),"priority":0,"attempt":\#(attempt)\#(rest)}"#
    }

    private func addAndAccept(_ operation: DistributedOperation) throws {
        try queue.addOperation(operation)
        while case .submit? = channel.requests.first { channel.accept() }
    }

    /// Looks at an added operation, which begins a watch, and answers the question for its present state.
    private func follow(_ operation: DistributedOperation, after last: UInt64 = 1) throws {
        #expect(!operation.isFinished)
        answer(last: last)
        let id = try #require(operation.numberInCluster)
        #expect(documents == [.operation(.operation(id))])
        answer(document: document("\(OperationAddress(id))", "ready"))
        #expect(channel.requests.count == 1)
    }

    @Test("L7 An older answer takes no attempt back that the program has heard of")
    func older() throws {
        let operation = DistributedOperation()
        try addAndAccept(operation)
        _ = operation.isFinished
        answer(last: 1)
        answer(event("1/0", "executing", attempt: 2, seq: 2), last: 2)
        answer(document: document("1/0", "ready", attempt: 1, #","cancelled":true"#))
        #expect(operation.isExecuting && operation.attempt == 2 && operation.worker == "w")
        #expect(operation.isCancelled, "what never goes back is taken over")
        // A newer one has its effect.
        answer(event("1/0", "ready", attempt: 2, seq: 3), last: 3)
        #expect(!operation.isExecuting && operation.attempt == 2)
    }

    @Test("L9 An operation that is looked up while its job is followed has not missed its end")
    func lookedUp() async throws {
        let job = JobNumber(5)
        var found: [DistributedOperation] = []
        // So many operations of a job are followed as the job.
        for index in 0..<17 {
            let lookup = Task { try await cluster.operation(OperationAddress(job: 5, index: index)) }
            while documents.isEmpty { await Task.yield() }
            answer(document: document("5/\(index)", "ready"))
            found.append(try await lookup.value)
        }
        for operation in found { #expect(!operation.isFinished) }
        answer(last: 1)
        while let wanted = documents.first {
            switch wanted {
            case .operation(.operation(let id)): answer(document: document("5/\(id.index)", "ready"))
            default: answer(document: page(of: 5, count: 18))
            }
        }
        let lookup = Task { try await cluster.operation(OperationAddress(job: 5, index: 17)) }
        while documents.isEmpty { await Task.yield() }
        // The end is told before the program has the object, and the answer about it is older.
        answer(succeeded("5/17", seq: 2), last: 2)
        answer(document: document("5/17", "executing", attempt: 1))
        let operation = try await lookup.value
        #expect(operation.isExecuting)
        let wait = Task { try await operation.waitUntilFinished() }
        while !operation.status.withLock(\.isAwaited) { await Task.yield() }
        let own = DocumentRequest.operation(.operation(OperationID(job: job, index: 17)))
        guard documents == [own] else {
            wait.cancel()
            Issue.record("Nobody asks for the end that was told before: \(channel.requests).")
            return
        }
        answer(document: document("5/17", "finished", attempt: 1, outcome: #""succeeded""#))
        #expect(try await wait.value == .succeeded)
    }

    private func page(of job: Int, count: Int) -> String {
        let operations = (0..<count).map { document("\(job)/\($0)", "ready") }.joined(separator: ",")
        let counts =
            #"{"pending":0,"ready":\#(count),"executing":0,"succeeded":0,"failed":0,"cancelled":0,"skipped":0,"notNeeded":0}"#
        return #"{"job":\#(job),"counts":\#(counts),"operations":[\#(operations)],"next":null}"#
    }

    @Test("OB10 Where events were missed, the present state is asked for")
    func missed() throws {
        let operation = DistributedOperation()
        try addAndAccept(operation)
        try follow(operation)
        answer(last: 900, missed: 800)
        #expect(documents == [.operation(.operation(OperationID(job: JobNumber(1), index: 0)))])
        answer(document: document("1/0", "executing", attempt: 3))
        #expect(operation.isExecuting && operation.attempt == 3)
    }

    @Test("CM1 The completion block runs once, after the end, however often it is told")
    func completion() async throws {
        let operation = CommandOperation("true")
        let calls = Mutex(0)
        let (called, continuation) = AsyncStream<Bool>.makeStream()
        operation.completionBlock = {
            calls.withLock { $0 += 1 }
            continuation.yield(operation.isFinished)
        }
        let other = DistributedOperation()
        other.completionBlock = { continuation.yield(other.isFinished) }
        try addAll([operation, other])
        channel.accept()
        answer(last: 1)
        answer(succeeded("1/0", seq: 2), succeeded("1/0", seq: 2), event("1/0", "executing", seq: 3), last: 3)
        var iterator = called.makeAsyncIterator()
        #expect(await iterator.next() == true)
        #expect(operation.isFinished && operation.exitStatus == 0 && operation.outcome == .succeeded)
        answer(succeeded("1/0", seq: 4), succeeded("1/1", seq: 5), last: 5)
        #expect(await iterator.next() == true)
        #expect(other.isFinished)
        #expect(calls.withLock { $0 } == 1)
    }

    private func addAll(_ operations: [DistributedOperation]) throws {
        try queue.addOperations(operations, waitUntilFinished: false)
    }

    @Test("L9 An operation that somebody waits for stays until its end, and no longer")
    func memory() throws {
        weak var watched: DistributedOperation?
        weak var unwatched: DistributedOperation?
        do {
            let (first, second) = (DistributedOperation(), DistributedOperation())
            (watched, unwatched) = (first, second)
            first.completionBlock = {}
            try addAll([first, second])
            channel.accept()
        }
        #expect(watched != nil && unwatched == nil)
        answer(last: 1)
        answer(succeeded("1/0", seq: 2), last: 2)
        #expect(watched == nil)
        #expect(cluster.registry.all.isEmpty && cluster.registry.count(of: JobNumber(1)) == 0)
    }

    @Test("L9 A wait that the loss of the coordinator ended, and a removed completion block, keep nothing in memory")
    func notKept() async throws {
        weak var waited: DistributedOperation?
        weak var released: DistributedOperation?
        do {
            let (first, second) = (DistributedOperation(), DistributedOperation())
            (waited, released) = (first, second)
            second.completionBlock = {}
            try addAll([first, second])
            channel.accept()
            second.completionBlock = nil
            let wait = Task { try await first.waitUntilFinished() }
            while !first.status.withLock(\.isAwaited) { await Task.yield() }
            channel.answer(.failure(.lost(channel.endpoint, after: .seconds(60))))
            await #expect(throws: ClusterError.self) { try await wait.value }
        }
        // The task lets the operation go a moment after its value is there.
        while waited != nil { await Task.yield() }
        #expect(released == nil)
    }

    @Test("An event about several elements is about each of them")
    func elements() throws {
        let operations = (0..<4).map { _ in DistributedOperation() }
        try addAll(operations)
        channel.accept()
        for operation in operations { #expect(!operation.isFinished) }
        answer(last: 1)
        answer(succeeded("1/1", seq: 4, #","count":2"#), last: 5)
        #expect(operations.map(\.isFinished) == [false, true, true, false])
    }

    @Test("L11 With the loss of the coordinator the waits end, and a later look follows the operation again")
    func lost() async throws {
        let operation = DistributedOperation()
        try addAndAccept(operation)
        try follow(operation)
        let wait = Task { try await operation.waitUntilFinished() }
        while !operation.status.withLock(\.isAwaited) { await Task.yield() }
        channel.answer(.failure(.lost(channel.endpoint, after: .seconds(60))))
        let error = await #expect(throws: ClusterError.self) { try await wait.value }
        #expect(error?.code == .lost && channel.requests.isEmpty)
        try follow(operation, after: 20)
        answer(succeeded("1/0", seq: 21), last: 21)
        #expect(operation.isFinished)
    }

    @Test("A malformed event ends the waits with a fault, and does not count as heard")
    func malformed() async throws {
        let operation = DistributedOperation()
        try addAndAccept(operation)
        try follow(operation)
        let wait = Task { try await operation.waitUntilFinished() }
        while !operation.status.withLock(\.isAwaited) { await Task.yield() }
        answer(#"{"seq":"2","event":"operation"}"#, last: 2)
        let error = await #expect(throws: ClusterError.self) { try await wait.value }
        #expect(error?.code == .fault && !operation.isFinished)
    }
}
