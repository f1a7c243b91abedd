public import Operations

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

    var nodes = Slab<OperationNode>()
    var edges = EdgeTable()
    var jobs = Slab<LiveJob>()
    var jobPlaces: [JobNumber: Int32] = [:]
    /// The keys of the unfinished jobs.
    var keys: [String: (job: JobNumber, operations: Int)] = [:]
    var queues: [QueueState] = []
    var queuePlaces: [String: Int32] = [:]
    var queueOrder = BinaryHeap<QueueTurn>()
    var servedPass: UInt64 = 0
    var workers = Slab<WorkerState>()
    var sessions: [SessionID: Int32] = [:]
    var supersededSessions: [SessionID: Int32] = [:]
    var workerPlaces: [String: Int32] = [:]
    var freeWorkers = FreeWorkers()
    var timers = BinaryHeap<Timer>()
    /// How many timers are for what does not wait for them any more.
    var staleTimers = 0
    var reconciliation = Reconciliation()
    var nextJob: JobNumber
    var nextSerial: UInt64 = 1
    var nextSequence: UInt64 = 1
    /// All operations of the record, finished jobs included.
    var totals = JobCounts()

    /// Nodes that became impossible and are to be finished by the event that is being handled, with the reason.
    var skips: [(node: Slab<OperationNode>.Reference, reason: Reason)] = []
    /// Jobs whose last operation was finished by the event that is being handled.
    var finishedJobs: [Int32] = []
    var effects: [Effect] = []
    var now = Timestamp(rawValue: 0)

    /// Starts with an empty record.
    public init(configuration: Configuration = Configuration(), epoch: UInt32 = 1) {
        self.configuration = configuration
        self.epoch = epoch
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
        self.now = max(self.now, now)
        switch event {
        case .submit(let submission, let settled, let request):
            submit(submission, settled: settled, request: request)
        case .cancel(let targets, let request):
            cancel(targets, request: request)
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
        case .attemptEnded(let session, let token, let operation, let result, let seed):
            attemptEnded(session, token, operation, result, seed: seed)
        case .timePassed:
            timePassed()
        }
        finishSkipped()
        endHeldAttempts()
        closeFinishedJobs()
        dispatchReady()
        defer { effects = [] }
        return effects
    }

    /// Adds an effect to those of the event that is being handled.
    mutating func emit(_ effect: Effect) {
        effects.append(effect)
    }
}
