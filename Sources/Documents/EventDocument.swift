@_spi(Baton) public import BatonOperations

/// One line of `watch`: an event, or a notice of missed events.
///
/// An event has the keys of its kind alone. Two optionals are around a value that may be null in an event that has the key.
@_spi(Baton) public struct EventDocument: Document {
    /// The number of the event.
    public var seq: UInt64
    /// The time of the event; nil for missed events.
    @IfPresent public var time: Timestamp?
    /// The subject of the event: `operation`, `job`, `queue`, `worker`, `schedule`, `limit`, `clock`, `record`, or `missed` for events that are no longer kept.
    public var event: String
    /// The operation's address.
    @IfPresent public var operation: OperationID?
    /// The number of consecutive operations from `operation` on, if the event is about more than one; or the number of missed
    /// events, up to number `seq`.
    @IfPresent public var count: UInt64?
    /// The new state: an operation's state, `submitted`, `added`, `closed` or `finished` for a job, a worker's condition,
    /// `added`, `paused`, `resumed`, `removed` or `skipped` for a schedule, `incomplete` for the record.
    @IfPresent public var state: String?
    /// The outcome of the operation or the job.
    @IfPresent public var outcome: Outcome?
    /// The attempt.
    @IfPresent public var attempt: UInt32?
    /// The worker.
    @IfPresent public var worker: String?
    /// What somebody asked for to be done with the worker: `drain`, `undrain`, `stop`, `stop now` or `forget`.
    @IfPresent public var request: String?
    /// True if the operation's cancellation was requested.
    @IfPresent public var cancelled: Bool?
    /// Whether the operation is held now.
    @IfPresent public var held: Bool?
    /// Whether the executing operation is paused now.
    @IfPresent public var paused: Bool?
    /// The signal that the processes of the operation were sent, such as `USR1`.
    @IfPresent public var signal: String?
    /// The operation's priority now.
    @IfPresent public var priority: Priority?
    /// True if the operation's dependencies changed.
    @IfPresent public var dependencies: Bool?
    /// True if the operation got another command.
    @IfPresent public var commands: Bool?
    /// The finished part of the operation, from 0 to 1.
    @IfPresent public var progress: Double?
    /// The progress message of the operation.
    @IfPresent public var message: String?
    /// The job.
    @IfPresent public var job: JobNumber?
    /// The number of operations in the job.
    @IfPresent public var operations: UInt32?
    /// The index of the first of the operations that were added to an open job.
    @IfPresent public var first: UInt32?
    /// The number of the operations that were added to an open job.
    @IfPresent public var added: UInt32?
    /// The outcomes of the job's operations, as counts.
    @IfPresent public var counts: JobCounts?
    /// The queue.
    @IfPresent public var queue: String?
    /// True if the queue was deleted or the limit removed; then the event has no settings.
    @IfPresent public var deleted: Bool?
    /// The queue's limit now.
    @IfPresent public var maxConcurrent: Int??
    /// Whether the queue is suspended now.
    @IfPresent public var suspended: Bool?
    /// The queue's class now.
    @IfPresent public var qos: QualityOfService??
    /// The queue's total now.
    @IfPresent public var total: Int??
    /// How many operations of the queue may start in a time now; absent for no bound.
    @IfPresent public var rate: String?
    /// The schedule.
    @IfPresent public var schedule: String?
    /// The limit that several queues share.
    @IfPresent public var limit: String?
    /// The most units of the limit that may be taken together now.
    @IfPresent public var units: UInt32?
    /// By how much the clock of the coordinator's host was set, in seconds; negative for a clock that was set back.
    @IfPresent public var steppedSeconds: Double?
    /// How many jobs an incomplete record has lost, as far as anybody knows.
    @IfPresent public var lostJobs: UInt64?
    /// How many commits an incomplete record has lost; 0 if nobody knows.
    @IfPresent public var lostCommits: UInt64?
    /// Who asked for the change, by the name of a key; null if nobody is known, and absent from a change that nobody asks for.
    @IfPresent public var by: String??

    /// Jobs, queues and schedules stand before what happened to them.
    public static let movedKeys: KeyValuePairs = ["job": "state", "queue": "state", "schedule": "state"]

    /// Describes an event.
    public init(_ event: ClusterEvent) {
        seq = event.sequence
        time = event.time
        switch event.subject {
        case .operations(let id, let count, let change):
            self.event = "operation"
            operation = id
            self.count = count > 1 ? UInt64(count) : nil
            describe(change)
        case .jobSubmitted(let job, let operations):
            self.event = "job"
            self.job = job
            state = "submitted"
            self.operations = operations
        case .operationsAdded(let job, let first, let count):
            self.event = "job"
            self.job = job
            state = "added"
            self.first = first
            added = count
        case .jobClosed(let job):
            self.event = "job"
            self.job = job
            state = "closed"
        case .jobFinished(let job, let counts):
            self.event = "job"
            self.job = job
            state = "finished"
            outcome = counts.outcome
            self.counts = counts
        case .queue(let name, let settings):
            self.event = "queue"
            queue = name
            maxConcurrent = settings.maxConcurrent
            suspended = settings.isSuspended
            qos = settings.qualityOfService
            total = settings.total
            rate = settings.startRate?.description
        case .queueDeleted(let name):
            self.event = "queue"
            queue = name
            deleted = true
        case .worker(let name, let condition):
            self.event = "worker"
            worker = name
            state = "\(condition)"
        case .workerRequest(let name, let request):
            self.event = "worker"
            worker = name
            self.request = request.word
        case .schedule(let name, let news):
            self.event = "schedule"
            schedule = name
            state = news.word
        case .limit(let change):
            self.event = "limit"
            limit = change.name
            units = change.units
            if change.units == nil { deleted = true }
        case .clockStepped(let step):
            self.event = "clock"
            steppedSeconds = Double(step.microseconds) / 1_000_000
        case .recordIncomplete(let jobs, let commits):
            self.event = "record"
            state = "incomplete"
            lostJobs = jobs
            lostCommits = commits
        }
        if isRequested { by = event.by }
    }

    /// Describes missed events: the number of events that are no longer kept, and the number of the last missed event.
    public init(missed count: UInt64, last number: UInt64) {
        seq = number
        event = "missed"
        self.count = count
    }

    /// One event for each operation of the event, each with its own number; an event about a single subject stands for itself.
    public var single: some Sequence<EventDocument> {
        let isAboutSeveral = operation != nil && count != nil
        return (0..<(isAboutSeveral ? count ?? 1 : 1)).lazy.map { [self] offset in
            guard isAboutSeveral, let operation else { return self }
            var event = self
            event.seq = seq &+ offset
            event.operation = OperationID(
                job: operation.job,
                index: operation.index &+ UInt32(truncatingIfNeeded: offset)
            )
            event.count = nil
            return event
        }
    }

    private mutating func describe(_ change: ClusterEvent.OperationChange) {
        switch change {
        case .state(let state, let outcome, let attempt, let worker):
            self.state = state.description
            self.outcome = outcome
            self.attempt = attempt
            self.worker = worker
        case .cancelled: cancelled = true
        case .held(let isHeld): held = isHeld
        case .paused(let isPaused): paused = isPaused
        case .signalled(let signal): self.signal = signal.rawValue
        case .priority(let priority): self.priority = priority
        case .dependencies: dependencies = true
        case .commands: commands = true
        case .progress(let reported):
            progress = reported.fraction
            message = reported.message
        }
    }

    /// Whether somebody asks for changes of this kind.
    private var isRequested: Bool {
        cancelled != nil || held != nil || paused != nil || signal != nil || priority != nil || dependencies != nil
            || commands != nil
            || operations != nil || job != nil && counts == nil || queue != nil || request != nil
            || limit != nil || schedule != nil && state != ScheduleNews.skipped.word
    }
}
