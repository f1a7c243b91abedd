/// An attempt that a worker has taken and that the coordinator has not yet acknowledged the end of.
public struct HeldAttempt: Hashable, Sendable {
    /// The attempt.
    public var token: AttemptToken
    /// The operation that it is an attempt of.
    public var operation: OperationID
    /// Which attempt of the operation it is, from 1.
    public var attempt: UInt32
    /// Whether it is over: its result lies in the worker's outbox and follows.
    public var isFinished: Bool

    /// Describes a held attempt.
    public init(token: AttemptToken, operation: OperationID, attempt: UInt32, isFinished: Bool = false) {
        self.token = token
        self.operation = operation
        self.attempt = attempt
        self.isFinished = isFinished
    }
}
