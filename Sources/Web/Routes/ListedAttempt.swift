@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// One attempt of an operation.
struct ListedAttempt: Document {
    /// The number of the attempt.
    let attempt: UInt32
    /// The worker; nil for an unknown worker.
    let worker: String?
    /// The start; nil for an attempt that was lost before its worker reported the start.
    let startedAt: Timestamp?
    /// The end, or the time at which the coordinator counted the attempt as lost; nil for an executing attempt.
    let finishedAt: Timestamp?
    /// The time from the start to the end, in seconds; nil if one of them is not known.
    let seconds: Double?
    /// How the attempt ended.
    let end: AttemptOutcome
    /// Why the attempt did not succeed; nil for one that did or that runs.
    let reason: Reason.Code?
    /// The reason as a sentence.
    let message: String?
    /// The exit status, if the process exited.
    let exitStatus: Int32?
    /// The signal that ended the attempt, if any.
    let signal: Int32?
    /// The number of bytes of standard output; nil if not known.
    var stdoutBytes: UInt64?
    /// The number of bytes of standard error; nil if not known.
    var stderrBytes: UInt64?
    /// The memory in bytes that the attempt might use; absent unless the memory of the operation is a range.
    @IfPresent var memory: Int64?
    /// The time limit of the attempt, such as 2h; absent unless the timeout of the operation is a range.
    @IfPresent var timeout: String?

    /// Describes an attempt that ended before its operation.
    init(_ earlier: AttemptDocument) {
        attempt = earlier.attempt
        worker = earlier.worker
        startedAt = earlier.startedAt
        finishedAt = earlier.endedAt
        seconds = Self.seconds(from: startedAt, to: finishedAt)
        end = AttemptOutcome(ofEarlierAttempt: earlier.reason, wasStopped: earlier.stopped)
        reason = earlier.reason
        message = earlier.message
        exitStatus = earlier.exitStatus
        signal = earlier.signal
        memory = earlier.memory
        timeout = earlier.timeout
    }

    /// Describes the attempt that runs, or that ended the operation; nil if there is none.
    init?(lastOf operation: OperationDocument) {
        guard operation.attempt > 0, operation.startedAt != nil else { return nil }
        switch (operation.state, operation.outcome) {
        case (.executing, _), (.finished, .succeeded), (.finished, .failed), (.finished, .cancelled): break
        default: return nil
        }
        end = AttemptOutcome(ofLastAttempt: operation.state, operation.outcome, operation.reason)
        attempt = operation.attempt
        worker = operation.worker
        startedAt = operation.startedAt
        finishedAt = operation.finishedAt
        seconds = Self.seconds(from: startedAt, to: finishedAt)
        reason = operation.reason
        message = operation.message
        exitStatus = operation.exitStatus
        signal = operation.signal
        memory = operation.memory
        timeout = operation.timeout
    }

    private static func seconds(from startedAt: Timestamp?, to finishedAt: Timestamp?) -> Double? {
        guard let startedAt, let finishedAt else { return nil }
        return max(0, Double((finishedAt - startedAt).microseconds) / 1e6)
    }
}
