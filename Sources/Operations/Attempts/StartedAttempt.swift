/// An attempt that a worker has started, without anything about how far it came.
@_spi(Baton) public struct StartedAttempt: Hashable, Sendable {
    /// The attempt.
    public var token: AttemptToken
    /// The operation of the attempt.
    public var operation: OperationID
    /// The number of the attempt, from 1.
    public var attempt: UInt32

    /// Names a started attempt.
    public init(token: AttemptToken, operation: OperationID, attempt: UInt32) {
        self.token = token
        self.operation = operation
        self.attempt = attempt
    }
}
