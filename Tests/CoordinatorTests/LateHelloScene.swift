import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

/// Leaders that follow each other on one record, and workers that each execute an attempt of the first leader.
///
/// Worker n has the name wn and the identity n, and any number of connections.
final class LateHelloScene {
    private static let client = RoutingID(inProcess: 1)

    private let store: SQLStore
    private(set) var coordinator: SteppedCoordinator
    /// The numbers of the workers.
    let workers: ClosedRange<Int>
    /// What each worker executes.
    private(set) var executed: [Int: [Assignment]] = [:]
    private var received: [RoutingID: [CoordinatorMessage]] = [:]
    private var jobs: UInt64 = 0

    /// Has the first leader give each worker an attempt, which starts.
    init(workers count: Int) throws {
        store = try SQLStore(on: MemoryDisk())
        workers = 1...count
        coordinator = try Self.leader(store, at: Timestamp(rawValue: 1_700_000_000_000_000))
        settle()
        for worker in workers { say(hello(worker, number: 1), over: 1, of: worker) }
        let submission = Submission.noOperations(Array(repeating: [], count: count))
        submit(submission)
        for worker in workers {
            executed[worker] = dispatched(to: worker, over: 1)
            let starts = dispatched(to: worker, over: 1).map { AttemptStart($0.token) }
            say(.report(session(worker, number: 1), AttemptReport(started: starts)), over: 1, of: worker)
        }
        try #require(executed.values.allSatisfy { $0.count == 1 })
        takeMessages()
    }

    private static func leader(
        _ store: SQLStore,
        at now: Timestamp,
        hasLease: Bool = true
    ) throws -> SteppedCoordinator {
        let lease = LeaderLease(length: .seconds(2), provenAt: Timestamp(rawValue: 0))
        return try SteppedCoordinator(store, at: now, lease: hasLease ? lease : nil)
    }

    /// Has the next coordinator lead, which stood by until now.
    func takeOver(hasLease: Bool = true) throws {
        coordinator = try Self.leader(store, at: coordinator.now + .seconds(1), hasLease: hasLease)
        settle()
        takeMessages()
    }

    var core: CoordinatorCore { coordinator.core }

    /// Lets time pass without any message.
    func pass(_ duration: Duration) {
        let end = coordinator.now + duration
        while coordinator.now < end {
            coordinator.now = min(end, coordinator.now + .milliseconds(500))
            settle()
        }
    }

    // MARK: - What is said

    func session(_ worker: Int, number: UInt64) -> SessionID {
        SessionID(rawValue: UInt64(worker) * 1_000 + number)
    }

    private func peer(_ worker: Int, _ connection: UInt64) -> RoutingID {
        RoutingID(inProcess: UInt64(worker) * 1_000 + connection)
    }

    /// A hello of a worker in its only life.
    func hello(
        _ worker: Int,
        number: UInt64,
        claiming attempts: [Assignment] = [],
        echo: UInt64? = nil,
        protocols: ProtocolRange = .own
    ) -> WorkerMessage {
        .hello(
            WorkerHello(
                protocols: protocols,
                version: "test",
                name: "w\(worker)",
                session: session(worker, number: number),
                slots: 1,
                host: "host",
                processID: Int32(worker),
                life: WorkerLife(rawValue: 1),
                sessionNumber: number,
                attempts: attempts.map {
                    ClaimedAttempt(
                        token: $0.token,
                        operation: $0.operation,
                        attempt: $0.attempt,
                        phase: .running,
                        age: 0
                    )
                },
                id: WorkerID(rawValue: UInt64(worker)),
                echo: echo
            )
        )
    }

    func say(_ message: WorkerMessage, over connection: UInt64, of worker: Int) {
        coordinator.receive(message.encoded(), from: peer(worker, connection))
        settle()
    }

    /// Says a hello that claims what the worker executes.
    func sayHello(_ worker: Int, number: UInt64, echo: UInt64? = nil, over connection: UInt64) {
        say(hello(worker, number: number, claiming: executed[worker] ?? [], echo: echo), over: connection, of: worker)
    }

    /// Says the hello that lacks what the worker executes.
    func sayLateHello(_ worker: Int, number: UInt64 = 2, over connection: UInt64) {
        say(hello(worker, number: number), over: connection, of: worker)
    }

    /// Submits a job.
    func submit(_ submission: Submission) {
        jobs += 1
        coordinator.ask(.submit(submission), jobs, from: Self.client)
        settle()
    }

    func disconnect(_ connection: UInt64, of worker: Int) {
        core.connectionEnded(peer(worker, connection))
        settle()
    }

    private func settle() {
        coordinator.settle(flushes: true)
        for (bytes, peer) in coordinator.takeMessages() where peer != Self.client {
            do {
                let message = try bytes.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }
                received[peer, default: []].append(message)
            } catch {
                Issue.record(error)
            }
        }
    }

    // MARK: - What is answered

    /// The messages over a connection since the last call of ``takeMessages()``.
    func messages(to worker: Int, over connection: UInt64) -> [CoordinatorMessage] {
        received[peer(worker, connection)] ?? []
    }

    /// Forgets the messages so far.
    func takeMessages() { received = [:] }

    /// The numbers that were sent over a connection.
    func challenges(of worker: Int, over connection: UInt64) -> [UInt64] {
        messages(to: worker, over: connection).compactMap { message in
            if case .challenge(let number) = message { number } else { nil }
        }
    }

    func welcomes(of worker: Int, over connection: UInt64) -> [Welcome] {
        messages(to: worker, over: connection).compactMap { message in
            if case .welcome(let welcome) = message { welcome } else { nil }
        }
    }

    private func dispatched(to worker: Int, over connection: UInt64) -> [Assignment] {
        messages(to: worker, over: connection).flatMap { message -> [Assignment] in
            if case .dispatch(let batch) = message { batch.items.map(\.assignment) } else { [] }
        }
    }

    /// The number of attempts that were sent since the last call of ``takeMessages()``.
    var dispatchCount: Int {
        received.values.joined().reduce(0) { count, message in
            if case .dispatch(let batch) = message { count + batch.items.count } else { count }
        }
    }

    /// Whether each attempt goes on, by the record.
    var doAllGoOn: Bool {
        workers.allSatisfy { worker in
            (executed[worker] ?? []).allSatisfy { assignment in
                let record = core.scheduler.record(of: assignment.operation)
                return record?.state == .executing && record?.attempt == assignment.attempt
                    && record?.worker == "w\(worker)"
            }
        }
    }

    /// Ends all attempts well over the connections with these numbers.
    ///
    /// - Returns: whether each end counts.
    func finishAll(inSessions number: UInt64, over connection: UInt64) -> Bool {
        takeMessages()
        for worker in workers {
            let ends = (executed[worker] ?? []).map { Completion.success($0.token, $0.operation) }
            let report = AttemptReport(completions: ends)
            say(.report(session(worker, number: number), report), over: connection, of: worker)
        }
        return dispatchCount == 0
            && workers.allSatisfy { worker in
                (executed[worker] ?? []).allSatisfy { core.scheduler.record(of: $0.operation) == nil }
            }
    }
}
