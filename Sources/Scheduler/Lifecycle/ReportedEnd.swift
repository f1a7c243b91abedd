@_spi(Baton) import BatonOperations

/// The end of an attempt as its worker reported it.
struct ReportedEnd {
    /// The session that reported the end.
    var session: SessionID
    /// The attempt's token.
    var token: AttemptToken
    /// The attempt's operation.
    var operation: OperationID
    /// The result of the attempt.
    var result: AttemptResult
    /// The time at which the attempt ended.
    var endedAt: Timestamp
    /// The seed for the jitter of a retry.
    var seed: UInt64

    /// The time at which the attempt started.
    var startedAt: Timestamp { endedAt.before(microseconds: duration) }

    /// The time from the start to the end, in microseconds, never negative.
    var duration: Int64 { max(0, result.microseconds) }
}
