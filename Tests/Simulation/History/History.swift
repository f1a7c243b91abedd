@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonTestRecords
@_spi(Baton) import BatonWire

/// The visible events of a run, and the violations of Baton's promises.
///
/// The history checks each start of an attempt at once (see ``started(_:in:)``), and the other rules at the end.
package final class History {
    /// A fault of the run.
    package enum Trouble: String, CaseIterable, Sendable {
        case coordinatorKilled, coordinatorStopped, workerKilled, workerStopped, workerLeft, workerRefused, hostCut,
            linkBroken,
            diskFull
        case powerLost, writeFailed, diskSlow, workerBroken, clockSet, recordReplaced, workersStoppedAtRestart,
            logDamaged, diskLost, fileDamaged
        case leaderKilled, leaderStopped, leaderCut, standbyKilled, serverCut, serverPromoted, serverSlow, sessionEnded,
            commitLost, commitsLost, takeover
    }

    /// The time of a promise, and the coordinator's life that made the promise.
    struct Promise {
        var time: Timestamp
        var life: Int
    }

    /// The violations, a sentence each.
    package private(set) var violations: [String] = []
    /// The number of faults of each kind.
    package private(set) var troubles: [Trouble: Int] = [:]
    /// All attempts and hooks, in the order of their starts.
    private(set) var processes: [SimulatedProcess] = []
    var byOperation: [OperationID: [SimulatedProcess]] = [:]
    private var startedTokens: Set<AttemptToken> = []
    /// Attempts whose ends were acknowledged.
    private(set) var acknowledgedTokens: Set<AttemptToken> = []
    private var sessions: [Int: SessionID] = [:]

    /// The submissions that were sent, by key, with the acknowledged job or the refusal.
    var submissions: [String: (submission: Submission, job: JobNumber?, refusal: Refusal?)] = [:]
    /// The additions that were sent to jobs, by key, with the place of an acknowledged addition.
    var additions: [String: (submission: Submission, job: JobNumber, first: UInt32?)] = [:]
    /// The first time of each submission.
    private(set) var sentAt: [String: Timestamp] = [:]
    var isLimited = false
    /// The lives of the coordinator whose beginnings coincided with the loss of a worker.
    ///
    /// Reports that only the worker could repeat were lost with both, and operations that followed from the reports may
    /// run again.
    private(set) var livesAfterDoubleFaults: Set<Int> = []
    private(set) var noStart: [OperationID: Promise] = [:]
    private var suspensions: [String: Promise] = [:]
    private var holds: [OperationID: Promise] = [:]
    private(set) var finishedFor: [OperationID: Promise] = [:]
    /// The operations with a requested cancellation.
    private(set) var cancelAsked: Set<OperationID> = []
    /// The operations with a requested further dependency, perhaps before a retry.
    private(set) var dependAsked: Set<OperationID> = []
    /// The number of unanswered requests for further dependencies of an operation.
    private var dependUnanswered: [OperationID: Int] = [:]
    /// The time of the last answer to a request for further dependencies of an operation.
    private var dependAnswered: [OperationID: Timestamp] = [:]
    /// The operations with a requested removal of a dependency: an operation may run before the removal is on disk.
    private(set) var undependAsked: Set<OperationID> = []
    private(set) var queuesCancelled: Set<String> = []
    /// The jobs that clients asked to cancel as a whole.
    private(set) var jobsCancelled: Set<JobNumber> = []
    /// The times of requests to start operations that could not be committed.
    private var uncommittedRequests: [Timestamp] = []
    /// Whether a request to start operations may be applied late.
    private var isReleaseUncertain = false
    private var uncertainQueues: Set<String> = []
    private var drains: [Int: Promise] = [:]
    private var uncertainDrains: Set<Int> = []
    var streams: [Int: EventStream] = [:]

    /// The jobs of the replaced record, which only have to end.
    private(set) var ignoredJobs: Set<JobNumber> = []

    init() {}

    /// Continues after the replacement of the record: earlier promises are void.
    init(after earlier: History, ignoring jobs: Set<JobNumber>) {
        violations = earlier.violations
        troubles = earlier.troubles
        ignoredJobs = jobs
    }

    func note(_ trouble: Trouble) { troubles[trouble, default: 0] += 1 }

    func report(_ violation: String) {
        if violations.count < 20 { violations.append(violation) }
    }

    func report(_ found: [String]) { for violation in found { report(violation) } }

    // MARK: - Workers

    func greeted(worker: Int, _ session: SessionID) { sessions[worker] = session }

    func session(ofWorker worker: Int) -> SessionID? { sessions[worker] }

    func hasStarted(_ token: AttemptToken) -> Bool { startedTokens.contains(token) }

    func acknowledged(_ tokens: [AttemptToken]) { acknowledgedTokens.formUnion(tokens) }

    /// Notes that attempts may run again: their ends were lost with the worker, or the worker was out of contact for
    /// too long.
    func excuse(_ tokens: Set<AttemptToken>, where isMeant: (SimulatedProcess) -> Bool = { _ in true }) {
        for process in processes where tokens.contains(process.token) && isMeant(process) { process.isExcused = true }
    }

    /// Notes that the removal of an operation's dependency could not be committed.
    ///
    /// A coordinator may have started the operation after the removal, before a kill. The attempts of that time do not
    /// count: the operation still has the dependencies, perhaps unfinished.
    func dependenciesRemain(of id: OperationID) {
        for process in byOperation[id] ?? [] { process.isExcused = true }
    }

    /// Notes that a request could not be committed.
    ///
    /// A coordinator may have carried out an earlier copy of the request, and started operations, before it was killed
    /// without a commit. The next coordinator does not know of the starts, and starts the operations again after the
    /// request.
    func notCommitted(since asked: Timestamp) { uncommittedRequests.append(asked) }

    /// Notes that a worker was lost while the coordinator was away, or was still waiting for its workers.
    func doubleFault(atLife life: Int) { livesAfterDoubleFaults.insert(life) }

    /// Whether a later life of the coordinator may run an attempt again, although the worker came back with the
    /// attempt.
    ///
    /// Recorded attempts stay with a worker that comes back, whatever happens to other workers.
    func isExcusedByDoubleFault(_ earlier: SimulatedProcess, _ later: SimulatedProcess, in world: World) -> Bool {
        guard earlier.token.epoch < later.token.epoch, !earlier.isRecorded else { return false }
        if uncommittedRequests.contains(where: { $0 <= earlier.startedAt }) { return true }
        let lives = [earlier, later].map { Int($0.token.epoch) + world.coordinator.livesBeforeRecord }
        return livesAfterDoubleFaults.contains { $0 > lives[0] && $0 <= lives[1] }
    }

    /// Checks and records the start of an attempt.
    func started(_ process: SimulatedProcess, in world: World) {
        defer {
            processes.append(process)
            byOperation[process.operation, default: []].append(process)
        }
        guard process.hookOutcome == nil else { return }
        // The reports of an absent worker are as good as lost.
        if world.isAnyWorkerMissing { doubleFault(atLife: world.coordinator.life) }
        let id = process.operation
        if !startedTokens.insert(process.token).inserted {
            report("the attempt \(process.token) of \(id) started twice")
        }
        // An earlier leader may have given up what the present one still waits for.
        let maker = world.maker(of: process.token)
        for earlier in byOperation[id] ?? [] where earlier.hookOutcome == nil {
            if world.isOutOfContact(earlier, asSeenBy: maker) || isExcusedByDoubleFault(earlier, process, in: world) {
                earlier.isExcused = true
            }
            // After any crash, attempt numbers only grow (D3).
            if earlier.attempt >= process.attempt {
                report("\(id) started as attempt \(process.attempt) after attempt \(earlier.attempt)")
            }
            // No process outlives a killed worker, unlike the processes of a worker that is cut off.
            let isOrphan = earlier.life != world.workers[earlier.worker].life
            if earlier.endedAt == nil, isOrphan || !earlier.isExcused {
                report("\(id) started as attempt \(process.attempt) while attempt \(earlier.attempt) runs")
            }
            if earlier.end == .exited(0), acknowledgedTokens.contains(earlier.token), !earlier.isExcused,
                !(world.fileWatch?.mayRepeat(earlier) ?? false)
            {
                report("\(id) started again after its success was acknowledged")
            }
        }
        for (promises, promise) in [(noStart, "its cancellation"), (holds, "its hold"), (finishedFor, "a wait for it")]
        {
            // What is over is neither cancelled nor waited for again when files of it are lost.
            if promises[id] != nil, !(world.fileWatch?.isRepetition(process, at: world.now) ?? false) {
                report("\(id) started after \(promise) was acknowledged")
            }
        }
        if suspensions[process.queue] != nil {
            report("\(id) started after the suspension of its queue was acknowledged")
        }
        if drains[process.worker] != nil {
            report("\(id) started on worker \(process.worker + 1) after its drain was acknowledged")
        }
        if world.isTooLate(process) {
            report("\(id) started for an earlier leader, after the window of the one that took over")
        }
        checkCompany(of: process, in: world)
    }

    /// Checks limits and barriers among the running operations of the queue, and what all queues share.
    private func checkCompany(of process: SimulatedProcess, in world: World) {
        let maker = world.maker(of: process.token)
        let running = world.workers.flatMap { $0.processes.values }.filter { other in
            other !== process && world.coordinator.hasMade(other.token) && other.hookOutcome == nil && !other.isExcused
                && !world.isOutOfContact(other, asSeenBy: maker)
        }
        if process.units > 0 {
            let taken = running.reduce(process.units) { $0 + $1.units }
            if taken > Workload.sharedLimit.units ?? 0 {
                report("\(process.operation) started, and \(taken) units of the limit are taken")
            }
        }
        let others = running.filter { $0.queue == process.queue }
        if isLimited, process.queue == Workload.queues[0], others.count >= Workload.limit {
            report("\(process.operation) started beside \(others.count) of its queue, whose limit is \(Workload.limit)")
        }
        for other in others where other.isBarrier || process.isBarrier {
            report("\(process.operation) started beside \(other.operation), and one of them is a barrier")
        }
    }

    // MARK: - Promises

    func willSubmit(_ submission: Submission, at now: Timestamp) {
        submissions[submission.key ?? ""] = (submission, nil, nil)
        sentAt[submission.key ?? ""] = now
    }

    func submitted(_ submission: Submission, as job: JobNumber) { submissions[submission.key ?? ""]?.job = job }

    func refused(_ submission: Submission, _ refusal: Refusal) {
        submissions[submission.key ?? ""]?.refusal = refusal
        if refusal.code != .storage && refusal.code != .unknownDependency && refusal.code != .cycle {
            report("a submission was refused: \(refusal.message)")
        }
    }

    /// Whether an operation was added to its job after the submission.
    func isAdded(_ id: OperationID) -> Bool {
        let submitted = submissions.values.first { $0.job == id.job }?.submission
        return submitted.map { Int(id.index) >= $0.operationCount } ?? true
    }

    func willAdd(_ submission: Submission, to job: JobNumber, at now: Timestamp) {
        additions[submission.key ?? ""] = (submission, job, nil)
        sentAt[submission.key ?? ""] = now
    }

    func added(_ submission: Submission, to job: JobNumber, from first: UInt32) {
        guard let sent = additions[submission.key ?? ""], sent.job == job else {
            return report("an addition was made to job \(job), which is another one")
        }
        if let known = sent.first, known != first {
            report("one addition to job \(job) has the places \(known) and \(first)")
        }
        additions[submission.key ?? ""]?.first = first
    }

    func additionRefused(_ submission: Submission, _ refusal: Refusal) {
        if ![.storage, .unknownDependency, .cycle, .invalid, .notFound].contains(refusal.code) {
            report("an addition was refused: \(refusal.message)")
        }
    }

    /// Notes a request to cancel operations.
    ///
    /// - Returns: the certainly selected operations; operations that are added later may be selected, too.
    func willCancel(_ addresses: [Address], queue: String?, in world: World) -> [OperationID] {
        var meant: [OperationID] = []
        for address in addresses {
            switch address {
            case .operation(let id): meant.append(id)
            case .job(let job):
                jobsCancelled.insert(job)
                meant += world.coordinator.disk.operations(of: job).map(\.record.id)
            case .operations(let job, let range): meant += range.map { OperationID(job: job, index: $0) }
            case .named: break
            }
        }
        if let queue { queuesCancelled.insert(queue) }
        cancelAsked.formUnion(meant)
        return meant
    }

    func cancelled(_ operations: [OperationID], _ report: ChangeReport, in world: World) {
        guard report.unanswered.isEmpty else { return }
        for id in operations where noStart[id] == nil { noStart[id] = world.promise }
    }

    func willDepend(_ id: OperationID) {
        dependAsked.insert(id)
        dependUnanswered[id, default: 0] += 1
    }

    func depended(_ id: OperationID, at now: Timestamp) {
        dependUnanswered[id, default: 0] -= 1
        dependAnswered[id] = now
    }

    /// Whether an operation may have got a further dependency at a time or later: a request reaches the coordinator long
    /// after the client sent it.
    func mayDepend(_ id: OperationID, since start: Timestamp) -> Bool {
        dependUnanswered[id, default: 0] > 0 || dependAnswered[id].map { $0 >= start } ?? false
    }

    func willUndepend(_ id: OperationID) { undependAsked.insert(id) }

    func suspended(_ queue: String, _ report: ChangeReport, in world: World) {
        guard report.unanswered.isEmpty, !uncertainQueues.contains(queue) else { return }
        suspensions[queue] = world.promise
    }

    /// From now on, the queue may be resumed at any moment, as the request may arrive late.
    func willResume(_ queue: String) {
        suspensions[queue] = nil
        uncertainQueues.insert(queue)
    }

    func drained(_ worker: Int, _ report: ChangeReport, in world: World) {
        guard report.unanswered.isEmpty, !uncertainDrains.contains(worker) else { return }
        drains[worker] = world.promise
    }

    /// From now on, the worker may be undrained at any moment, as the request may arrive late.
    func willUndrain(_ worker: Int) {
        drains[worker] = nil
        uncertainDrains.insert(worker)
    }

    func held(_ id: OperationID, _ report: ChangeReport, in world: World) {
        let hasStarted = byOperation[id]?.contains { $0.hookOutcome == nil } ?? false
        guard report.unanswered.isEmpty, report.changed > 0, !isReleaseUncertain, !hasStarted else { return }
        holds[id] = world.promise
    }

    func willRelease() {
        holds = [:]
        isReleaseUncertain = true
    }

    func waitEnded(_ job: JobNumber, in world: World) {
        guard let count = submissions.values.first(where: { $0.job == job })?.submission.operationCount else { return }
        for index in 0..<UInt32(count) {
            let id = OperationID(job: job, index: index)
            if finishedFor[id] == nil { finishedFor[id] = world.promise }
            for process in byOperation[id] ?? []
            where process.endedAt == nil && process.hookOutcome == nil && !process.isExcused
                && !process.isMadeAgain && !world.isOutOfContact(process)
            {
                report("a wait for job \(job) ended while \(id) runs")
            }
        }
    }
}

extension SimulatedProcess {
    /// The word of the command of an operation that may not run again.
    static let onceMark = "once"

    /// Whether the operation may not run again.
    var isOnce: Bool { command.contains(Self.onceMark) }

    /// Whether the attempt is that of a barrier; what only makes files once more is none.
    var isBarrier: Bool { command.last == "barrier" && !isMadeAgain }

    /// The units that the operation takes of the limit that the queues share.
    var units: UInt32 {
        guard let word = command.first(where: { $0.hasPrefix("units=") }) else { return 0 }
        return UInt32(word.dropFirst("units=".count)) ?? 0
    }
}

extension World {
    /// A promise that is made now.
    var promise: History.Promise { History.Promise(time: now, life: coordinator.life) }

    /// Whether a coordinator may have declared an attempt lost.
    ///
    /// - Parameter leader: the coordinator; nil for the one that leads.
    func isOutOfContact(_ process: SimulatedProcess, asSeenBy leader: CoordinatorHost? = nil) -> Bool {
        let worker = workers[process.worker]
        if process.life != worker.life { return !faults.contains(.leaveChildren) }
        return isOutOfContact(worker, isRecorded: process.isRecorded, asSeenBy: leader)
    }

    /// The coordinator that has made an attempt: the one that leads, or an earlier one, which may not know of it.
    func maker(of token: AttemptToken) -> CoordinatorHost {
        guard isOfEarlierLeader(token) else { return coordinator }
        let life = Int(token.epoch) + coordinator.livesBeforeRecord
        return coordinators.first { $0.life == life } ?? coordinator
    }

    /// The end of the reconcile window for unrecorded attempts.
    private func windowEnd(of leader: CoordinatorHost) -> Timestamp {
        leader.startedAt
            + min(settings.configuration.reconcileWindow + settings.lease, settings.configuration.lostAfter)
    }

    /// Whether an attempt that starts now has its start from an earlier leader, and its worker has not come to the one that took over
    /// before the end of its window.
    func isTooLate(_ process: SimulatedProcess) -> Bool {
        isMissing(workers[process.worker]) && isOfEarlierLeader(process.token)
    }

    /// Whether an attempt was made by a coordinator from which another one has taken over.
    func isOfEarlierLeader(_ token: AttemptToken) -> Bool {
        hasStandby && coordinator.hasMade(token)
            && Int(token.epoch) + coordinator.livesBeforeRecord < coordinator.life
    }

    /// Whether any worker has not come back to a restarted coordinator in time.
    var isAnyWorkerMissing: Bool { workers.contains(where: isMissing) }

    /// Whether a worker has not come back to a restarted coordinator in time.
    func isMissing(_ worker: WorkerHost) -> Bool {
        now >= windowEnd(of: coordinator) && worker.lastContact.map { $0.life < coordinator.life } ?? false
    }

    /// Whether the coordinator may have given up a worker's attempts.
    ///
    /// No message of the worker has arrived for too long, or none since the start of the coordinator. In the second
    /// case the coordinator gives up unrecorded attempts sooner, also after a hello without further messages.
    func isOutOfContact(_ worker: WorkerHost, isRecorded: Bool, asSeenBy leader: CoordinatorHost? = nil) -> Bool {
        guard let contact = worker.lastContact else { return true }
        let leader = leader ?? coordinator
        let lostAfter = settings.configuration.lostAfter
        let windowEnd = windowEnd(of: leader)
        if contact.life < leader.life {
            return now >= (isRecorded ? leader.startedAt + lostAfter : windowEnd)
        }
        let isSilent = now - contact.time >= lostAfter
        guard !isSilent, !isRecorded else { return isSilent }
        return leader.life > 1 && contact.time < windowEnd && now >= windowEnd
            && now - contact.time > .milliseconds(500)
    }
}
