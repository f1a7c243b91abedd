@_spi(Baton) public import BatonOperations

/// A question with a JSON document in DESIGN's form as the answer.
@_spi(Baton) public enum DocumentRequest: Hashable, Sendable {
    /// One job with a page of its operations, from an index.
    ///
    /// A filter selects operations of the page. A page may have none although a later page has some.
    case job(JobNumber, from: UInt32, limit: UInt32, filter: ListFilter = ListFilter())
    /// One operation; for the name of an array, a list of its operations.
    case operation(Address)
    /// Why an operation does not run.
    case explain(Address)
    /// A page of jobs, newest first, with numbers below `before` (nil: from the newest).
    ///
    /// A filter selects jobs of the page. A page may have none although a later page has some.
    case jobs(before: JobNumber?, limit: UInt32, filter: ListFilter = ListFilter())
    /// One queue.
    case queue(String)
    /// All queues.
    case queues
    /// All limits that several queues share.
    case limits
    /// All workers.
    case workers
    /// All workers, and those that have left during the last hour.
    case allWorkers
    /// A worker with the executing operations and the latest attempts of the worker.
    case worker(String)
    /// The cluster at one glance.
    case status
    /// What keeps some operations, or the operations of a queue, from running, while nothing of them runs.
    case standstill([Address], queue: String?)
    /// What a screen shows of the cluster: sums, the newest unfinished jobs, and the queues and workers that need somebody.
    case overview(jobs: UInt32)
    /// The chain of operations for which the end of a job waited.
    case criticalPath(JobNumber)
    /// What holds the rest of a job up.
    case waiting(JobNumber)
    /// The figures of the coordinator for a monitoring system.
    case metrics
    /// All schedules.
    case schedules
    /// One schedule with its next times.
    case schedule(String)
    /// What the cluster did in the last seconds, up to a day.
    case throughput(seconds: UInt32)
    /// The failures of a job, in groups.
    case failures(JobNumber, limit: UInt32)
    /// A page of a job's names, from an index on: all names, or the names that match a pattern.
    case names(JobNumber, matching: String?, from: UInt32)
    /// What a job took.
    case summary(JobNumber)
    /// A part of a job as a graph file, from an index on: it has at most `limit` operations, and an array of numbers counts as one.
    case graph(JobNumber, from: UInt32, limit: UInt32)
    /// The demand for workers of a kind that a supply could start.
    ///
    /// A coordinator of Baton 0.1.0 cannot read this request.
    case demand(OfferedWorker)
    /// A page of the files that the operations of a job left, or one operation, from a place in their order on.
    case files(Address, from: UInt32, limit: UInt32)
    /// The coordinator's own keys, for a coordinator that stands in for it; the answer is no JSON, and is given once.
    case coordinatorKeys
}
