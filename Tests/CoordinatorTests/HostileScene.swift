@_spi(Baton) import BatonKeys
import BatonMemoryDisk
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ
import Testing

@_spi(Baton) @testable import BatonCoordinator

/// A coordinator without threads and sockets, a client, and two workers with keys of their own, each message sent by hand.
final class HostileScene {
    /// Who sends messages.
    enum Actor: UInt64, CaseIterable {
        case client = 1
        case honest
        case hostile

        /// The identity of the worker.
        var id: WorkerID { WorkerID(rawValue: 100 + rawValue) }
        /// The name of the worker and of its key.
        var name: String { "\(self)" }
    }

    private static let keys: [Actor: AuthorizedKey] = {
        var table = KeyTable()
        var keys: [Actor: AuthorizedKey] = [:]
        for actor in Actor.allCases {
            do {
                let pair = try CurveKeyPair.generate()
                let name = try #require(KeyName(actor.name))
                let role = actor == .client ? Role.client : .worker
                keys[actor] = try table.authorize(.publicKey(pair.publicKey), name: name, role: role, at: 0)
            } catch {
                Issue.record(error)
            }
        }
        return keys
    }()

    private(set) var coordinator: SteppedCoordinator
    let store: SQLStore
    /// Every attempt that was sent to a worker, runs of hooks included.
    private var sent: [Actor: [Assignment]] = [:]
    private var received: [Actor: [CoordinatorMessage]] = [:]
    /// The answers to the client.
    private(set) var replies: [Reply] = []
    private var nextSession: UInt64 = 1_000
    private var nextRequest: UInt64 = 1

    init() throws {
        store = try SQLStore(on: MemoryDisk())
        coordinator = try SteppedCoordinator(store, at: Timestamp(rawValue: 1_700_000_000_000_000))
    }

    var core: CoordinatorCore { coordinator.core }

    var now: Timestamp { coordinator.now }

    /// Kills the coordinator, and starts another one on the record.
    func restart() throws {
        coordinator = try SteppedCoordinator(store, at: now + .seconds(1))
        coordinator.settle(flushes: true)
        note()
    }

    func requester(_ actor: Actor) -> Requester {
        guard let key = Self.keys[actor] else { preconditionFailure("There is no key for \(actor).") }
        return Requester(key)
    }

    /// - Parameter connection: the number of the actor's connection.
    private func peer(_ actor: Actor, _ connection: UInt64 = 1) -> RoutingID {
        RoutingID(inProcess: Self.mostConnections * actor.rawValue + connection)
    }

    /// The number of connections that an actor may have.
    private static let mostConnections: UInt64 = 10_000

    /// Ends a connection.
    func disconnect(_ actor: Actor, _ connection: UInt64 = 1) {
        coordinator.core.connectionEnded(peer(actor, connection))
        settle()
    }

    // MARK: - What is said

    func say(_ message: WorkerMessage, as actor: Actor, over connection: UInt64 = 1) {
        coordinator.receive(message.encoded(), from: peer(actor, connection), by: requester(actor))
        settle()
    }

    func ask(_ request: Request) {
        coordinator.receive(
            ClientMessage.request(nextRequest, request).encoded(),
            from: peer(.client),
            by: requester(.client)
        )
        nextRequest += 1
        settle()
    }

    func submit(_ submission: Submission) { ask(.submit(submission)) }

    /// A hello with what is true of the actor, unless said otherwise.
    func hello(
        _ actor: Actor,
        named name: String? = nil,
        session: SessionID? = nil,
        slots: UInt32 = 2,
        id: WorkerID? = nil,
        replaces: Bool = false,
        attempts: [ClaimedAttempt] = [],
        types: [String] = []
    ) -> WorkerHello {
        nextSession += 1
        return WorkerHello(
            version: "test",
            name: name ?? actor.name,
            session: session ?? SessionID(rawValue: nextSession),
            slots: slots,
            host: "host",
            processID: 1,
            life: WorkerLife(rawValue: 1),
            sessionNumber: nextSession,
            attempts: attempts,
            types: types,
            id: id ?? actor.id,
            replaces: replaces
        )
    }

    /// Lets a worker join, and returns its session.
    ///
    /// - Parameter slots: 0 for a worker that is drained at once.
    func join(_ actor: Actor, slots: UInt32 = 2, attempts: [ClaimedAttempt] = []) throws -> SessionID {
        let hello = hello(actor, slots: max(slots, 1), attempts: attempts)
        say(.hello(hello), as: actor)
        try #require(core.scheduler.worker(of: hello.session) == actor.name)
        if slots == 0 { ask(.drain([actor.name])) }
        return hello.session
    }

    /// Lets time pass without any message.
    func pass(_ duration: Duration) {
        let end = now + duration
        while now < end {
            coordinator.now = min(end, now + .seconds(1))
            settle()
        }
    }

    private func settle() {
        coordinator.settle(flushes: true)
        note()
    }

    // MARK: - What is answered

    private func note() {
        for (bytes, peer) in coordinator.takeMessages() {
            do {
                if peer == self.peer(.client) {
                    let message = try bytes.withUnsafeBytes { try ClientReply(decoding: $0) }
                    if case .reply(_, let reply) = message { replies.append(reply) }
                    continue
                }
                let message = try bytes.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }
                let actor = peer.inProcessNumber.flatMap { Actor(rawValue: $0 / Self.mostConnections) }
                guard let actor else { continue }
                received[actor, default: []].append(message)
                if case .dispatch(let batch) = message { sent[actor, default: []] += batch.items.map(\.assignment) }
            } catch {
                Issue.record(error)
            }
        }
    }

    /// All attempts that were sent to a worker so far.
    func dispatched(to actor: Actor) -> [Assignment] { sent[actor, default: []] }

    /// The messages to a worker since the last call of ``takeMessages()``, heartbeats excepted.
    func messages(to actor: Actor) -> [CoordinatorMessage] {
        received[actor, default: []].filter { if case .heartbeat = $0 { false } else { true } }
    }

    /// The attempts whose inputs a worker has got.
    func inputs(for actor: Actor) -> [AttemptToken] {
        messages(to: actor).compactMap { message in
            switch message {
            case .inputs(let token, _, _), .typedInputs(let token, _, _, _): token
            default: nil
            }
        }
    }

    func refusals(of actor: Actor) -> [Refusal] {
        messages(to: actor).compactMap { if case .refused(let refusal) = $0 { refusal } else { nil } }
    }

    @discardableResult
    func takeMessages() -> [Actor: [CoordinatorMessage]] {
        defer { received = [:] }
        return received
    }

    /// The record of an operation.
    func record(_ operation: OperationID) throws -> OperationRecord? {
        if let live = core.scheduler.record(of: operation) { return live }
        return try store.operations(of: operation.job, from: operation.index, limit: 1).first?.record
    }
}
