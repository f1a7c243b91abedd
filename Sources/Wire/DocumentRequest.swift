@_spi(Baton) public import BatonOperations

/// A question with a JSON document in DESIGN's form as the answer.
@_spi(Baton) public enum DocumentRequest: Hashable, Sendable {
    /// One job with a page of its operations, from an index.
    ///
    /// With a filter, the page has the operations that meet it, possibly none before its end; earlier coordinators refuse it.
    case job(JobNumber, from: UInt32, limit: UInt32, filter: ListFilter = ListFilter())
    /// One operation; for the name of an array, a list of its operations.
    case operation(Address)
    /// Why an operation does not run.
    case explain(Address)
    /// A page of jobs, newest first, with numbers below `before` (nil: from the newest).
    ///
    /// With a filter, the page has the jobs that meet it, possibly none before its end; earlier coordinators refuse it.
    case jobs(before: JobNumber?, limit: UInt32, filter: ListFilter = ListFilter())
    /// One queue.
    case queue(String)
    /// All queues.
    case queues
    /// All workers.
    case workers
    /// The cluster at one glance.
    case status
    /// The failures of a job, in groups; earlier coordinators refuse the request.
    case failures(JobNumber, limit: UInt32)
    /// A page of the names in a job, from an index on: all of them, or those that match a pattern.
    case names(JobNumber, matching: String?, from: UInt32)
}
