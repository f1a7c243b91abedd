public import Operations

/// What a starting coordinator finds in the record.
public struct StoredState: Sendable {
    /// The epoch of this start, already raised on disk; from 1.
    public var epoch: UInt32
    /// The number that the next job gets.
    public var nextJob: JobNumber
    /// All queues that were ever made.
    public var queues: [String: QueueSettings]
    /// The unfinished jobs, oldest first.
    public var jobs: [RestoredJob]
    /// What unfinished operations depend on and is finished in other jobs.
    public var settled: [Address: SettledDependency]
    /// How the operations of all finished jobs ended.
    public var finished: JobCounts

    /// Describes what was found.
    public init(
        epoch: UInt32,
        nextJob: JobNumber,
        queues: [String: QueueSettings] = [:],
        jobs: [RestoredJob] = [],
        settled: [Address: SettledDependency] = [:],
        finished: JobCounts = JobCounts()
    ) {
        self.epoch = epoch
        self.nextJob = nextJob
        self.queues = queues
        self.jobs = jobs
        self.settled = settled
        self.finished = finished
    }
}
