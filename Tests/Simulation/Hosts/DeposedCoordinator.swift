@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonWire

/// Earlier lives of the coordinator at a second address, which do not know that another one has replaced them; in some of the later runs.
///
/// They welcome the workers with ranks that the workers have obeyed before, and call all attempts stale: a worker that obeyed one would
/// lose what it runs.
final class DeposedCoordinator {
    private unowned let world: World
    private var random: SplitMix
    /// Whether they have learnt that they are replaced.
    private(set) var isOver = false
    /// The ranks that each worker has obeyed.
    private var obeyed: [Int: [LeaderRank]] = [:]

    /// Makes the coordinators; nil for a run without.
    init?(_ world: World, seed: UInt64) {
        guard world.hasDeposed else { return nil }
        self.world = world
        random = SplitMix(seed: seed ^ 0xDE05_ED00)
    }

    /// Has them stand by from now on.
    func end() { isOver = true }

    /// Notes the rank of a coordinator that a worker obeys.
    func note(_ rank: LeaderRank, ofWorker worker: Int) { obeyed[worker, default: []].append(rank) }

    /// What is said to the inquiry of a worker.
    func opinion(forWorker worker: Int) -> Leadership {
        guard random.chance(70), let rank = earlierRank(ofWorker: worker) else { return Leadership(isLeading: false) }
        return Leadership(isLeading: true, rank: rank)
    }

    /// What is said to the hello of a worker; nil for nothing.
    func answer(to hello: WorkerHello, ofWorker worker: Int) -> CoordinatorMessage? {
        if !isOver, random.chance(10) { return nil }
        guard random.chance(85), let rank = earlierRank(ofWorker: worker) else {
            return .leadership(Leadership(isLeading: false))
        }
        return .welcome(
            Welcome(
                protocolVersion: ProtocolVersion.newest,
                session: hello.session,
                epoch: rank.epoch,
                incarnation: rank.incarnation,
                heartbeatInterval: world.settings.heartbeatInterval,
                lease: .seconds(45),
                staleAttempts: hello.attempts.map(\.token),
                recalledAttempts: [],
                record: rank.record
            )
        )
    }

    /// A rank that the worker has obeyed before a higher one; nil if there is none, or they know better.
    private func earlierRank(ofWorker worker: Int) -> LeaderRank? {
        guard !isOver, let all = obeyed[worker], let highest = all.map(\.epoch).max() else { return nil }
        return random.pick(all.filter { $0.epoch < highest })
    }
}
