public import BatonOperations

/// The heart of the coordinator: `(state, event, now) -> (state, effects)`.
///
/// It holds the unfinished jobs, the queues and the workers, and decides what happens to them. It has no clock, socket,
/// disk, thread or randomness: time and seeds come in with the events, and what is to be done in the world comes out as
/// effects, in an order that has to be kept. All input is answered, none is trusted.
///
/// Nothing it does takes longer because more operations wait: finishing one costs O(its dependents), choosing the next
/// one O(log n).
public struct Scheduler: Sendable {
    /// The limits by which workers are judged.
    public let configuration: Configuration
    /// The number of this life of the coordinator, part of every token.
    public let epoch: UInt32
    /// The random number of this life of the coordinator, part of every token: epochs repeat where a record is replaced.
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
    /// The highest turn of all that has started: whoever has been waiting for no longer than that begins there.
    var startedTurn: UInt64 = 0
    /// The queue whose turn it was when nothing more was sent ahead, as it has to wait for a slot; nil where there is none.
    var queueAwaitingSlot: Int?
    var workers = Slab<WorkerState>()
    var sessions: [SessionID: Int32] = [:]
    var supersededSessions: [SessionID: SupersededSession] = [:]
    var workerPlaces: [String: Int32] = [:]
    /// About how many bytes it takes to keep what the workers have told of themselves.
    public internal(set) var introductionBytes = 0
    /// The workers that had a session before a restart and have not come back.
    var absentWorkers = AbsentWorkers()
    /// The record's starts, this one included, by epoch.
    var starts: [UInt32: CoordinatorStart] = [:]
    /// The workers that would start something at once, by their free slots.
    var freeWorkers = WorkerIndex()
    /// The workers that may be sent something ahead, by how much.
    var prefetchTargets = WorkerIndex()
    /// The workers that something could be taken back from, by how much.
    var loadedWorkers = WorkerIndex()
    /// The workers whose next slots may be given to something that is not known to be short, by how many of them.
    var yieldingWorkers = WorkerIndex()
    /// The workers that may be sent short attempts although they have as many ahead as they may have, by how many.
    var overtakableWorkers = WorkerIndex()
    /// The workers that run Swift operations, by their types.
    var types = TypeIndex()
    /// The queues whose ready operations are all of types that no worker with a free slot runs.
    var queuesAwaitingWorkers: [Int] = []
    var hooks = HookTable()
    var timers = BinaryHeap<Timer>()
    /// How many timers are for what does not wait for them any more.
    var staleTimers = 0
    var reconciliation = Reconciliation()
    /// Whether what happens can be kept: else nothing is dispatched, lest much be unknown after a crash.
    var isRecordWritable = true
    /// What running operations said of how much of them is done.
    var progress: [Int32: OperationProgress] = [:]
    /// The requests that wait for workers, and which of them wait for which attempt.
    var heldRequests: [UInt64: HeldRequest] = [:]
    var awaiting: [AttemptToken: [UInt64]] = [:]
    var nextHeldRequest: UInt64 = 1
    var nextJob: JobNumber
    var nextSerial: UInt64 = 1
    var nextSequence: UInt64 = 1
    var nextEvent: UInt64 = 1
    /// All operations of the record, finished jobs included.
    var totals = JobCounts()

    /// What is known of those nodes' dependencies that have several ones of which one is to fail, by their places.
    var failureConditions: [Int32: FailureConditions] = [:]
    /// Nodes that became impossible and are to be finished by the event that is being handled, with the reason.
    var skips: [Skip] = []
    /// Jobs whose last operation was finished by the event that is being handled.
    var finishedJobs: [Int32] = []
    /// The attempts that the request that is being handled has asked back, with the names of their workers.
    var recalls: [AttemptToken: String] = [:]
    /// The attempts that are to be asked back, and those that are to be ended, by worker; sent at the end of the event.
    var recallMessages: [Int32: [AttemptToken]] = [:]
    /// Whether a request is carried out although workers have not answered.
    var isGivingUp = false
    /// The requests whose last awaited attempt is known by the event that is being handled.
    var dueRequests: [UInt64] = []
    var effects: [Effect] = []
    /// For how many effects memory is kept from one event to the next: an event has about ten, and a large submission millions.
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

    /// When ``Event/timePassed`` is next of use; nil where nothing waits for a time.
    public var nextDeadline: Timestamp? { timers.min?.deadline }

    /// Handles one event.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - now: the time of it; one that is earlier than that of the event before counts as that.
    /// - Returns: what is to be done about it, in order.
    public mutating func apply(_ event: Event, at now: Timestamp) -> [Effect] {
        apply(CollectionOfOne(event), at: now)
    }

    /// Handles events that came together, one after the other: what they make room for is dispatched behind the last one.
    ///
    /// - Returns: what is to be done about them, in order.
    public mutating func apply(_ events: some Collection<Event>, at now: Timestamp) -> [Effect] {
        for event in events { enter(event, at: now) }
        dispatch()
        defer { effects = [] }
        return effects
    }

    /// Handles one of several events that came together, without dispatching what it makes ready.
    ///
    /// Call ``dispatch()`` behind the last one. Effects may be taken (``takeEffects(into:)``) between two of them.
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

    /// Dispatches what the events before have made ready or made room for, and sends their recalls behind that.
    public mutating func dispatch() {
        if isRecordWritable {
            dispatchReady()
            dispatchHooks()
        }
        sendRecalls()
    }

    /// Replaces the content of a buffer by the effects of the events since the last call, in order.
    ///
    /// The scheduler goes on with the buffer's memory, so that two buffers serve for all events.
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

    /// Carries out what the handling of an event has left to be done: a loop each, however long the chains are (DE19).
    mutating func settle() {
        finishSkipped()
        endHeldAttempts()
        closeFinishedJobs()
    }

    /// Goes on with what had to be on disk first.
    private mutating func kept(_ milestone: Milestone) {
        switch milestone {
        case .job(let number): if let job = jobPlaces[number] { jobs[job].isKept = true }
        case .hook(let operation): hooks.keep(operation)
        case .session(let session): sessionKept(session)
        case .dispatch(let session, let token): dispatchKept(session, token)
        }
    }

    /// Adds an effect to those of the event that is being handled.
    mutating func emit(_ effect: Effect) {
        effects.append(effect)
    }

    /// Keeps that something happened which can be watched (OB10).
    ///
    /// - Parameter moment: when it happened; now unless given.
    mutating func note(_ subject: ClusterEvent.Subject, at moment: Timestamp? = nil) {
        let event = ClusterEvent(sequence: nextEvent, time: moment ?? now, subject: subject)
        nextEvent += event.count
        emit(.keep(.event(event)))
    }
}
