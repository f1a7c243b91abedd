public import BatonOperations

/// One thing that keeps an operation from running.
public enum Impediment: Hashable, Sendable {
    /// It waits for the end of something, which has reasons of its own not to run.
    indirect case dependency(Address, condition: DependencyCondition, counts: JobCounts, reasons: [Impediment])
    /// It waits for the end of so many other dependencies, of which nothing is told.
    case moreDependencies(Int)
    /// Somebody holds it.
    case hold
    /// It was cancelled while its queue was suspended, and is finished when that is resumed (SU3).
    case cancelled(queue: String)
    /// Its queue is suspended.
    case suspended(queue: String)
    /// A barrier of its queue comes first; `unfinished` operations were added before that and are not finished, the first of
    /// which are these.
    case barrier(OperationID, queue: String, unfinished: Int, first: [OperationID])
    /// It is a barrier, and so many operations that were added to its queue before are not finished, the first of which are
    /// these.
    case beforeBarrier(queue: String, unfinished: Int, first: [OperationID])
    /// It was sent to a worker, which has not started it yet; `isRecalled` where the worker was asked to give it back, and
    /// has not answered; `isAway` where the worker has not come back since the coordinator was restarted.
    case sent(worker: String, isRecalled: Bool, isAway: Bool)
    /// It may not start before a time; `isRetry` where the time follows a failed attempt.
    case delay(until: Timestamp, isRetry: Bool)
    /// Its queue runs as many as it may.
    case limit(queue: String, limit: Int, executing: Int)
    /// The coordinator was restarted, and still waits for these workers to tell what they run.
    case reconciling(until: Timestamp, workers: [String])
    /// No worker is there that could take it, one that runs its type where it has one; these are, and have not been heard for
    /// a while.
    case noWorker(type: String? = nil, silent: [String])
    /// A worker that could take it cannot start anything, and so many others neither.
    case failing(worker: String, reason: String, others: Int)
    /// All slots of all workers are taken, of all that run its type where it has one.
    case slots(total: Int, type: String? = nil)
    /// Others of its queue come first.
    case order(queue: String, ahead: Int)
}
