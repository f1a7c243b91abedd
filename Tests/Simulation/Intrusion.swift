@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A peer with another worker's key that speaks for the workers, in some of the runs.
///
/// The intruder overhears everything: names, identities, sessions, attempts. It takes no work, so that a run without effect of its words is
/// like a run without it. The random numbers are of a source of their own, so that the other runs stay as they are.
final class Intrusion {
    /// Both keys, made once for all runs: nothing depends on their secrets.
    private static let keys: (workers: Requester, intruder: Requester)? = {
        var table = KeyTable()
        guard let workers = requester("workers", in: &table), let intruder = requester("intruder", in: &table) else {
            return nil
        }
        return (workers, intruder)
    }()

    private static func requester(_ name: String, in table: inout KeyTable) -> Requester? {
        guard let pair = try? CurveKeyPair.generate(), let name = KeyName(name) else { return nil }
        return (try? table.authorize(.publicKey(pair.publicKey), name: name, role: .worker, at: 0)).map(Requester.init)
    }

    /// The host of the intruder, which nothing else is on.
    private static let host = 10_001

    private unowned let world: World
    private let keys: (workers: Requester, intruder: Requester)
    private var random: SplitMix
    private var link: Link?
    private var isOver = false
    /// The last hello of each worker.
    private var hellos: [String: WorkerHello] = [:]
    private var attempts: [(token: AttemptToken, operation: OperationID)] = []

    /// Makes an intruder; nil for a run without.
    init?(_ world: World, seed: UInt64) {
        self.world = world
        random = SplitMix(seed: seed ^ 0x1B7E_0000)
        let isWanted = random.chance(20)
        guard world.faults.contains(.mistakeKeys) || world.faults.isEmpty && isWanted, let keys = Self.keys else {
            return nil
        }
        self.keys = keys
    }

    /// The holder of the key of a host's connections; nil for a client, since a run has keys of workers alone.
    func requester(ofHost host: Int) -> Requester? {
        if host == Self.host { return world.faults.contains(.mistakeKeys) ? keys.workers : keys.intruder }
        return host < world.workers.count ? keys.workers : nil
    }

    func schedule() {
        for _ in 0..<random.number(10...60) {
            let time = world.now + random.time(.zero, world.settings.troubleTime)
            world.schedule(at: time, actor: World.troubleActor + 2) { [self] in if !isOver { speak() } }
        }
    }

    func end() { isOver = true }

    // MARK: - What it hears

    func overhear(_ bytes: [UInt8], fromHost host: Int) {
        guard host != Self.host,
            case .worker(.hello(let hello))? = bytes.withUnsafeBytes({ try? Incoming(decoding: $0) })
        else { return }
        hellos[hello.name] = hello
    }

    func overhear(answer bytes: [UInt8]) {
        guard case .dispatch(let batch)? = bytes.withUnsafeBytes({ try? CoordinatorMessage(decoding: $0) }) else {
            return
        }
        attempts += batch.items.map { ($0.assignment.token, $0.assignment.operation) }
        attempts = attempts.suffix(20)
    }

    /// Whether a message is a hello of the intruder under a name that no worker on the list has.
    ///
    /// Such a name is free for whoever comes first, and its earlier worker would be refused.
    func isUnderFreeName(_ bytes: [UInt8], fromHost host: Int, at coordinator: CoordinatorCore) -> Bool {
        guard host == Self.host,
            case .worker(.hello(let hello))? = bytes.withUnsafeBytes({ try? Incoming(decoding: $0) })
        else { return false }
        return !coordinator.hasWorker(named: hello.name)
    }

    // MARK: - What it says

    private func speak() {
        guard let hello = random.pick(hellos.sorted { $0.key < $1.key })?.value, let message = message(like: hello)
        else {
            return
        }
        if link == nil || link?.attachment == .broken {
            link = world.network.connect(
                from: Self.host,
                to: world.coordinator.index,
                receive: { _ in },
                loseConnection: {}
            )
        }
        guard let link else { return }
        world.tell("the intruder speaks for \(hello.name)")
        world.network.sendUp(message.encoded(), over: link)
        guard world.hasFiles else { return }
        // It speaks of the files of the worker, too, and wants those of others (FI11).
        let digests = world.workers.first { $0.name == hello.name }?.files.store.digests ?? []
        let dropped = WorkerMessage.filesDropped(hello.session, digests)
        let connection = WorkerMessage.fileConnection(hello.session)
        for message in [dropped, connection] { world.network.sendUp(message.encoded(), over: link) }
    }

    /// A message for a worker that has said hello.
    private func message(like hello: WorkerHello) -> WorkerMessage? {
        let session = hello.session
        guard let attempt = random.pick(attempts) else { return nil }
        switch random.number(0...7) {
        case 0: return .report(session, AttemptReport(started: [AttemptStart(attempt.token)]))
        case 1: return .report(session, AttemptReport(returned: [attempt.token]))
        case 2, 3:
            let result = AttemptResult(end: random.chance(50) ? .exited(0) : .exited(1), microseconds: 1)
            let end = Completion(token: attempt.token, operation: attempt.operation, result: result)
            return .report(session, AttemptReport(completions: [end]))
        case 4: return .goodbye(session)
        case 5: return .leaving(session)
        default:
            var forged = hello
            forged.session = SessionID(rawValue: random.next())
            forged.sessionNumber += 1
            forged.replaces = true
            forged.attempts = []
            if random.chance(50) { forged.id = WorkerID(rawValue: random.next()) }
            return .hello(forged)
        }
    }
}
