import Dispatch
import Foundation
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
import Synchronization
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("BL4 Swift operations on a worker", .serialized, .timeLimit(.minutes(60)))
struct TypedAttemptTests {
    private struct Complaint: Error, CustomStringConvertible {
        var description = "No paper."
    }

    /// A function that signals its start and its cancellation, and returns on an order of the test.
    private final class Stubborn: Sendable {
        private let (orders, ordered) = AsyncStream<Void>.makeStream()
        let isThere = DispatchSemaphore(value: 0)
        let isAsked = DispatchSemaphore(value: 0)

        func run() async throws {
            isThere.signal()
            await awaitCancellation()
            isAsked.signal()
            // A task of its own is not cancelled along.
            await Task { for await _ in orders { return } }.value
            throw CancellationError()
        }

        func letGo() { ordered.yield() }
    }

    /// Waits until the task is cancelled.
    private static func awaitCancellation() async {
        let (events, source) = AsyncStream<Void>.makeStream()
        for await _ in events {}
        withExtendedLifetime(source) {}
    }

    private static func types(_ functions: [String: OperationTypes.Function]) throws -> OperationTypes {
        var types = OperationTypes()
        for (type, function) in functions { try types.register(type, function) }
        return types
    }

    private static func work(_ type: String, _ argument: String = "", timeout: Duration? = nil) -> Work {
        Work(.typed(type: type, argument: Array(argument.utf8)), timeout: timeout)
    }

    @Test("A Swift operation's returned value is its result, and its thrown error is its end")
    func ends() async throws {
        let types = try Self.types([
            "echo": { $0.argument }, "nothing": { _ in nil }, "complain": { _ in throw Complaint() },
            "endless": { _ in throw Complaint(description: String(repeating: "é", count: 100_000)) },
            "large": { _ in [UInt8](repeating: 0, count: AttemptResult.maximumResultLength + 1) },
        ])
        try await WorkerTest.run(types: types) { test in
            let echo = try test.coordinator.run(Self.work("echo", "hello"))
            #expect(echo.end == .exited(0) && echo.result == Array("hello".utf8))
            #expect(echo.standardOutput == OutputTail() && echo.standardError == OutputTail())
            #expect(try test.coordinator.run(Self.work("echo")).result == nil)
            #expect(try test.coordinator.run(Self.work("nothing")).result == nil)
            #expect(try test.coordinator.run(Self.work("complain")).end == .threw("No paper."))
            guard case .threw(let text) = try test.coordinator.run(Self.work("endless")).end else {
                Issue.record("it did not throw")
                return
            }
            #expect(text.utf8.count <= WireLimits.maximumErrorLength && text.hasPrefix("éé"))
            guard case .unusableResult(let sentence) = try test.coordinator.run(Self.work("large")).end else {
                Issue.record("its result was used")
                return
            }
            #expect(sentence.contains("1048577 bytes"))
            #expect(
                try test.coordinator.run(Self.work("other")).end
                    == .notStarted("The worker w1 runs no operations of type other.")
            )
        }
    }

    @Test("CA15 CA16 A cancelled Swift operation that throws is cancelled, and occupies its slot until it has returned")
    func cancelled() async throws {
        let stubborn = Stubborn()
        let types = try Self.types([
            "stubborn": { _ in
                try await stubborn.run()
                return nil
            }
        ])
        try await WorkerTest.run(slots: 1, types: types) { test in
            let item = try test.coordinator.dispatch(Self.work("stubborn"))
            stubborn.isThere.wait()
            let next = try test.coordinator.dispatch(.shell("true"))
            try test.coordinator.send(.cancel([item.token]))
            stubborn.isAsked.wait()
            // What the worker answers now was said behind any start.
            _ = try test.coordinator.output(of: item)
            #expect(test.coordinator.started == [item.token])
            stubborn.letGo()
            #expect(try test.coordinator.end(of: item.token) == .cancelled(exitStatus: nil, signal: nil))
            #expect(try test.coordinator.end(of: next.token) == .exited(0))
        }
    }

    @Test("CA16 A Swift operation that overruns its timeout has timed out, whatever it returns")
    func timeout() async throws {
        let types = try Self.types([
            "patient": { _ in
                await Self.awaitCancellation()
                return [1]
            }
        ])
        try await WorkerTest.run(types: types) { test in
            let result = try test.coordinator.run(Self.work("patient", timeout: .milliseconds(10)))
            #expect(result.end == .timedOut && result.result == nil)
        }
    }

    @Test("ST8 Swift operations that block every thread beyond their timeouts have timed out as well")
    func blocking() async throws {
        let timeout = Duration.milliseconds(10)
        let types = try Self.types([
            "blocking": { _ in
                // As long as all threads of tasks are held like this one, no task learns of a timeout.
                let end = ContinuousClock.now + timeout
                while .now < end {}
                return [1]
            }
        ])
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        try await WorkerTest.run(slots: count, types: types) { test in
            let items = try (0..<count).map { _ in
                try test.coordinator.dispatch(Self.work("blocking", timeout: timeout))
            }
            for item in items { #expect(try test.coordinator.end(of: item.token) == .timedOut) }
        }
    }

    @Test("A Swift operation that a leaving worker cancels is interrupted, unless it returns a value")
    func leaving() async throws {
        let isThere = DispatchSemaphore(value: 0)
        @Sendable func wait() async {
            isThere.signal()
            await Self.awaitCancellation()
        }
        let types = try Self.types([
            "throwing": { _ in
                await wait()
                throw Complaint()
            },
            "returning": { _ in
                await wait()
                return [1]
            },
        ])
        try await WorkerTest.run(types: types) { test in
            let throwing = try test.coordinator.dispatch(Self.work("throwing"))
            let returning = try test.coordinator.dispatch(Self.work("returning"))
            isThere.wait()
            isThere.wait()
            test.worker.stop()
            #expect(try test.coordinator.next() == .leaving(test.coordinator.session))
            let completions = try test.coordinator.completions(2)
            let ends = Dictionary(completions.map { ($0.token, $0.result.end) }, uniquingKeysWith: { $1 })
            #expect(ends == [throwing.token: .stopped, returning.token: .exited(0)])
        }
    }

    @Test("DE20 A Swift operation's function gets its inputs, what it belongs to, and the token to act as it")
    func call() async throws {
        let (calls, called) = AsyncStream<TypedCall>.makeStream()
        let types = try Self.types([
            "look": { call in
                called.yield(call)
                return call.inputs.reduce(into: []) { $0 += $1.result ?? [0] }
            }
        ])
        try await WorkerTest.run(types: types, operations: Secret(Array(0..<96))) { test in
            let item = try test.coordinator.dispatch(Self.work("look", "hello")) { assignment in
                assignment.hasInputs = true
                assignment.name = "eye"
                assignment.attempt = 3
            }
            let session = test.coordinator.session
            guard case .fetchTypedInputs(session, item.token, item.operation) = try test.coordinator.next() else {
                Issue.record("the inputs were not asked for")
                return
            }
            let id = OperationID(job: JobNumber(3), index: 4)
            let inputs = [
                TypedInput(operation: id, name: "a", type: "look", outcome: .succeeded, result: [7, 8]),
                TypedInput(operation: id, outcome: .failed),
            ]
            try test.coordinator.send(.typedInputs(item.token, first: 0, [inputs[0]], isLast: false))
            try test.coordinator.send(.typedInputs(item.token, first: 1, [inputs[1]], isLast: true))
            let completion = try #require(try test.coordinator.completions().first)
            #expect(completion.result.result == [7, 8, 0])
            called.finish()
        }
        var iterator = calls.makeAsyncIterator()
        let call = try #require(await iterator.next())
        #expect(call.argument == Array("hello".utf8))
        #expect(call.inputs.map(\.name) == ["a", nil] && call.inputs.map(\.type) == ["look", nil])
        #expect(call.operation.job == JobNumber(12) && call.name == "eye" && call.attempt == 3)
        #expect(call.queue == "images" && call.worker == "w1" && call.units.isEmpty)
        #expect(call.coordinator.hasPrefix("tcp://"))
        let claim = try #require(call.token?.proof.claim)
        #expect(claim.job == 12 && claim.attempt == 3)
    }

    @Test("PG4 The last report of progress reaches the coordinator in a message of the worker, and none after the end")
    func progress() async throws {
        let (orders, ordered) = AsyncStream<Void>.makeStream()
        let escaped = Mutex<TypedCall?>(nil)
        let types = try Self.types([
            "talk": { call in
                for step in 1...1000 {
                    call.report(
                        OperationProgress(millionths: UInt32(step), message: String(repeating: "é", count: 1000))
                    )
                }
                escaped.withLock { $0 = call }
                for await _ in orders { break }
                return nil
            },
            "echo": { $0.argument },
        ])
        try await WorkerTest.run(types: types) { test in
            let item = try test.coordinator.dispatch(Self.work("talk"))
            while true {
                let message = try test.coordinator.next()
                guard case .progress(test.coordinator.session, let news) = message else {
                    throw Unexpected(message: message)
                }
                #expect(news.map(\.token) == [item.token])
                #expect(news[0].progress.message == String(repeating: "é", count: 512))
                if news[0].progress.millionths == 1000 { break }
            }
            ordered.yield()
            #expect(try test.coordinator.completions().count == 1)
            escaped.withLock { $0?.report(OperationProgress(fraction: 1)) }
            // The next message is the next attempt's.
            #expect(try test.coordinator.run(Self.work("echo", "x")).result == Array("x".utf8))
        }
    }

    @Test("Only the first report after a taking rings, and the last report of each attempt counts")
    func board() {
        let board = ProgressBoard()
        func progress(_ millionths: UInt32) -> OperationProgress { OperationProgress(millionths: millionths) }
        #expect(board.put(progress(1), of: token(2)))
        #expect(!board.put(progress(2), of: token(2)))
        #expect(!board.put(progress(3), of: token(1)))
        #expect(board.takeAll() == [AttemptProgress(token(1), progress(3)), AttemptProgress(token(2), progress(2))])
        #expect(board.takeAll().isEmpty)
        #expect(board.put(progress(4), of: token(1)))
    }

    @Test("A hello lists the registered types, and a duplicate or invalid name is refused")
    func names() async throws {
        var types = try Self.types(["b": { $0.argument }, "a": { $0.argument }])
        #expect(throws: WorkerError.self) { try types.register("a") { $0.argument } }
        #expect(throws: WorkerError.self) { try types.register("a b") { $0.argument } }
        #expect(types.names == ["a", "b"])
        try await withTemporaryDirectory { [types] directory in
            let coordinator = try FakeCoordinator()
            let worker = try RunningWorker(.forTests(coordinator.endpoint, directory: directory, types: types))
            defer {
                worker.stopNow()
                do { try worker.awaitEnd() } catch { Issue.record(error) }
                coordinator.close()
            }
            #expect(try coordinator.greet().types == ["a", "b"])
        }
    }
}
