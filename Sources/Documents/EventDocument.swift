public import BatonOperations

/// One line of `watch`: something that happened, or the word that something was missed.
public struct EventDocument: Document {
    /// Its number.
    public var seq: UInt64
    /// When it happened; nil of what was missed.
    public var time: Timestamp?
    /// What it is about: `operation`, `job`, `queue`, `worker`, or `missed` of events that are not kept any more.
    public var event: String
    /// The operation's address.
    public var operation: OperationID?
    /// How many neighbouring operations it is about, from that one on, where it is more than one; or how many events were
    /// missed, up to its number.
    public var count: UInt64?
    /// What it is now: an operation's state, `submitted` or `finished` of a job, a worker's condition.
    public var state: String?
    /// How the operation or the job ended.
    public var outcome: Outcome?
    /// The attempt.
    public var attempt: UInt32?
    /// The worker.
    public var worker: String?
    /// True where the operation's cancellation was asked for.
    public var cancelled: Bool?
    /// Whether the operation is held now.
    public var held: Bool?
    /// The operation's level now.
    public var priority: Priority?
    /// True where the operation's dependencies were changed.
    public var dependencies: Bool?
    /// How much of the operation is done, from 0 to 1.
    public var progress: Double?
    /// What the operation says it is at.
    public var message: String?
    /// The job.
    public var job: JobNumber?
    /// How many operations the job has.
    public var operations: UInt32?
    /// How the job's operations ended.
    public var counts: JobCounts?
    /// The queue.
    public var queue: String?
    /// The queue's limit now.
    public var maxConcurrent: Int?
    /// Whether the queue is suspended now.
    public var suspended: Bool?
    /// The queue's class now.
    public var qos: QualityOfService?
    /// The queue's total now.
    public var total: Int?

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
        case .worker(let name, let condition):
            self.event = "worker"
            worker = name
            state = "\(condition)"
        }
    }

    /// Says that so many events are not kept any more, the last of them with this number.
    public init(missed count: UInt64, last number: UInt64) {
        seq = number
        event = "missed"
        self.count = count
    }

    /// The event for each operation that it is about, each with its own number; the event itself where it is about one thing.
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
        case .level(let level): priority = level
        case .dependencies: dependencies = true
        case .progress(let reported):
            progress = reported.fraction
            message = reported.message
        }
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
        if let cancelled { writer.member("cancelled", cancelled) }
        if let held { writer.member("held", held) }
        if let priority { writer.member("priority", priority.rawValue) }
        if let dependencies { writer.member("dependencies", dependencies) }
        if let progress { writer.member("progress", progress) }
        if let message { writer.member("message", message) }
        if let operations { writer.member("operations", operations) }
        if let counts { writer.member("counts", counts) }
        if queue != nil {
            writer.member("maxConcurrent", maxConcurrent)
            writer.member("suspended", suspended ?? false)
            writer.member("qos", description: qos)
            writer.member("total", total)
        }
        writer.endObject()
    }
}
