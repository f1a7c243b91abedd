@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

/// What a worker has beside its connection to the coordinator in a run with two addresses: the way to the coordinators at the second
/// one, which were replaced, the questions who leads, and the ranks on its disk.
final class SecondAddress {
    private unowned let world: World
    private unowned let worker: WorkerHost
    private let deposed: DeposedCoordinator
    private var random: SplitMix
    /// Whether the worker's connection goes to the second address.
    private(set) var isConnected = false
    /// The ranks on the worker's disk.
    private(set) var ranks = KnownRanks()
    /// The number of the connection, so that no answer arrives over a later one.
    private var connection = 0
    /// The number of the worker's life, as counted here.
    private var life = 0
    /// The connection for questions to the first address.
    private var line: Link?
    /// Whether the latest question was answered.
    private var isAnswered = false

    /// Makes a second address; nil for a run without.
    init?(_ world: World, of worker: WorkerHost, seed: UInt64) {
        guard let deposed = world.deposed else { return nil }
        self.world = world
        self.worker = worker
        self.deposed = deposed
        random = SplitMix(seed: seed)
    }

    private func schedule(after time: Duration, _ body: @escaping () -> Void) {
        world.schedule(at: world.now + time, actor: 10 + worker.index, body)
    }

    /// Notes that the worker's process has ended.
    func end() {
        disconnect()
        closeLine()
        life += 1
    }

    /// Keeps the ranks that the worker obeys.
    func keep(_ ranks: KnownRanks) {
        self.ranks = ranks
        if let rank = ranks.highest { deposed.note(rank, ofWorker: worker.index) }
    }

    // MARK: - The connection

    func connect() {
        isConnected = true
        connection += 1
        worker.post(.connectionOpened)
        guard random.chance(20) else { return }
        let connection = connection
        schedule(after: random.time(.milliseconds(1), .seconds(1))) { [self] in
            if self.connection == connection { worker.post(.connectionLost) }
        }
    }

    func disconnect() {
        isConnected = false
        connection += 1
    }

    /// Takes in a message of the worker.
    func receive(_ message: WorkerMessage) {
        guard case .hello(let hello) = message else { return }
        let connection = connection
        schedule(after: random.time(.microseconds(50), .milliseconds(20))) { [self] in
            guard self.connection == connection, let answer = deposed.answer(to: hello, ofWorker: worker.index)
            else { return }
            world.tell("\(worker.name): a coordinator that was replaced says \(Trace.brief(answer))")
            worker.post(.message(answer))
        }
    }

    // MARK: - Questions

    /// Asks both addresses who leads, until the end of the worker's process.
    func inquire() {
        openLine()
        askAgain()
        speak()
    }

    private func openLine() {
        let life = life
        line = world.network.connect(
            from: worker.index,
            isForFiles: true,
            receive: { [self] bytes in
                guard self.life == life,
                    case .leadership(let leadership)? = bytes.withUnsafeBytes({ try? CoordinatorMessage(decoding: $0) })
                else { return }
                isAnswered = true
                worker.post(.leadership(leadership, at: 0))
            },
            loseConnection: { [self] in
                guard self.life == life else { return }
                loseLine()
            }
        )
        ask()
    }

    private func ask() {
        guard let line else { return }
        isAnswered = false
        let inquiry = LeaderInquiry(version: "simulated", known: ranks.highest)
        world.network.sendUp(WorkerMessage.inquire(inquiry).encoded(), over: line)
    }

    /// Asks every ten seconds; a line without an answer is given up.
    private func askAgain() {
        let life = life
        schedule(after: .seconds(10)) { [self] in
            guard self.life == life else { return }
            if line != nil { if isAnswered { ask() } else { loseLine() } }
            askAgain()
        }
    }

    private func loseLine() {
        closeLine()
        worker.post(.placeLost(0))
        let life = life
        schedule(after: random.time(.milliseconds(100), .seconds(2))) { [self] in
            if self.life == life, line == nil { openLine() }
        }
    }

    private func closeLine() {
        if let line { world.network.close(line) }
        line = nil
    }

    /// Has the coordinators at the second address say now and then that they lead.
    private func speak() {
        let life = life
        schedule(after: random.time(.milliseconds(5), .seconds(3))) { [self] in
            guard self.life == life else { return }
            let isLost = random.chance(15)
            worker.post(isLost ? .placeLost(1) : .leadership(deposed.opinion(forWorker: worker.index), at: 1))
            if !deposed.isOver { speak() }
        }
    }
}
