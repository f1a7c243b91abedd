public import BatonOperations

/// The state machine of the coordinator: `(state, event, now) -> (state, effects)`.
///
/// The scheduler holds the unfinished jobs, the queues and the workers, and decides what happens to them. The scheduler has
/// no clock, socket, disk, thread or randomness: time and seeds come in with the events. Actions go out as effects, and the
/// caller has to keep their order. Every input gets an answer, and no input is trusted.
///
/// A growing number of waiting operations does not slow the scheduler down: finishing an operation costs O(its dependents),
/// choosing the next operation O(log n).
public struct Scheduler: Sendable {
    /// The limits by which workers are judged.
    public let configuration: Configuration
    /// The number of this start of the coordinator, part of every token.
    public let epoch: UInt32
    /// The random number of this start of the coordinator, part of every token: epochs repeat after a record is replaced.
    public let incarnation: Incarnation

    var nodes = Slab<OperationNode>()
    var edges = EdgeTable()
    var jobs = Slab<LiveJob>()
    var jobPlaces: [JobNumber: Int32] = [:]
    /// The keys of the unfinished jobs.
    var keys: [String: (job: JobNumber, operations: Int, digest: UInt64?)] = [:]
    var queues: [QueueState] = []
    var queuePlaces: [String: Int32] = [:]
    var queueOrder = BinaryHeap<QueueTurn>()
    /// The highest turn of all started attempts: a queue that becomes runnable begins at this turn or later.
    var startedTurn: UInt64 = 0
    /// The queue that waits for a free slot and had the turn when sending ahead stopped; nil if no queue waits so.
    var queueAwaitingSlot: Int?
    var workers = Slab<WorkerState>()
    var sessions: [SessionID: Int32] = [:]
    var supersededSessions: [SessionID: SupersededSession] = [:]
    var workerPlaces: [String: Int32] = [:]
    /// The approximate number of bytes that the workers' introductions take in memory.
    public internal(set) var introductionBytes = 0
    /// The workers that had a session before a restart and have not returned.
    var absentWorkers = AbsentWorkers()
    /// All starts of coordinators in the record by epoch, including this start.
    var starts: [UInt32: CoordinatorStart] = [:]
    /// The workers with free slots, by the number of free slots.
    var freeWorkers = WorkerIndex()
    /// The workers that may be sent attempts ahead, by the number of attempts.
    var prefetchTargets = WorkerIndex()
    /// The workers with attempts that could be recalled for another worker, by the number of attempts.
    var loadedWorkers = WorkerIndex()
    /// The workers at which attempts not known to be short may overtake attempts sent ahead, by the number of slots.
    var yieldingWorkers = WorkerIndex()
    /// The workers that may be sent short attempts beyond their limit of attempts ahead, by the number of attempts.
    var overtakableWorkers = WorkerIndex()
    /// Whether a worker has joined that does not know all options, so that versions of the option set count as types.
    var distinguishesVersions = false
    /// The workers that run Swift operations, by their types.
    var types = TypeIndex()
    /// The queues whose ready operations all have types that no worker with a free slot runs.
    var queuesAwaitingWorkers: [Int] = []
    var hooks = HookTable()
    var timers = BinaryHeap<Timer>()
    /// The number of stale timers: timers that no node, worker or request waits for any more.
    var staleTimers = 0
    var reconciliation = Reconciliation()
    /// Whether the record can be written; if not, nothing is dispatched, because a crash would leave too much unknown.
    var isRecordWritable = true
    /// The progress that running operations have reported, by the operations' places.
    var progress: [Int32: OperationProgress] = [:]
    /// The requests that wait for workers, and the numbers of the requests that wait for each attempt.
    var heldRequests: [UInt64: HeldRequest] = [:]
    var awaiting: [AttemptToken: [UInt64]] = [:]
    var nextHeldRequest: UInt64 = 1
    var nextJob: JobNumber
    var nextSerial: UInt64 = 1
    var nextSequence: UInt64 = 1
    var nextEvent: UInt64 = 1
    /// The counts of all operations of the record, including finished jobs.
    var totals = JobCounts()

    /// For nodes with several failure dependencies, the known outcomes of the dependencies, by the nodes' places.
    var failureConditions: [Int32: FailureConditions] = [:]
    /// Nodes that became impossible to run and that the current event has yet to finish, with the reason.
    var skips: [Skip] = []
    /// Jobs whose last operation finished during the current event.
    var finishedJobs: [Int32] = []
    /// The attempts that the current request has recalled, with the names of their workers.
    var recalls: [AttemptToken: String] = [:]
    /// The attempts to recall, by worker; sent at the end of the event.
    var recallMessages: [Int32: [AttemptToken]] = [:]
    /// Whether a request is handled although workers have not answered.
    var isGivingUp = false
    /// The requests whose last recall was answered by the current event.
    var dueRequests: [UInt64] = []
    var effects: [Effect] = []
    /// The maximum number of effects whose memory is kept for the next event: most events have about ten effects, a large
    /// submission has millions.
    private static let mostKeptEffects = 4096
    var now = Timestamp(rawValue: 0)

    /// Starts with an empty record.
    public init(
        configuration: Configuration = Configuration(),
        epoch: UInt32 = 1,
        incarnation: Incarnation = .unknown
    ) {
        self.configuration = configuration
        self.epoch = epoch
        self.incarnation = incarnation
        self.nextJob = JobNumber(1)
    }

    /// The next time at which ``Event/timePassed`` is of use; nil if no timer is set.
    public var nextDeadline: Timestamp? { timers.min?.deadline }

    /// Handles one event of a batch, without dispatching the operations that become ready.
    ///
    /// Call ``dispatch()`` after the last event of the batch. Effects may be taken (``takeEffects(into:)``) between two
    /// events.
    ///
    /// - Parameters:
    ///   - event: the event to handle.
    ///   - now: the time of the event; a time before that of the previous event is replaced by the time of the previous
    ///     event.
    public mutating func enter(_ event: Event, at now: Timestamp) {
        self.now = max(self.now, now)
        recalls = [:]
        if reconciliation.isOpen, event.dependsOnWhatStarted {
            reconciliation.postponed.append(event)
        } else {
            handle(event)
        }
        settle()
        closeReconcileWindowIfDue()
        resumeDueRequests()
    }

    /// Dispatches ready operations and hooks after a batch of events, and then sends the recalls.
    public mutating func dispatch() {
        if isRecordWritable {
            dispatchReady()
            dispatchHooks()
        }
        sendRecalls()
    }

    /// Replaces the content of a buffer by the effects of the events since the last call, in order.
    ///
    /// The scheduler reuses the buffer's memory, so that two buffers serve for all events.
    public mutating func takeEffects(into buffer: inout [Effect]) {
        if buffer.capacity > Self.mostKeptEffects { buffer = [] }
        buffer.removeAll(keepingCapacity: true)
        swap(&effects, &buffer)
    }

    mutating func handle(_ event: Event) {
        switch event {
        case .submit(let validated, let settled, let request):
            submit(validated.submission, settled: settled, request: request)
        case .cancel(let selections, let request):
            cancel(selections, request: request)
        case .hold(let selections, let request):
            hold(selections, request: request)
        case .release(let selections, let request):
            release(selections, request: request)
        case .setPriority(let selections, let priority, let request):
            setPriority(selections, priority, request: request)
        case .depend(let operation, let dependencies, let settled, let request):
            depend(operation, dependencies, settled: settled, request: request)
        case .undepend(let operation, let targets, let request):
            undepend(operation, targets, request: request)
        case .addCommand(let operation, let command, let request):
            addCommand(command, to: operation, request: request)
        case .reportProgress(let operation, let attempt, let progress, let request):
            reportProgress(of: operation, attempt: attempt, progress, request: request)
        case .setQueue(let change, let request):
            setQueue(change, request: request)
        case .workerJoined(let introduction):
            workerJoined(introduction)
        case .workerHeard(let session):
            workerHeard(session)
        case .workerLeaving(let session):
            workerLeaving(session)
        case .workerLeft(let session):
            workerLeft(session)
        case .attemptsStarted(let session, let starts):
            attemptsStarted(session, starts)
        case .attemptsReturned(let session, let tokens):
            attemptsReturned(session, tokens)
        case .attemptEnded(let session, let token, let operation, let result, let age, let seed):
            attemptEnded(session, token, operation, result, age: age, seed: seed)
        case .workerHealth(let session, let fault):
            workerHealth(session, fault: fault)
        case .kept(let milestone):
            kept(milestone)
        case .recordWritable(let isWritable):
            isRecordWritable = isWritable
        case .timePassed:
            timePassed()
        }
    }

    /// Carries out the work that an event has deferred: skips, held ends of attempts, and finished jobs.
    ///
    /// Each step is a loop instead of a recursion, so that chains may have any length (DE19).
    mutating func settle() {
        finishSkipped()
        endHeldAttempts()
        closeFinishedJobs()
    }

    /// Continues work that had to wait until a milestone was on disk.
    private mutating func kept(_ milestone: Milestone) {
        switch milestone {
        case .job(let number): if let job = jobPlaces[number] { jobs[job].isKept = true }
        case .hook(let operation): hooks.keep(operation)
        case .session(let session): sessionKept(session)
        case .dispatch(let session, let token): dispatchKept(session, token)
        }
    }

    /// Adds an effect to the effects of the current event.
    mutating func emit(_ effect: Effect) {
        effects.append(effect)
    }

    /// Records an event for clients that watch the cluster (OB10).
    ///
    /// - Parameter moment: the time of the event; now unless given.
    mutating func note(_ subject: ClusterEvent.Subject, at moment: Timestamp? = nil) {
        let event = ClusterEvent(sequence: nextEvent, time: moment ?? now, subject: subject)
        nextEvent += event.count
        emit(.keep(.event(event)))
    }
}
