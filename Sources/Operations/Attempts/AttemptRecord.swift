/// An attempt that ended before its operation: another attempt followed or was to follow.
///
/// The record keeps the last ``maximumCount`` of an operation. The attempt that ends an operation is part of ``OperationRecord``.
@_spi(Baton) public struct AttemptRecord: Hashable, Sendable {
    /// The most earlier attempts of an operation that the record keeps; the oldest go first.
    public static let maximumCount = 20

    /// The number of the attempt, from 1.
    public var attempt: UInt32
    /// The worker; nil for an unknown worker.
    public var worker: String?
    /// When the attempt started; nil for an attempt that was lost before its worker reported a start.
    public var startedAt: Timestamp?
    /// When the attempt ended, or when the coordinator counted the attempt as lost.
    public var endedAt: Timestamp
    /// Why the attempt did not end the operation.
    public var reason: Reason
    /// The exit status, if the attempt exited.
    public var exitStatus: Int32?
    /// The signal that ended the attempt, if any.
    public var signal: Int32?
    /// Whether the attempt was ended because its worker was stopped; the reason is then that of a loss.
    public var wasStopped = false

    /// What the attempt might use, where that is more than the operation began with.
    public var limits = AttemptLimits()

    /// The token, by which the worker finds the attempt's output; nil if none is known.
    public var token: RecordToken?

    /// Describes an attempt without an exit status and a signal.
    public init(attempt: UInt32, worker: String?, startedAt: Timestamp?, endedAt: Timestamp, reason: Reason) {
        self.attempt = attempt
        self.worker = worker
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.reason = reason
    }
}
