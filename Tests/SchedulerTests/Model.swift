@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

/// The rules of SEMANTICS in the simplest implementation: a list of operations that each question scans.
///
/// The model shares only value types with the scheduler, and predicts the effect and the time of each request. The
/// model does not choose dispatches or workers: it checks that the scheduler's choice was allowed.
struct Model {
    /// Operations that another operation waits for, with the required outcome.
    struct Group {
        enum Kind {
            case operation, array, job
        }

        let dependency: Dependency
        let kind: Kind
        let targets: [Int]
    }

    /// An operation with all data for the rules.
    struct Op {
        let id: OperationID
        let queue: String
        let isBarrier: Bool
        let retries: Int
        let retryDelay: Duration
        let hasHook: Bool
        /// The type that its worker has to run.
        let type: String?
        /// Whether a lost attempt is never repeated.
        let runsAtMostOnce: Bool
        var priority: Priority
        /// The number in the order in which operations reached the present priority.
        var order: Int
        var groups: [Group] = []
        var notBefore: Timestamp?
        /// Whether it was submitted with a delay.
        var hasDelay = false
        var isHeld = false
        var isCancelled = false
        var outcome: Outcome?
        /// The ending for which the operation was skipped.
        var skippedFor: Ending?
        var hasResult = false
        /// Whether any of its groups, removed groups included, had a result.
        var hadInputs = false
        /// The attempt and the worker of the last dispatch.
        var token: AttemptToken?
        var worker: String?
        var isStarted = false
        /// Whether its attempt stands still.
        var isPaused = false
        var isPrefetched = false
        var isRecalled = false
        /// Whether its attempt waits to be on disk before the dispatch.
        var isWithheld = false
        /// Whether its next attempt is on disk first, because a request let it start.
        var isRecordedFirst = false
        /// Whether the last crash has certainly left no attempt of it behind.
        var isUnsent = false
        var attempts = 0
        var failures = 0
        var losses = 0
        /// The attempts lost with a worker without counting.
        var uncountedLosses = 0
        var progress: UInt32 = 0
        /// The exit statuses that are not retried.
        let unretriedStatuses: Set<Int32>
        /// The time limit of the first attempt, and the longest one.
        let timeout: Duration?
        let timeoutUpTo: Duration?
        /// Whether it leaves the result of its last attempt also if it did not succeed.
        let keepsResult: Bool
        /// The number of retries of attempts that ran longer than they might.
        var timeouts = 0
        /// Its work, with added programs.
        var work: Work.Kind

        /// The time limit of the next or present attempt.
        var presentTimeout: Duration? {
            timeout.map { min($0 * (1 << timeouts), timeoutUpTo ?? $0) }
        }

        /// Whether an attempt with a bad end is retried while retries are left.
        func isRetried(_ end: AttemptEnd) -> Bool {
            if case .exited(let status) = end { !unretriedStatuses.contains(status) } else { true }
        }

        /// The meaning of its outcome for its dependents.
        var ending: Ending? {
            switch outcome {
            case nil: nil
            case .succeeded: .succeeded
            case .failed: .failed(id)
            case .cancelled: .cancelled(id)
            case .skipped: skippedFor ?? .notNeeded
            }
        }

        /// Whether the operation runs programs, and so accepts more.
        var runsCommands: Bool {
            if case .commands = work { true } else { false }
        }
    }

    struct Worker {
        var session: SessionID
        var slots: Int
        var types: [String]
        var processID: Int32
        var lastHeard: Timestamp
        /// The time of the next look at the worker's silence.
        var judgedAt: Timestamp
        /// Whether the worker's session is on disk.
        var isCommitted = false
        var isSuspect = false
        var isLost = false
        var isLeaving = false
        /// Whether the worker has not come back since a restart.
        var isAbsent = false
    }

    /// An entry of a submission, as a range of operations.
    struct SubmittedEntry {
        let name: String?
        let range: Range<Int>
        let isArray: Bool
    }

    struct Queue {
        var settings = QueueSettings()
        var completed = 0
    }

    let configuration: Configuration
    /// In the order of their addition.
    var ops: [Op] = []
    var places: [OperationID: Int] = [:]
    var jobs: [JobNumber: [Int]] = [:]
    /// The jobs that take further operations.
    var openJobs: Set<JobNumber> = []
    /// The jobs that a cancellation ended without meeting an operation, before any had succeeded.
    var cancelledJobs: Set<JobNumber> = []
    /// How many parts of each job, the submission and additions, are not known to be on disk.
    var uncommittedJobs: [JobNumber: Int] = [:]
    var queues: [String: Queue] = [:]
    var workers: [String: Worker] = [:]
    /// The submitted entries, with the indices of each entry's operations.
    var entries: [JobNumber: [SubmittedEntry]] = [:]
    /// The requests that wait until their effects are known, in the order of arrival.
    var deferRequest: [PutOffRequest] = []
    /// The put-off requests that wait for no attempt any more.
    var due: [PutOffRequest] = []
    /// The outcomes of requests about operations, kept until the comparison with the answers.
    var done: [RequestID: Done] = [:]
    /// The roots of skips as the scheduler recorded them; the model only checks that each is allowed.
    var recordedSkips: [OperationID: Ending] = [:]
    var nextOrder = 0
    var now = Timestamp(rawValue: 0)
    /// The requests that wait for the end of the reconcile window, in order.
    var postponed: [Event] = []
    /// Whether the record can be written: otherwise no operation is dispatched.
    var isRecordWritable = true
    /// The jobs whose first attempts may be missing on disk.
    var jobsMissingAttempts: Set<JobNumber> = []
    /// The queues that start no operations during the reconcile window.
    var gatedQueues: Set<String> = []
    /// Whether the coordinator waits for the workers of before a restart.
    var isReconciling = false
    /// Whether the coordinator waited for workers when the present event came: the model then takes over the fate of
    /// attempts from the scheduler.
    var isFollowing = false

    init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    // MARK: States

    func state(_ op: Op) -> OperationState {
        if op.outcome != nil { return .finished }
        if op.isStarted { return .executing }
        if op.token != nil { return .ready }
        if op.isHeld { return .pending }
        if let time = op.notBefore, time > now { return .pending }
        return areConditionsMet(op) ? .ready : .pending
    }

    /// The operations that a group means now: a job may have grown.
    func targets(of group: Group) -> [Int] {
        if case .existing(.job(let job)) = group.dependency.target, group.kind == .job { return jobs[job] ?? [] }
        return group.targets
    }

    func endings(_ group: Group) -> [Ending] {
        let endings = targets(of: group).compactMap { ops[$0].ending }
        guard case .existing(.job(let job)) = group.dependency.target, cancelledJobs.contains(job) else {
            return endings
        }
        return endings + [.cancelled(job / 0)]
    }

    private func isFinished(_ group: Group) -> Bool {
        if case .existing(.job(let job)) = group.dependency.target, openJobs.contains(job) { return false }
        return targets(of: group).allSatisfy { ops[$0].outcome != nil }
    }

    private func areConditionsMet(_ op: Op) -> Bool {
        guard op.groups.allSatisfy(isFinished) else { return false }
        if op.isCancelled { return true }
        let allFailing = op.groups.filter { $0.dependency.condition == .failureOfAll }
        guard allFailing.allSatisfy({ endings($0).contains(where: \.isFailure) }) else { return false }
        let needed = op.groups.filter { $0.dependency.condition == .success }
        let failing = op.groups.filter { $0.dependency.condition == .failure }
        return needed.allSatisfy { group in
            let endings = endings(group)
            return endings.allSatisfy { $0.root == nil } && (group.kind == .job || endings.contains(.succeeded))
        } && (failing.isEmpty || failing.contains { endings($0).contains(where: \.isFailure) })
    }

    /// The possible reasons to skip an operation in the present state; empty while its conditions can still hold.
    private func reasonsToSkip(_ op: Op) -> [Ending] {
        var reasons: [Ending] = []
        for group in op.groups where group.dependency.condition == .success {
            let endings = endings(group)
            reasons += endings.filter { $0.root != nil }
            if group.kind != .job, isFinished(group), endings.allSatisfy({ $0 == .notNeeded }) {
                reasons.append(.notNeeded)
            }
        }
        for group in op.groups where group.dependency.condition == .failureOfAll && isFinished(group) {
            let endings = endings(group)
            guard !endings.contains(where: \.isFailure) else { continue }
            let cancelled = endings.filter { $0.root != nil }
            reasons += cancelled.isEmpty ? [.notNeeded] : cancelled
        }
        let failing = op.groups.filter { $0.dependency.condition == .failure }
        guard !failing.isEmpty, failing.allSatisfy({ isFinished($0) && !endings($0).contains(where: \.isFailure) })
        else {
            return reasons
        }
        let cancelled = failing.map { endings($0).filter { $0.root != nil } }.first { !$0.isEmpty }
        return reasons + (cancelled ?? [.notNeeded])
    }

    func hasInputs(_ op: Op) -> Bool {
        if case .typed = op.work { return !op.groups.isEmpty }
        return op.groups.contains { targets(of: $0).contains { ops[$0].hasResult } }
    }

    /// Skips operations whose conditions cannot hold any more, until no operation changes.
    ///
    /// The first of the endings that rule an operation out counts. The model does not know the order of endings within
    /// an event, so the record may choose any ending of the event.
    mutating func skipAllImpossible() {
        var isChanged = true
        while isChanged {
            isChanged = skipImpossible(onlyAsRecorded: true)
            // The recorded reason is none of the possible reasons: the comparison will show the difference.
            if !isChanged { isChanged = skipImpossible(onlyAsRecorded: false) }
        }
    }

    private mutating func skipImpossible(onlyAsRecorded isStrict: Bool) -> Bool {
        var isChanged = false
        for index in ops.indices where ops[index].outcome == nil && ops[index].token == nil && !ops[index].isCancelled {
            let reasons = reasonsToSkip(ops[index])
            guard let first = reasons.first else { continue }
            let recorded = recordedSkips[ops[index].id]
            let isAllowed = recorded.map { reasons.contains($0) } ?? false
            if isStrict, !isAllowed { continue }
            ops[index].outcome = .skipped
            ops[index].skippedFor = isAllowed ? recorded : first
            isChanged = true
            if !isStrict { return true }
        }
        return isChanged
    }

    // MARK: Order

    /// The operations of a queue that may be sent, best first, without the operations that a put-off request keeps
    /// back.
    func line(of queue: String) -> [Int] {
        var result: [Int] = []
        var isBehindBarrier = false
        var isBehindAny = false
        let kept = deferRequest.reduce(into: Set<Int>()) { $0.formUnion($1.kept) }
        for (index, op) in ops.enumerated() where op.queue == queue && op.outcome == nil {
            if op.token == nil, !isBehindBarrier, !(op.isBarrier && isBehindAny), !kept.contains(index),
                state(op) == .ready
            {
                result.append(index)
            }
            isBehindAny = true
            if op.isBarrier { isBehindBarrier = true }
            if isBehindBarrier { break }
        }
        return result.sorted { (ops[$0].priority, -ops[$0].order) > (ops[$1].priority, -ops[$1].order) }
    }

    func isSuspended(_ queue: String) -> Bool {
        queues[queue]?.settings.isSuspended ?? false
    }

    func claimed(in queue: String) -> Int {
        ops.count { $0.queue == queue && $0.token != nil && $0.outcome == nil }
    }

    func mayStart(_ queue: String) -> Bool {
        guard let settings = queues[queue]?.settings, !settings.isSuspended else { return false }
        if isReconciling && gatedQueues.contains(queue) { return false }
        return settings.maxConcurrent.map { claimed(in: queue) < $0 } ?? true
    }

    // MARK: Workers

    func isOpen(_ worker: Worker) -> Bool {
        worker.isCommitted && !worker.isLost && !worker.isLeaving && now < worker.lastHeard + configuration.suspectAfter
    }

    /// The operations of a worker's attempts, in the order of the dispatches.
    func attempts(of name: String) -> [Int] {
        let attempts = ops.indices.compactMap { index in
            ops[index].worker == name ? ops[index].token.map { (token: $0, index: index) } : nil
        }
        return attempts.sorted { $0.token < $1.token }.map(\.index)
    }

    /// Whether a worker has a free slot for an operation of a type.
    ///
    /// Without a type the answer is true, as any worker may run the operation, and another rule checks the slot.
    func findsSlot(_ type: String?) -> Bool {
        guard let type else { return true }
        return workers.contains { $0.value.types.contains(type) && freeSlots($0.key) > 0 }
    }

    func freeSlots(_ name: String) -> Int {
        guard let worker = workers[name], isOpen(worker) else { return 0 }
        return max(0, worker.slots - attempts(of: name).count)
    }
}
