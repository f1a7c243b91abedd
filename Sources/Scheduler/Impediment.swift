public import Operations

/// One thing that keeps an operation from running.
public enum Impediment: Hashable, Sendable {
    /// It waits for the end of something.
    case dependency(Address, condition: DependencyCondition, counts: JobCounts)
    /// It may not start before a time; `isRetry` where the time follows a failed attempt.
    case delay(until: Timestamp, isRetry: Bool)
    /// Its queue runs as many as it may.
    case limit(queue: String, limit: Int, executing: Int)
    /// The coordinator was restarted, and still waits for its workers to tell what they run.
    case reconciling(until: Timestamp)
    /// No worker is there that could take anything.
    case noWorker
    /// All slots of all workers are taken.
    case slots(total: Int)
    /// Others of its queue come first.
    case order(queue: String, ahead: Int)
}
