@_spi(Baton) public import BatonOperations

/// A reason why an operation does not run.
@_spi(Baton) public enum Impediment: Hashable, Sendable {
    /// The operation waits for a dependency; `reasons` keep the dependency from running.
    indirect case dependency(Address, condition: DependencyCondition, counts: JobCounts, reasons: [Impediment])
    /// The operation waits for further dependencies, which are only counted.
    case moreDependencies(Int)
    /// The job that the operation waits for is open: it ends once somebody closes it.
    case openJob(JobNumber)
    /// The operation needs files of a finished operation that have no copy any more, and that one runs again.
    ///
    /// `name` is the name of that operation, and `files` the number of its files without a copy; `loss` says how the last copy was
    /// lost, if that is known. Files of `others` further operations have no copy, either. `reasons` keep the operation from running
    /// again now; there are none while it executes.
    indirect case files(
        OperationID,
        name: String?,
        files: Int,
        loss: FileLoss?,
        others: Int,
        isExecuting: Bool,
        reasons: [Impediment]
    )
    /// The operation was sent to a worker that fetches files for it first, and takes no slot there (FI4).
    ///
    /// `files` are not there yet; of the `bytes` of all its files, `present` are.
    case fetching(worker: String, files: Int, bytes: Int64, present: Int64)
    /// The workers that could start the operation fetch files for as many other operations as they may, all workers for `operations`.
    case fetches(operations: Int)
    /// A user holds the operation.
    case hold
    /// The operation was cancelled while its queue was suspended, and finishes when the queue is resumed (SU3).
    case cancelled(queue: String)
    /// The operation's queue is suspended.
    case suspended(queue: String)
    /// A barrier of the queue comes first.
    ///
    /// `unfinished` operations were added before the barrier and are not finished; `first` has the first of them.
    case barrier(OperationID, queue: String, unfinished: Int, first: [OperationID])
    /// The operation is a barrier, and operations that were added to its queue before are not finished.
    ///
    /// `unfinished` is their number; `first` has the first of them.
    case beforeBarrier(queue: String, unfinished: Int, first: [OperationID])
    /// The operation is a barrier, and `count` finished operations of its queue run again because their files were lost; `first` has
    /// the first of them.
    case besideReruns(queue: String, count: Int, first: [OperationID])
    /// The operation was sent to a worker and has not started.
    ///
    /// `isRecalled`: the worker was asked to return the attempt and has not answered. `isAway`: the worker has not come back
    /// since the restart of the coordinator.
    case sent(worker: String, isRecalled: Bool, isAway: Bool)
    /// The operation may not start before a time; `isRetry` if the delay follows a failed attempt.
    case delay(until: Timestamp, isRetry: Bool)
    /// The operation's queue has reached its limit of concurrent operations.
    case limit(queue: String, limit: Int, executing: Int)
    /// The operation's queue has started as many operations as its rate allows; the next one may start at `until`.
    case rate(queue: String, StartRate, until: Timestamp)
    /// The last place within the limit of the operation's queue is kept for an `operation` that comes first, and for which `worker`
    /// is reserved.
    case keptPlace(queue: String, limit: Int, executing: Int, operation: OperationID, worker: String)
    /// The operation's array has as many elements at workers as its limit allows.
    case arrayLimit(Address, limit: Int, executing: Int)
    /// The operation takes `needed` units of a limit that several queues share, and has to wait for them.
    ///
    /// Of the limit's `units`, operations have `taken` some: the first of these are `holders`, of `holderCount`. If enough units are
    /// left, they are left to the operation `first`, which comes first.
    case sharedLimit(
        String,
        needed: Int,
        units: Int,
        taken: Int,
        holders: [OperationID],
        holderCount: Int,
        first: OperationID?
    )
    /// The coordinator was restarted and still waits for `workers` to report attempts.
    case reconciling(until: Timestamp, workers: [String])
    /// No worker can take the operation, except for the `silent` workers, not heard for a while.
    ///
    /// For an operation with a type, only workers that run the type count.
    case noWorker(type: String? = nil, silent: [String])
    /// The workers that could take the operation get nothing new; `silent` ones were not heard for a while.
    ///
    /// `drained` are those of the workers that an administrator can let take operations again.
    case draining(workers: [String], drained: [String], silent: [String])
    /// The operation declares a longer time than the workers that could take it have left.
    ///
    /// `worker` has the most time left, and `others` is the number of the other workers.
    case timeLimit(needed: Duration, left: Duration, worker: String, others: Int)
    /// No worker has now what the operation asks for.
    ///
    /// The first `lacks` are listed, and the rest are counted as `others`. `isPossible`: a worker could take the operation once
    /// other operations have ended. `reserved` is the worker that is kept for the operation.
    case resources(lacks: [WorkerLack], others: Int, isPossible: Bool, reserved: String?)
    /// A suitable worker cannot start attempts, and neither can `others` further workers.
    case failing(worker: String, reason: String, others: Int)
    /// A worker has no room for files of the operation within its limit, for this reason, and neither have `others` further workers.
    case noRoom(worker: String, reason: String, others: Int)
    /// The `bytes` of the operation's files are more than the workers that could take it may keep; `limit` is the largest of their limits,
    /// that of `worker`. `able` is a worker that may keep the files and has no slot for the operation now; nil if there is none at all.
    case largeFiles(bytes: Int64, limit: Int64, worker: String, able: String?)
    /// All slots of all workers are taken; for an operation with a type, only workers that run the type count.
    case slots(total: Int, type: String? = nil)
    /// Other operations of the queue come first.
    case order(queue: String, ahead: Int)
}
