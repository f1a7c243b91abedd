public import Operations

/// The end of an attempt, as it lies in a worker's outbox until the coordinator has acknowledged it.
public struct Completion: Hashable, Sendable {
    /// The attempt.
    public var token: AttemptToken
    /// The operation that it was an attempt of.
    public var operation: OperationID
    /// What it leaves behind.
    public var result: AttemptResult

    /// Describes the end of an attempt.
    public init(token: AttemptToken, operation: OperationID, result: AttemptResult) {
        self.token = token
        self.operation = operation
        self.result = result
    }
}
