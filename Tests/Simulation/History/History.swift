import BatonOperations
import BatonScheduler
import BatonStore
import BatonTestSupport
import BatonWire

/// What happened in a run, as seen from outside the machines, and what of it must not have.
///
/// What can be judged at the moment is judged then (see ``started(_:in:)``), the rest at the end.
package final class History {
    /// Something that went wrong on purpose.
    package enum Trouble: String, CaseIterable, Sendable {
        case coordinatorKilled, coordinatorStopped, workerKilled, workerStopped, workerLeft, hostCut, linkBroken,
            diskFull
        case diskSlow, workerBroken, clockSet, recordReplaced, workersStoppedAtRestart
    }

    /// What was promised at a time, by one of the coordinator's lives.
    struct Promise {
        var time: Timestamp
        var life: Int
    }

    /// What must not have happened, a sentence each.
    package private(set) var violations: [String] = []
    /// How often each kind of trouble came.
    package private(set) var troubles: [Trouble: Int] = [:]
    /// All attempts and hooks, in the order of their starts.
    private(set) var processes: [SimulatedProcess] = []
    var byOperation: [OperationID: [SimulatedProcess]] = [:]
    private var startedTokens: Set<AttemptToken> = []
    /// Attempts whose ends were acknowledged.
    private(set) var settled: Set<AttemptToken> = []
    private var sessions: [Int: SessionID] = [:]

    /// The submissions that were sent, by key; with the job that it was acknowledged as.
    var submissions: [String: (submission: Submission, job: JobNumber?, refusal: Refusal?)] = [:]
    /// When each was sent first.
    private(set) var sentAt: [String: Timestamp] = [:]
    var isLimited = false
    /// The lives of the coordinator around whose beginning a worker was lost too: what that one alone could tell was lost with
    /// both, and what others ran because of it may run again.
    private(set) var livesAfterDoubleFaults: Set<Int> = []
    private(set) var noStart: [OperationID: Promise] = [:]
    private var suspensions: [String: Promise] = [:]
    private var holds: [OperationID: Promise] = [:]
    private(set) var finishedFor: [OperationID: Promise] = [:]
    /// What a cancellation was asked for.
    private(set) var cancelAsked: Set<OperationID> = []
    /// What was given another dependency, maybe after it had run and was to be tried again.
    private(set) var dependAsked: [OperationID: Timestamp] = [:]
    /// What was to depend on less: it may have run for that before it was kept.
    private(set) var undependAsked: Set<OperationID> = []
    private(set) var queuesCancelled: Set<String> = []
    /// When requests were asked that let operations go, and of which was said in the end that they could not be kept.
    private var unkeptRequests: [Timestamp] = []
    /// A request that lets operations start was asked, and might be applied late.
    private var isReleaseUncertain = false
    private var uncertainQueues: Set<String> = []
    var streams: [Int: EventStream] = [:]

    /// The jobs of before the record was replaced, which are only to come to an end.
    private(set) var ignoredJobs: Set<JobNumber> = []

    init() {}

    /// Goes on after the record was replaced: what was promised before holds no more.
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

    func acknowledged(_ tokens: [AttemptToken]) { settled.formUnion(tokens) }

    /// Notes that attempts may run again: their ends were lost with their worker, or it was out of contact for too long.
    func excuse(_ tokens: Set<AttemptToken>, where isMeant: (SimulatedProcess) -> Bool = { _ in true }) {
        for process in processes where tokens.contains(process.token) && isMeant(process) { process.isExcused = true }
    }

    /// Notes that an operation was to depend on less, and that this could not be kept.
    ///
    /// A coordinator that was killed meanwhile may have let it run for that. What ran then does not count: its dependencies, which
    /// it still has, may not have been finished.
    func keptDependencies(of id: OperationID) {
        for process in byOperation[id] ?? [] { process.isExcused = true }
    }

    /// Notes that what was asked since a time could not be kept.
    ///
    /// An earlier copy of the request may have been carried out: what a coordinator let go because of it, and was killed before it
    /// could keep that, is not known to the next one, and runs again when it is let go then.
    func notKept(since asked: Timestamp) { unkeptRequests.append(asked) }

    /// Notes that a worker was lost while the coordinator was away, or was still waiting for its workers.
    func doubleFault(atLife life: Int) { livesAfterDoubleFaults.insert(life) }

    /// Whether an attempt of one of the coordinator's lives may run again in a later one, though its worker came back with it.
    ///
    /// What the record has stays with a worker that comes back, whatever becomes of others.
    func isExcusedByDoubleFault(_ earlier: SimulatedProcess, _ later: SimulatedProcess, in world: World) -> Bool {
        guard earlier.token.epoch < later.token.epoch, !earlier.isRecorded else { return false }
        if unkeptRequests.contains(where: { $0 <= earlier.startedAt }) { return true }
        let lives = [earlier, later].map { Int($0.token.epoch) + world.coordinator.livesBeforeRecord }
        return livesAfterDoubleFaults.contains { $0 > lives[0] && $0 <= lives[1] }
    }

    /// Judges and keeps the start of an attempt.
    func started(_ process: SimulatedProcess, in world: World) {
        defer {
            processes.append(process)
            byOperation[process.operation, default: []].append(process)
        }
        guard process.hookOutcome == nil else { return }
        // What only a worker could tell that is away is as good as lost with it.
        if world.isAnyWorkerMissing { doubleFault(atLife: world.coordinator.life) }
        let id = process.operation
        if !startedTokens.insert(process.token).inserted {
            report("the attempt \(process.token) of \(id) started twice")
        }
        for earlier in byOperation[id] ?? [] where earlier.hookOutcome == nil {
            if world.isOutOfContact(earlier) || isExcusedByDoubleFault(earlier, process, in: world) {
                earlier.isExcused = true
            }
            // Whatever dies: numbers only grow (D3).
            if earlier.attempt >= process.attempt {
                report("\(id) started as attempt \(process.attempt) after attempt \(earlier.attempt)")
            }
            // Whatever becomes of a worker that is cut off, nothing outlives one that is killed.
            let isOrphan = earlier.life != world.workers[earlier.worker].life
            if earlier.endedAt == nil, isOrphan || !earlier.isExcused {
                report("\(id) started as attempt \(process.attempt) while attempt \(earlier.attempt) runs")
            }
            if earlier.end == .exited(0), settled.contains(earlier.token), !earlier.isExcused {
                report("\(id) started again after its success was acknowledged")
            }
        }
        for (promises, promise) in [(noStart, "its cancellation"), (holds, "its hold"), (finishedFor, "a wait for it")]
        {
            if promises[id] != nil {
                report("\(id) started after \(promise) was acknowledged")
            }
        }
        if suspensions[process.queue] != nil {
            report("\(id) started after the suspension of its queue was acknowledged")
        }
        checkCompany(of: process, in: world)
    }

    /// Limits and barriers: who else runs in the queue.
    private func checkCompany(of process: SimulatedProcess, in world: World) {
        let others = world.workers.flatMap { $0.processes.values }.filter { other in
            other !== process && other.queue == process.queue && world.coordinator.hasMade(other.token)
                && other.hookOutcome == nil && !other.isExcused
                && !world.isOutOfContact(other)
        }
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

    /// Notes that operations are to be cancelled.
    ///
    /// - Returns: those that are certainly meant: what is added later may be, or not.
    func willCancel(_ addresses: [Address], queue: String?, in world: World) -> [OperationID] {
        var meant: [OperationID] = []
        for address in addresses {
            switch address {
            case .operation(let id): meant.append(id)
            case .job(let job):
                let operations = (try? world.coordinator.disk.operations(of: job, from: 0, limit: .max)) ?? []
                meant += operations.map(\.record.id)
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

    func willDepend(_ id: OperationID, at now: Timestamp) { dependAsked[id] = min(dependAsked[id] ?? now, now) }

    func willUndepend(_ id: OperationID) { undependAsked.insert(id) }

    func suspended(_ queue: String, _ report: ChangeReport, in world: World) {
        guard report.unanswered.isEmpty, !uncertainQueues.contains(queue) else { return }
        suspensions[queue] = world.promise
    }

    /// From here on, the queue may be resumed at any moment: the request may be delivered late.
    func willResume(_ queue: String) {
        suspensions[queue] = nil
        uncertainQueues.insert(queue)
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
                && !world.isOutOfContact(process)
            {
                report("a wait for job \(job) ended while \(id) runs")
            }
        }
    }
}

extension SimulatedProcess {
    /// Whether it is alone in its queue.
    var isBarrier: Bool { command.last == "barrier" }
}

extension World {
    /// What is promised now.
    var promise: History.Promise { History.Promise(time: now, life: coordinator.life) }

    /// Whether the coordinator may have taken an attempt for lost.
    func isOutOfContact(_ process: SimulatedProcess) -> Bool {
        let worker = workers[process.worker]
        if process.life != worker.life { return !faults.contains(.leaveChildren) }
        return isOutOfContact(worker, isRecorded: process.isRecorded)
    }

    /// When the coordinator waits no more for workers of before its start, as far as what its record does not have goes.
    private var windowEnd: Timestamp {
        coordinator.startedAt + min(settings.configuration.reconcileWindow, settings.configuration.lostAfter)
    }

    /// Whether a worker has not come back to a restarted coordinator in time.
    var isAnyWorkerMissing: Bool {
        now >= windowEnd && workers.contains { $0.lastContact.map { $0.life < coordinator.life } ?? false }
    }

    /// Whether the coordinator may have given up what a worker has.
    ///
    /// Nothing of the worker has come for so long, or since before the coordinator was started. What the record does not have is
    /// given up sooner in that case, and also where the worker said hello then and has not said the rest.
    func isOutOfContact(_ worker: WorkerHost, isRecorded: Bool) -> Bool {
        guard let contact = worker.lastContact else { return true }
        let lostAfter = settings.configuration.lostAfter
        if contact.life < coordinator.life {
            return now >= (isRecorded ? coordinator.startedAt + lostAfter : windowEnd)
        }
        let isSilent = now - contact.time >= lostAfter
        guard !isSilent, !isRecorded else { return isSilent }
        return coordinator.life > 1 && contact.time < windowEnd && now >= windowEnd
            && now - contact.time > .milliseconds(500)
    }
}
