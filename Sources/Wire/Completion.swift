@_spi(Baton) public import BatonOperations

/// The end of an attempt, kept in a worker's outbox until the coordinator acknowledges it.
@_spi(Baton) public struct Completion: Hashable, Sendable {
    /// The attempt.
    public var token: AttemptToken
    /// The operation of the attempt.
    public var operation: OperationID
    /// The end, the output and the result of the attempt.
    public var result: AttemptResult

    /// The time between the end and the worker's report, in microseconds.
    public var age: Int64

    /// Describes the end of an attempt; the default age means just now.
    public init(token: AttemptToken, operation: OperationID, result: AttemptResult, age: Int64 = 0) {
        self.token = token
        self.operation = operation
        self.result = result
        self.age = age
    }
}
