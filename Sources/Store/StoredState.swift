public import BatonOperations

/// What a starting coordinator finds in the record.
public struct StoredState: Sendable {
    /// The epoch of this start, already raised on disk; from 1.
    public var epoch: UInt32
    /// The number that the next job gets.
    public var nextJob: JobNumber
    /// All queues that were ever made.
    public var queues: [String: QueueRecord]
    /// The unfinished jobs, oldest first.
    public var jobs: [RestoredJob]
    /// What unfinished operations depend on and is finished in other jobs.
    public var settled: [Address: SettledDependency]
    /// How the operations of all finished jobs ended.
    public var finished: JobCounts
    /// The completion hooks that are still to be run, oldest first.
    public var hooks: [CompletionHook]
    /// The workers that had a session when the record ended, and may hold attempts that it does not know of.
    public var workers: [String: WorkerRecord]
    /// All starts by epoch, this one included.
    public var starts: [UInt32: CoordinatorStart]
    /// The number that the next event gets; from 1.
    public var nextEvent: UInt64
    /// How far the record's own clock had come; nil where it has not begun.
    ///
    /// The moments at which jobs were submitted, and those that operations wait for, are by this clock: see ``begin(at:)``.
    public var clock: Timestamp?

    /// Describes what was found.
    public init(
        epoch: UInt32,
        nextJob: JobNumber,
        queues: [String: QueueRecord] = [:],
        jobs: [RestoredJob] = [],
        settled: [Address: SettledDependency] = [:],
        finished: JobCounts = JobCounts(),
        hooks: [CompletionHook] = [],
        workers: [String: WorkerRecord] = [:],
        starts: [UInt32: CoordinatorStart] = [:],
        nextEvent: UInt64 = 1,
        clock: Timestamp? = nil
    ) {
        self.epoch = epoch
        self.nextJob = nextJob
        self.queues = queues
        self.jobs = jobs
        self.settled = settled
        self.finished = finished
        self.hooks = hooks
        self.workers = workers
        self.starts = starts
        self.nextEvent = nextEvent
        self.clock = clock
    }

    /// Lets the record's clock go on at a time of day, and gives what is by it in terms of that day.
    ///
    /// - Returns: how far the time of day is ahead of the record's clock.
    public mutating func begin(at now: Timestamp) -> Duration {
        let ahead = now - (clock ?? now)
        guard ahead != .zero else { return ahead }
        for job in jobs.indices {
            jobs[job].job.submittedAt = jobs[job].job.submittedAt + ahead
            for record in jobs[job].records.indices {
                guard let time = jobs[job].records[record].notBefore else { continue }
                jobs[job].records[record].notBefore = time + ahead
            }
        }
        return ahead
    }
}
