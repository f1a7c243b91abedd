@_spi(Baton) import BatonBenchmarks
import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A run of a plan: a coordinator's decisions and record, all workers, and a client, in one thread on a simulated clock.
///
/// The run measures the costs of a coordinator, and does not look for faults: no message is lost or late, and no worker dies. The
/// simulation tests faults.
package final class CapacityRun {
    private let plan: CapacityPlan
    private let tell: (String) -> Void
    private let disk = MemoryDisk()
    private let client: RoutingID
    private var fleet: Fleet
    private var random: SplitMix
    /// The present coordinator; nil while there is none.
    private var coordinator: MeasuredCoordinator?
    private var step = 0
    /// The numbers of operations of the jobs that are not submitted yet.
    private var jobs: ArraySlice<Int>
    private var accepted = 0
    /// The requests of the client that the coordinator gets with the next step.
    private var requests: [MeasuredCoordinator.Letter] = []
    private var phases: [Phase] = []
    private var failover = Failover()
    private let memoryBefore: Int64?

    /// The number of steps between two reports of the progress.
    private static let stepsPerReport = 100

    /// Carries out a plan.
    ///
    /// - Parameter progress: called with a line about how far the run is, once a simulated second.
    package static func measure(
        _ plan: CapacityPlan,
        progress: @escaping (String) -> Void = { _ in }
    ) throws -> CapacityReport {
        try CapacityRun(plan, progress).report()
    }

    private init(_ plan: CapacityPlan, _ tell: @escaping (String) -> Void) {
        self.plan = plan
        self.tell = tell
        fleet = Fleet(plan)
        random = SplitMix(seed: ~plan.seed)
        client = RoutingID(inProcess: UInt64(plan.workers) + 1)
        jobs = plan.jobs[...]
        memoryBefore = ProcessMemory.resident
    }

    private func report() throws -> CapacityReport {
        let half = plan.hasFailover ? plan.operations / 2 : plan.operations
        try phase(.submission, of: lead(on: read())) {
            submitNext()
            try go { jobs.isEmpty && accepted == plan.jobs.count }
        }
        try phase(.joining) {
            fleet.connect()
            try go { fleet.welcomed == plan.workers }
        }
        try phase(.beforeFailover) { try go { fleet.ledger.ended >= half } }
        if plan.hasFailover {
            try takeOver()
            try phase(.afterFailover) { try go { fleet.ledger.ended >= plan.operations } }
        }
        try phase(.idle) {
            let end = step + Int(plan.idleTime / Fleet.step)
            try go { step >= end }
        }
        let violations = coordinator?.violations ?? []
        kill()
        let state = try read().state
        return CapacityReport(
            plan: plan,
            phases: phases,
            failover: plan.hasFailover ? failover : nil,
            started: fleet.ledger.started,
            startedAgain: fleet.ledger.startedAgain,
            ended: fleet.ledger.ended,
            endedAgain: fleet.ledger.endedAgain,
            unended: fleet.ledger.unended,
            recorded: state.finished.succeeded,
            unfinishedJobs: state.jobs.count,
            violations: fleet.surprises + violations
                + (fleet.ledger.unknown > 0 ? ["\(fleet.ledger.unknown) attempts are of unknown operations"] : [])
        )
    }

    // MARK: - Coordinators

    /// Reads the record for the next coordinator.
    private func read() throws -> ReadRecord { try ReadRecord(on: disk, as: .random(using: &random)) }

    /// Has a coordinator lead on a record, and returns what it has used so far.
    private func lead(on record: ReadRecord) -> Usage {
        let coordinator = MeasuredCoordinator(record, seed: random.next(), at: Fleet.time(step))
        self.coordinator = coordinator
        return coordinator.usage
    }

    /// Ends the coordinator as a signal would: what is not committed is lost.
    private func kill() {
        disk.restart()
        coordinator = nil
    }

    /// Kills the coordinator, and has another one take over once the lease of the first is over.
    private func takeOver() throws {
        let start = step
        let startedBefore = fleet.ledger.started
        var phase = Phase(kind: .failover)
        let endedBefore = fleet.ledger.ended
        kill()
        fleet.disconnect()
        failover.unfinished = plan.operations - endedBefore
        try wait(MeasuredCoordinator.lease)
        // The workers go on while the record is read, and while the coordinator makes its state of it.
        let record = try read()
        try wait(record.time)
        let opening = lead(on: record)
        failover.reading = opening.recording + opening.deciding
        let leading = coordinator
        coordinator = nil
        try wait(opening.deciding)
        coordinator = leading
        failover.untilLeading = elapsed(since: start)
        fleet.connect()
        var backAt: Int?
        try go {
            if backAt == nil, fleet.welcomed == plan.workers { backAt = step }
            return backAt != nil && (fleet.ledger.started > startedBefore || fleet.ledger.started == plan.operations)
        }
        failover.untilBack = elapsed(since: start, until: backAt ?? step)
        failover.untilStarts = elapsed(since: start)
        phase.time = elapsed(since: start)
        phase.ended = fleet.ledger.ended - endedBefore
        close(&phase)
    }

    /// Lets time pass without a coordinator.
    private func wait(_ time: Duration) throws {
        let end = Fleet.firstStep(at: Fleet.time(step) + time)
        while step < end { try takeStep() }
    }

    // MARK: - Parts of the run

    /// Carries out a part of the run, and notes what the coordinator has used.
    ///
    /// - Parameter usage: what the coordinator has used for the part already.
    private func phase(_ kind: Phase.Kind, of usage: Usage = Usage(), _ body: () throws -> Void) throws {
        var phase = Phase(kind: kind)
        let (start, ended) = (step, fleet.ledger.ended)
        coordinator?.usage = usage
        try body()
        phase.time = elapsed(since: start)
        phase.ended = fleet.ledger.ended - ended
        close(&phase)
    }

    private func close(_ phase: inout Phase) {
        phase.usage = coordinator?.usage ?? Usage()
        phase.recordSize = recordSize
        if let memory = ProcessMemory.resident, let memoryBefore {
            phase.memory = max(0, memory - memoryBefore - Int64(recordSize))
        }
        coordinator?.usage = Usage()
        phases.append(phase)
    }

    private var recordSize: Int {
        ["/baton.db", "/baton.db-wal", "/baton.db-shm"].reduce(0) { $0 + (disk.size(of: $1) ?? 0) }
    }

    private func elapsed(since start: Int, until end: Int? = nil) -> Duration {
        Fleet.time(end ?? step) - Fleet.time(start)
    }

    // MARK: - Steps

    /// How long nothing may end or be accepted by the simulated clock, so that a run that cannot go on ends.
    private var longestStandstill: Duration { plan.duration * 10 + plan.idleTime + .seconds(600) }

    /// Takes steps until something has happened.
    private func go(until isOver: () throws -> Bool) throws {
        var (last, progress) = (step, 0)
        while try !isOver() {
            try takeStep()
            let present = fleet.ledger.ended + fleet.welcomed + accepted
            if present != progress { (last, progress) = (step, present) }
            guard elapsed(since: last) < longestStandstill else {
                throw CapacityError(
                    "The run does not go on: \(fleet.ledger.ended) of \(plan.operations) operations have ended, and "
                        + "\(fleet.welcomed) of \(plan.workers) workers are there."
                )
            }
        }
    }

    private func takeStep() throws {
        step += 1
        let letters = requests + fleet.act(at: step)
        requests = []
        try turn(letters)
        if step.isMultiple(of: Self.stepsPerReport) {
            let time = elapsed(since: 0).components.seconds
            tell("\(fleet.ledger.ended) of \(plan.operations) operations, \(fleet.welcomed) workers, \(time) s")
        }
    }

    /// Has the coordinator take in messages, and delivers its own.
    private func turn(_ letters: [MeasuredCoordinator.Letter]) throws {
        let now = Fleet.time(step)
        guard let coordinator, !letters.isEmpty || coordinator.nextDeadline <= now else { return }
        for (bytes, peer) in try coordinator.turn(letters, at: now) {
            if peer == client {
                try receive(bytes)
            } else if let number = peer.inProcessNumber {
                try fleet.deliver(bytes, toWorker: Int(number) - 1)
            }
        }
    }

    // MARK: - The client

    private func submitNext() {
        guard let operations = jobs.popFirst() else { return }
        let workload = Workload(plan.shape, operations: operations, kind: .commands([["/bin/true"]]))
        let number = UInt64(plan.jobs.count - jobs.count)
        let submission = workload.submission(seed: plan.seed &+ number)
        requests.append((ClientMessage.request(number, .submit(submission)).encoded(), client))
    }

    private func receive(_ bytes: [UInt8]) throws {
        guard case .reply(_, let reply) = try bytes.withUnsafeBytes({ try ClientReply(decoding: $0) }) else { return }
        switch reply {
        case .job:
            accepted += 1
            submitNext()
        case .refused(let refusal): throw CapacityError("A job was refused: \(refusal)")
        default: break
        }
    }
}
