@_spi(Baton) public import BatonJSON
@_spi(Baton) public import BatonOperations

/// One line of `watch`: an event, or a notice of missed events.
@_spi(Baton) public struct EventDocument: Document {
    /// The number of the event.
    public var seq: UInt64
    /// The time of the event; nil for missed events.
    public var time: Timestamp?
    /// The subject of the event: `operation`, `job`, `queue`, `worker`, or `missed` for events that are no longer kept.
    public var event: String
    /// The operation's address.
    public var operation: OperationID?
    /// The number of consecutive operations from `operation` on, if the event is about more than one; or the number of missed
    /// events, up to number `seq`.
    public var count: UInt64?
    /// The new state: an operation's state, `submitted`, `added`, `closed` or `finished` for a job, a worker's condition.
    public var state: String?
    /// The outcome of the operation or the job.
    public var outcome: Outcome?
    /// The attempt.
    public var attempt: UInt32?
    /// The worker.
    public var worker: String?
    /// What somebody asked for to be done with the worker: `drain`, `undrain`, `stop`, `stop now` or `forget`.
    public var request: String?
    /// True if the operation's cancellation was requested.
    public var cancelled: Bool?
    /// Whether the operation is held now.
    public var held: Bool?
    /// The operation's priority now.
    public var priority: Priority?
    /// True if the operation's dependencies changed.
    public var dependencies: Bool?
    /// True if the operation got another command.
    public var commands: Bool?
    /// The finished part of the operation, from 0 to 1.
    public var progress: Double?
    /// The progress message of the operation.
    public var message: String?
    /// The job.
    public var job: JobNumber?
    /// The number of operations in the job.
    public var operations: UInt32?
    /// The index of the first of the operations that were added to an open job.
    public var first: UInt32?
    /// The number of the operations that were added to an open job.
    public var added: UInt32?
    /// The outcomes of the job's operations, as counts.
    public var counts: JobCounts?
    /// The queue.
    public var queue: String?
    /// True if the queue was deleted; then the event has no settings.
    public var deleted: Bool?
    /// The queue's limit now.
    public var maxConcurrent: Int?
    /// Whether the queue is suspended now.
    public var suspended: Bool?
    /// The queue's class now.
    public var qos: QualityOfService?
    /// The queue's total now.
    public var total: Int?
    /// Who asked for the change, by the name of a key; null if nobody is known, and absent from a change that nobody asks for.
    public var by: String?

    /// Describes an event.
    public init(_ event: ClusterEvent) {
        seq = event.sequence
        time = event.time
        by = event.by
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
        }
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
        cancelled != nil || held != nil || priority != nil || dependencies != nil || commands != nil
            || operations != nil || job != nil && counts == nil || queue != nil || request != nil
    }

    /// Writes the event with the keys that its kind has.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("seq", seq)
        if let time { writer.member("time", description: time) }
        writer.member("event", event)
        if let operation { writer.member("operation", description: operation) }
        if let count { writer.member("count", count) }
        if let job { writer.member("job", job.rawValue) }
        if let queue { writer.member("queue", queue) }
        if let state { writer.member("state", state) }
        if let outcome { writer.member("outcome", description: outcome) }
        if let attempt { writer.member("attempt", attempt) }
        if let worker { writer.member("worker", worker) }
        if let request { writer.member("request", request) }
        if let cancelled { writer.member("cancelled", cancelled) }
        if let held { writer.member("held", held) }
        if let priority { writer.member("priority", priority.rawValue) }
        if let dependencies { writer.member("dependencies", dependencies) }
        if let commands { writer.member("commands", commands) }
        if let progress { writer.member("progress", progress) }
        if let message { writer.member("message", message) }
        if let operations { writer.member("operations", operations) }
        if let first { writer.member("first", first) }
        if let added { writer.member("added", added) }
        if let counts { writer.member("counts", counts) }
        if let deleted {
            writer.member("deleted", deleted)
        } else if queue != nil {
            writer.member("maxConcurrent", maxConcurrent)
            writer.member("suspended", suspended ?? false)
            writer.member("qos", description: qos)
            writer.member("total", total)
        }
        if isRequested { writer.member("by", by) }
        writer.endObject()
    }
}
