@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
import Dispatch
import Foundation
import Synchronization
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import Baton
@_spi(Baton) @testable import BatonWorker

@Suite("What a Swift operation sees while it runs", .timeLimit(.minutes(60)))
struct ContextTests {
    /// A channel to no coordinator.
    private final class DeadEnd: RequestChannel {
        let endpoint = "tcp://127.0.0.1:1"
        private let closed = Mutex(false)
        var isClosed: Bool { closed.withLock { $0 } }

        func send(
            _ request: Request,
            timeout: Duration?,
            completion: @escaping @Sendable (Result<Reply, ClientError>) -> Void
        ) -> UInt64 {
            completion(.failure(.closed))
            return 0
        }

        func forget(_ number: UInt64) {}

        func close() { closed.withLock { $0 = true } }
    }

    /// Runs a body as an operation.
    private struct Act: ClusterOperation {
        /// The error of an operation that gives up.
        struct GaveUp: Error {}

        static let typeName = "act"
        @TaskLocal static var body: @Sendable (OperationContext) async throws -> Void = { _ in }

        func run(in context: OperationContext) async throws -> String {
            try await Self.body(context)
            return "done"
        }
    }

    /// Performs a call whose operation runs the body.
    private func perform(
        _ call: OperationCall,
        _ body: @escaping @Sendable (OperationContext) async throws -> Void
    ) async throws -> [UInt8]? {
        try await Act.$body.withValue(body) { try await call.perform(Act.self) }
    }

    private func call(cluster: @escaping @Sendable (TypedCall) -> Cluster) throws -> OperationCall {
        OperationCall(.sample(argument: try TypedCoding.argument(of: Act())), cluster: cluster)
    }

    @Test("QU12 An operation sees its address, name, attempt, worker and queue")
    func values() async throws {
        let result = try await perform(try call { Cluster.closed(for: $0) }) { context in
            #expect(context.address == OperationAddress(job: 12, index: 3))
            #expect(context.name == "eye" && context.attempt == 2 && context.worker == "w1")
            #expect(context.queue.name == "images" && !context.isCancelled)
        }
        #expect(result == Array(#""done""#.utf8))
    }

    @Test("The current context is that of the operation, also in a Task that it makes, and of nobody else")
    func current() async throws {
        #expect(OperationContext.current == nil)
        _ = try await perform(try call { Cluster.closed(for: $0) }) { context in
            #expect(OperationContext.current?.address == context.address)
            async let child = OperationContext.current?.address
            #expect(await child == context.address)
            #expect(await Task { OperationContext.current?.address }.value == context.address)
            #expect(await Task.detached { OperationContext.current?.address }.value == nil)
        }
        #expect(OperationContext.current == nil)
    }

    @Test("The operation's client is made once, when it is used, and closed when the call has ended")
    func cluster() async throws {
        let channels = Mutex<[DeadEnd]>([])
        @Sendable func make(_ call: TypedCall) -> Cluster {
            let channel = DeadEnd()
            channels.withLock { $0.append(channel) }
            #expect(call.operation == OperationID(job: JobNumber(12), index: 3))
            return Cluster(channel: channel, streams: { channel }, waiter: call.operation)
        }
        let unused = try call(cluster: make)
        _ = try await perform(unused) { _ in }
        _ = OperationContext(unused).cluster
        #expect(channels.withLock(\.count) == 0)

        let used = try call(cluster: make)
        _ = try await perform(used) { context in
            let cluster = context.cluster
            #expect(context.cluster === cluster && OperationContext.current?.cluster === cluster)
            #expect(channels.withLock { $0.map(\.isClosed) } == [false])
        }
        #expect(channels.withLock { $0.map(\.isClosed) } == [true])

        let failed = try call(cluster: make)
        await #expect(throws: Act.GaveUp.self) {
            try await perform(failed) { context in
                _ = context.queue
                throw Act.GaveUp()
            }
        }
        #expect(channels.withLock { $0.map(\.isClosed) } == [true, true])
    }

    @Test("CA16 A cancelled operation sees that it is, in threads of its own too, and its end is its own to decide")
    func cancelled() async throws {
        for returns in [true, false] {
            let isThere = DispatchSemaphore(value: 0)
            let call = try call { Cluster.closed(for: $0) }
            let task = Task {
                try await perform(call) { context in
                    let (events, source) = AsyncStream<Void>.makeStream()
                    isThere.signal()
                    for await _ in events {}
                    withExtendedLifetime(source) {}
                    #expect(context.isCancelled && Task.isCancelled)
                    let isCancelled = await withCheckedContinuation { continuation in
                        Thread.detachNewThread { continuation.resume(returning: context.isCancelled) }
                    }
                    #expect(isCancelled)
                    if !returns { throw Act.GaveUp() }
                }
            }
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    isThere.wait()
                    continuation.resume()
                }
            }
            task.cancel()
            switch await task.result {
            case .success(let bytes): #expect(returns && bytes == Array(#""done""#.utf8))
            case .failure(let error): #expect(!returns && error is Act.GaveUp)
            }
        }
    }

    @Test("PG4 Progress reaches the worker as a fraction from 0 to 1, with its message")
    func progress() {
        let reports = Mutex<[OperationProgress]>([])
        let context = OperationContext(
            OperationCall(.sample { progress in reports.withLock { $0.append(progress) } })
        )
        context.report(progress: 0.25)
        context.report(progress: 2, "more than all")
        context.report(progress: .nan)
        #expect(
            reports.withLock { $0 } == [
                OperationProgress(millionths: 250_000),
                OperationProgress(millionths: 1_000_000, message: "more than all"), OperationProgress(millionths: 0),
            ]
        )
    }

    @Test("Requests of an operation whose call has ended fail, and open no connection")
    func over() async throws {
        let channel = OperationChannel(.sample())
        channel.close()
        let request = Request.wait([], queue: "images", atMost: .zero, waiter: nil)
        let error = await #expect(throws: ClientError.self) { try await channel.request(request) }
        #expect(error?.code == .closed)
        channel.close()
    }
}
