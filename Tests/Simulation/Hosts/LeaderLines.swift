@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

/// What a worker has beside its connection in a run with two coordinators: the lines on which it asks both who leads, and the ranks on
/// its disk.
final class LeaderLines {
    private unowned let world: World
    private unowned let worker: WorkerHost
    private var random: SplitMix
    /// The ranks on the worker's disk.
    private(set) var ranks = KnownRanks()
    /// The line to each coordinator.
    private var lines: [Link?]
    /// Whether the latest question on each line was answered.
    private var areAnswered: [Bool]
    /// The number of the worker's life, as counted here.
    private var life = 0

    /// Makes the lines; nil for a run with one coordinator.
    init?(_ world: World, of worker: WorkerHost, seed: UInt64) {
        guard world.hasStandby else { return nil }
        self.world = world
        self.worker = worker
        random = SplitMix(seed: seed)
        lines = world.coordinators.map { _ in nil }
        areAnswered = world.coordinators.map { _ in false }
    }

    /// The number of places.
    var places: Int { lines.count }

    private func schedule(after time: Duration, _ body: @escaping () -> Void) {
        world.schedule(at: world.now + time, actor: 10 + worker.index, body)
    }

    /// Notes that the worker's process has ended.
    func end() {
        for place in lines.indices { close(place) }
        life += 1
    }

    /// Keeps the ranks that the worker obeys.
    func keep(_ ranks: KnownRanks) { self.ranks = ranks }

    /// Asks both coordinators who leads, until the end of the worker's process.
    func inquire() {
        for place in lines.indices { open(place) }
        askAgain()
    }

    private func open(_ place: Int) {
        let life = life
        lines[place] = world.network.connect(
            from: worker.index,
            to: place,
            isForFiles: true,
            receive: { [self] bytes in
                guard self.life == life,
                    case .leadership(var leadership)? = bytes.withUnsafeBytes({ try? CoordinatorMessage(decoding: $0) })
                else { return }
                areAnswered[place] = true
                if world.faults.contains(.obeyLowerEpoch), worker.isBelowHighest(leadership.rank?.epoch) {
                    leadership.rank = nil
                }
                worker.post(.leadership(leadership, at: place))
            },
            loseConnection: { [self] in
                guard self.life == life else { return }
                lose(place)
            }
        )
        ask(place)
    }

    private func ask(_ place: Int) {
        guard let line = lines[place] else { return }
        areAnswered[place] = false
        let inquiry = LeaderInquiry(version: "simulated", known: ranks.highest)
        world.network.sendUp(WorkerMessage.inquire(inquiry).encoded(), over: line)
    }

    /// Asks every ten seconds; a line without an answer is given up.
    private func askAgain() {
        let life = life
        schedule(after: .seconds(10)) { [self] in
            guard self.life == life else { return }
            for place in lines.indices where lines[place] != nil {
                if areAnswered[place] { ask(place) } else { lose(place) }
            }
            askAgain()
        }
    }

    private func lose(_ place: Int) {
        close(place)
        worker.post(.placeLost(place))
        let life = life
        schedule(after: random.time(.milliseconds(50), .seconds(1))) { [self] in
            if self.life == life, lines[place] == nil { open(place) }
        }
    }

    private func close(_ place: Int) {
        if let line = lines[place] { world.network.close(line) }
        lines[place] = nil
    }
}
