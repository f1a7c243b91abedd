@_spi(Baton) import BatonOperations

/// The details of a lifecycle event.
struct TransitionContext {
    /// The reason why the operation does not succeed.
    var reason: Reason?
    /// The ending for which the operation is skipped.
    var skippedFor: Ending?
    /// Whether each operation of a block is skipped for a root of its own.
    var rootsFollow = false
    /// The result of the attempt; nil for one of which nothing is to be kept but what follows here, and which is thus not copied.
    var result: AttemptResult?
    /// The exit status of the attempt, if it exited.
    var exitStatus: Int32?
    /// The signal that ended the attempt, if any.
    var signal: Int32?
    /// Whether the attempt left a result that counts.
    var hasResult = false
    /// Whether the attempt printed anything, left a result, or used something.
    var hasOutput = false
    /// Whether the attempt left files.
    var leavesFiles = false
    /// The start of the attempt according to its worker; nil for now.
    var startedAt: Timestamp?
    /// The end of the attempt; nil for now.
    var end: End?
    /// The earliest time at which the next attempt may start.
    var retryAt: Timestamp?
    /// The chosen worker of a dispatch, or the worker that lost the attempt; nil for other events.
    var worker: WorkerIndex?
    /// Whether the worker has no slot for the attempt yet.
    var isPrefetched = false
    /// Whether the worker fetches files for the attempt first, and the attempt takes no slot until its start (FI4).
    var isFetching = false
    /// Whether the attempt is sent beyond the worker's limit of attempts ahead.
    var isOvertaking = false
    /// The expected duration in microseconds, if the operation is known to be short.
    var expectedTime: Int64?
    /// The attempt's position in the order of starts at the worker.
    var turn: UInt64 = 0
    /// The token of the attempt, if the worker already has a token.
    var token: AttemptToken?
    /// Whether watchers were told of the change before: in an earlier life of the coordinator, or in one event with others.
    var wasTold = false
    /// Whether the attempt is ended because its worker was stopped.
    var wasStopped = false
    /// Whether the end follows at once: the record of the end then covers the start.
    var endFollows = false

    /// Keeps the result of an attempt.
    ///
    /// A function: in line, an end would be copied also where nothing is to be kept.
    @inline(never)
    mutating func keepResult(of end: ReportedEnd) { result = end.result }

    /// Lets the result of the attempt not count.
    mutating func dropResult() {
        guard hasResult else { return }
        hasResult = false
        result?.result = nil
    }

    /// The end of an attempt.
    struct End {
        /// The time of the end.
        var moment: Timestamp
        /// The time that watchers are told: not before the start that they were told, because the start was corrected since.
        var told: Timestamp
    }
}
