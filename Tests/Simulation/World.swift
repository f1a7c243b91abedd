@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler

/// One run: a coordinator, or two, workers and clients, on a network and a disk that fail, with a clock that runs as fast as
/// possible.
///
/// All random numbers come from the seed, and all events happen on one thread: the same seed gives the same run.
package final class World {
    static let firstLinkActor = 1000
    static let coordinatorActor = 1
    static let recorderActor = 2
    static let troubleActor = 3
    static let firstFileActor = 500

    let settings: Settings
    let faults: Set<Fault>
    private(set) var history: History
    private(set) var now = World.start
    private var agenda = Agenda()
    private let trace: ((String) -> Void)?

    // Created on first use, as they refer to the world.
    private(set) lazy var network = Network(self, seed: seeds.next())
    private(set) lazy var coordinators = makeCoordinators()
    /// The server of the record that two coordinators share; nil in a run with one.
    private(set) lazy var server: SimulatedServer? = hasStandby ? SimulatedServer(self) : nil
    /// The number of the coordinator that leads, or has led last.
    private var leader = 0
    private var ports = 0
    private(set) var workers: [WorkerHost] = []
    private(set) var clients: [ClientHost] = []
    private var seeds: SplitMix
    /// The administrator of the workers; nil for none.
    private(set) lazy var administration = Administration(self, seed: administrationSeed)
    /// A client that pauses what executes; nil for none.
    private(set) lazy var pausing = Pausing(self, seed: administrationSeed)
    /// A peer that speaks for workers with another key; nil for none.
    private(set) lazy var intrusion = Intrusion(self, seed: administrationSeed)
    /// What the run shows of files; nil for a run without.
    private(set) lazy var fileWatch = FileWatch(self)
    /// The files of the submissions; nil for a run without.
    private(set) lazy var fileWorkload = FileWorkload(self, seed: administrationSeed)
    /// The faults of the workers' disks; nil for a run without files.
    private lazy var fileTrouble = FileTrouble(self, seed: administrationSeed)
    /// Coordinators that were replaced, at a second address of the workers; nil for a run without.
    private(set) lazy var deposed = DeposedCoordinator(self, seed: administrationSeed)
    /// The faults of two coordinators and of their server; nil for a run with one.
    private lazy var leaderTrouble = LeaderTrouble(self, seed: administrationSeed)
    /// A client with a schedule; nil for none.
    private lazy var scheduling = Scheduling(self)
    private let administrationSeed: UInt64
    /// The replacement of the record; nil for none.
    private let replacement: Replacement?
    /// The promotion of a replica that lacks the last commits, in a run with two coordinators; nil for none.
    private let promotion: Replacement?
    /// Whether operations take units of a limit that the queues share.
    ///
    /// This is so for some of the later seeds only: the earlier seeds, which tests name, give the same runs as before.
    package let takesUnits: Bool
    /// Whether a schedule starts jobs, in others of the later seeds.
    package let hasSchedule: Bool
    /// Whether operations leave files and need them, in others of the later seeds.
    package let hasFiles: Bool
    /// Whether some operations with files want several copies of them, in every second seed with files.
    package let hasCopies: Bool
    /// Whether workers lack room for files at times, in every third seed with files after the seeds that tests name.
    package let lacksRoom: Bool
    /// Whether the workers have a second address, with coordinators that were replaced, in others of the later seeds.
    package let hasDeposed: Bool
    /// Whether there are two coordinators, one of which stands by, in most of the seeds with a second address.
    package let hasStandby: Bool

    private static let start = Timestamp(rawValue: 1_700_000_000_000_000)

    /// Makes a world.
    ///
    /// - Parameters:
    ///   - seed: the source of all random numbers.
    ///   - faults: the faults that are put into the processes on purpose.
    ///   - trace: called with a line for each event.
    package init(seed: UInt64, faults: Set<Fault> = [], trace: ((String) -> Void)? = nil) {
        self.trace = trace
        seeds = SplitMix(seed: seed)
        administrationSeed = seed
        var settings = Settings(&seeds)
        self.faults = faults
        history = History()
        replacement = Replacement(seed: seed, faults: faults)
        takesUnits = seed > 1000 && seed % 8 == 3 && replacement == nil
        hasSchedule = seed > 1000 && seed % 8 == 5 && replacement == nil
        hasFiles = seed > 1000 && seed % 8 == 7 && replacement == nil
        hasCopies = hasFiles && seed % 16 == 15
        lacksRoom = hasFiles && seed > 2000 && seed % 3 == 0
        let hasAddresses = seed > 1000 && seed % 8 == 1 && replacement == nil
        hasDeposed = hasAddresses && seed % 32 == 9
        hasStandby = hasAddresses && seed % 32 != 9
        promotion = hasStandby ? Replacement(promotionOf: seed) : nil
        if hasStandby { settings.shareRecord(seed: seed) }
        self.settings = settings
    }

    private func makeCoordinators() -> [CoordinatorHost] {
        let first = CoordinatorHost(self, index: 0, seed: seeds.next())
        return hasStandby ? [first, CoordinatorHost(self, index: 1, seed: ~administrationSeed)] : [first]
    }

    /// The coordinator that leads, or has led last.
    var coordinator: CoordinatorHost { coordinators[leader] }

    /// Notes that a coordinator leads from now on.
    func lead(_ coordinator: CoordinatorHost) { leader = coordinator.index }

    /// The number of the next port that a coordinator opens.
    func nextPort() -> Int {
        ports += 1
        return ports
    }

    /// Runs all events, until all jobs are finished and the world is quiet, or time is up.
    ///
    /// - Returns: a report with the violations.
    package func run() -> Report {
        for (index, slots) in settings.slots.enumerated() {
            workers.append(WorkerHost(self, index: index, slots: slots, seed: seeds.next()))
        }
        makeClients()
        scheduling?.setClock()
        leaderTrouble?.setClock()
        for coordinator in coordinators { coordinator.start() }
        for worker in workers { worker.start() }
        if let replacement = replacement ?? promotion { replaceRecord(replacement) }
        let workload = Workload(self, seed: seeds.next())
        workload.schedule()
        let trouble = Trouble(self, seed: seeds.next())
        trouble.schedule()
        let breakage = Breakage(self, seed: seeds.next())
        breakage.schedule()
        fileTrouble?.schedule()
        leaderTrouble?.schedule()
        administration?.schedule()
        pausing?.schedule()
        scheduling?.schedule()
        intrusion?.schedule()

        let calm = now + settings.troubleTime
        advance(until: calm)
        leaderTrouble?.end()
        trouble.end()
        breakage.end()
        fileTrouble?.end()
        intrusion?.end()
        deposed?.end()
        workload.finishAll()
        administration?.finish()
        pausing?.finish()
        scheduling?.finish()
        let end = calm + settings.finishingTime
        while now < end, !areAllFinished, history.violations.isEmpty {
            advance(until: min(end, now + .milliseconds(500)))
        }
        let areAllFinished = areAllFinished
        // Watchers get the last events.
        if areAllFinished { advance(until: now + .seconds(8)) }
        // Nobody waits for copies.
        if areAllFinished, hasCopies { advance(until: now + .seconds(150)) }
        coordinator.checkLastRecord()
        history.check(self, areAllFinished: areAllFinished)
        if areAllFinished { scheduling?.check() }
        if areAllFinished, hasCopies { fileWatch?.checkCopies() }
        return Report(history, fileWatch, virtualTime: now - World.start, workers: workers.count)
    }

    private func makeClients() {
        clients = (0..<settings.clients).map { ClientHost(self, index: $0, seed: seeds.next()) }
    }

    /// Replaces the record under the workers, after some time of usual requests and faults.
    ///
    /// From then on no client asks for earlier jobs, and the workers have to drop earlier attempts.
    private func replaceRecord(_ replacement: Replacement) {
        let workload = Workload(self, seed: seeds.next())
        workload.schedule()
        let trouble = Trouble(self, seed: seeds.next())
        trouble.schedule()
        var copy: SimulatedDisk?
        var epoch: UInt32 = 0
        if let time = replacement.copiedAfter {
            advance(until: World.start + time)
            copy = coordinator.disk.copy()
            epoch = server?.epoch ?? 0
        }
        advance(until: World.start + replacement.after)
        workload.abandon()
        trouble.abandon()
        for client in clients {
            client.retire()
            network.breakLinks(of: workers.count + client.index, isNoticed: false)
        }
        let replaced = copy ?? SimulatedDisk(eventHistory: settings.eventHistory)
        for coordinator in coordinators { coordinator.replaceRecord(by: replaced) }
        server?.promote(replaced, of: epoch, using: &seeds)
        history = History(after: history, ignoring: Set(coordinator.disk.allJobs.map(\.job.number)))
        history.note(.recordReplaced)
        if promotion != nil { history.note(.commitsLost) }
        tell("the record is replaced by \(copy == nil ? "a new one" : "an older copy of itself")")
        makeClients()
        for coordinator in coordinators { coordinator.start() }
    }

    /// Schedules an event for an actor.
    func schedule(at time: Timestamp, actor: Int, _ body: @escaping () -> Void) {
        agenda.add(at: max(time, now), actor: actor, body)
    }

    /// Traces an event that happens now.
    func tell(_ text: @autoclosure () -> String) {
        guard let trace else { return }
        trace("\((now - World.start).formatted) \(text())")
    }

    /// Whether all submitted jobs are finished, all requests are answered, and no process runs.
    private var areAllFinished: Bool {
        coordinator.isQuiet && clients.allSatisfy(\.isQuiet) && workers.allSatisfy { $0.processes.isEmpty }
            && scheduling?.isOver ?? true
    }

    private func advance(until end: Timestamp) {
        while let time = agenda.nextTime, time <= end, history.violations.isEmpty {
            guard let next = agenda.popFirst() else { return }
            now = max(now, next.time)
            next.body()
        }
        now = max(now, end)
    }

    /// Notes that a message of a host has reached the coordinator.
    func contact(from host: Int) {
        guard host < workers.count else { return }
        workers[host].excuseWhatMayBeGivenUp()
        // A worker that comes back behind the window was missing at its end, also if no operation started meanwhile.
        if isMissing(workers[host]) { history.doubleFault(atLife: coordinator.life) }
        // The files of a worker that comes back late may be lost before it has told them.
        if hasFiles, workers[host].lastContact?.life != coordinator.life,
            now + .milliseconds(1500) > coordinator.startedAt
                + min(settings.configuration.lostAfter, settings.configuration.reconcileWindow)
        {
            workers[host].noteDoubt()
        }
        workers[host].lastContact = (now, coordinator.life)
    }
}

extension Duration {
    /// Seconds with six digits behind the point.
    fileprivate var formatted: String {
        let microseconds = components.attoseconds / 1_000_000_000_000
        let digits = String(microseconds)
        return "\(components.seconds).\(String(repeating: "0", count: 6 - digits.count))\(digits)"
    }
}
