import BatonOperations

@testable import BatonScheduler

/// The rules of SEMANTICS, implemented as simply as possible: a list of operations that is gone through for each question.
///
/// It shares nothing with the scheduler but the values, and knows beforehand what each request comes to and when. What is
/// sent, and where, it does not choose: it says whether the scheduler's choice was allowed.
struct Model {
    /// Operations that one of them waits for, with what has to become of them.
    struct Group {
        enum Kind {
            case operation, array, job
        }

        let dependency: Dependency
        let kind: Kind
        let targets: [Int]
    }

    /// An operation with all that the rules need.
    struct Op {
        let id: OperationID
        let queue: String
        let isBarrier: Bool
        let retries: Int
        let retryDelay: Duration
        let hasHook: Bool
        /// The type that its worker has to run.
        let type: String?
        /// Whether what is lost of it is never made up for.
        let runsAtMostOnce: Bool
        var priority: Priority
        /// Its number in the order in which operations came to their levels.
        var order: Int
        var groups: [Group] = []
        var notBefore: Timestamp?
        var isHeld = false
        var isCancelled = false
        var outcome: Outcome?
        /// What it was skipped for.
        var skippedFor: Ending?
        var hasResult = false
        /// Whether any group of it, removed ones included, had a result.
        var hadInputs = false
        /// The attempt that was sent or runs, and the worker that has it.
        var token: AttemptToken?
        var worker: String?
        var isStarted = false
        var isAhead = false
        var isRecalled = false
        /// Whether its attempt waits to be on disk before it is sent.
        var isWithheld = false
        var attempts = 0
        var failures = 0
        var losses = 0
        var progress: UInt32 = 0
        /// What it does, with the programs that were added.
        var work: Work.Kind

        /// What its end means to its dependents.
        var ending: Ending? {
            switch outcome {
            case nil: nil
            case .succeeded: .succeeded
            case .failed: .failed(id)
            case .cancelled: .cancelled(id)
            case .skipped: skippedFor ?? .notNeeded
            }
        }

        /// Whether it runs programs, to which others can be added.
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
        /// When its silence is looked at next.
        var judgedAt: Timestamp
        /// Whether it is on disk that it has this session.
        var isKept = false
        var isSuspect = false
        var isLost = false
        var isLeaving = false
        /// Whether it has not come back since a restart.
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
    var jobs: [JobNumber: Range<Int>] = [:]
    /// The jobs that are not known to be on disk.
    var unkeptJobs: Set<JobNumber> = []
    var queues: [String: Queue] = [:]
    var workers: [String: Worker] = [:]
    /// What was submitted, with the indices that each entry of a job became.
    var entries: [JobNumber: [SubmittedEntry]] = [:]
    /// The requests that wait until it is known what they meet, in the order in which they came to wait.
    var putOff: [PutOffRequest] = []
    /// Those of them that wait for nothing any more.
    var due: [PutOffRequest] = []
    /// What was done of each request that takes effect on operations, until that is compared with its answer.
    var done: [RequestID: Done] = [:]
    /// What the scheduler says that operations were skipped for; the model only says whether that may be.
    var recordedSkips: [OperationID: Ending] = [:]
    var nextOrder = 0
    var now = Timestamp(rawValue: 0)
    /// The requests that wait until the workers of before a restart are waited for no more, in order.
    var postponed: [Event] = []
    /// Whether the record can be written: else nothing is dispatched.
    var isRecordWritable = true
    /// The jobs of which first attempts may have been made that are not on disk.
    var jobsMissingAttempts: Set<JobNumber> = []
    /// The queues that start nothing as long as workers of before a restart are waited for.
    var gatedQueues: Set<String> = []
    /// Whether the workers of before a restart are waited for.
    var isReconciling = false
    /// Whether they were when the present event came: what becomes of attempts by it is taken over from the scheduler.
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

    private func endings(_ group: Group) -> [Ending] { group.targets.compactMap { ops[$0].ending } }

    private func isFinished(_ group: Group) -> Bool { group.targets.allSatisfy { ops[$0].outcome != nil } }

    private func areConditionsMet(_ op: Op) -> Bool {
        guard op.groups.allSatisfy(isFinished) else { return false }
        if op.isCancelled { return true }
        let needed = op.groups.filter { $0.dependency.condition == .success }
        let failing = op.groups.filter { $0.dependency.condition == .failure }
        return needed.allSatisfy { group in
            let endings = endings(group)
            return endings.allSatisfy { $0.root == nil } && (group.kind == .job || endings.contains(.succeeded))
        } && (failing.isEmpty || failing.contains { endings($0).contains(where: \.isFailure) })
    }

    /// What an operation may be skipped for as things are; empty while its conditions can still hold.
    private func reasonsToSkip(_ op: Op) -> [Ending] {
        var reasons: [Ending] = []
        for group in op.groups where group.dependency.condition == .success {
            let endings = endings(group)
            reasons += endings.filter { $0.root != nil }
            if group.kind != .job, isFinished(group), endings.allSatisfy({ $0 == .notNeeded }) {
                reasons.append(.notNeeded)
            }
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
        op.groups.contains { $0.targets.contains { ops[$0].hasResult } }
    }

    /// Skips what has become impossible, until nothing changes any more.
    ///
    /// Of what rules an operation out, the first counts. The model does not know which came first within an event, so the record
    /// may choose among all that does.
    mutating func settle() {
        var isChanged = true
        while isChanged {
            isChanged = skipImpossible(onlyAsRecorded: true)
            // What is recorded is none of the reasons that there are: that shows when the two are compared.
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

    /// For each queue, the operations that may be sent, best first; and those that cannot because of a request.
    func line(of queue: String) -> [Int] {
        var result: [Int] = []
        var isBehindBarrier = false
        var isBehindAny = false
        let kept = putOff.reduce(into: Set<Int>()) { $0.formUnion($1.kept) }
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
        worker.isKept && !worker.isLost && !worker.isLeaving && now < worker.lastHeard + configuration.suspectAfter
    }

    /// The operations whose attempts a worker has, in the order in which they were sent.
    func held(by name: String) -> [Int] {
        let held = ops.indices.compactMap { index in
            ops[index].worker == name ? ops[index].token.map { (token: $0, index: index) } : nil
        }
        return held.sorted { $0.token < $1.token }.map(\.index)
    }

    /// Whether a worker has a free slot for an operation of a type; of what has none, every worker is thought to have one,
    /// and it is said elsewhere where it goes.
    func findsSlot(_ type: String?) -> Bool {
        guard let type else { return true }
        return workers.contains { $0.value.types.contains(type) && freeSlots($0.key) > 0 }
    }

    func freeSlots(_ name: String) -> Int {
        guard let worker = workers[name], isOpen(worker) else { return 0 }
        return max(0, worker.slots - held(by: name).count)
    }
}
