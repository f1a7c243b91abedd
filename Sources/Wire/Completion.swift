public import BatonOperations

/// The end of an attempt, as it lies in a worker's outbox until the coordinator has acknowledged it.
public struct Completion: Hashable, Sendable {
    /// The attempt.
    public var token: AttemptToken
    /// The operation that it was an attempt of.
    public var operation: OperationID
    /// What it leaves behind.
    public var result: AttemptResult

    /// How many microseconds ago it was over, when the worker said so.
    public var age: Int64

    /// Describes the end of an attempt; just now, where nothing else is said.
    public init(token: AttemptToken, operation: OperationID, result: AttemptResult, age: Int64 = 0) {
        self.token = token
        self.operation = operation
        self.result = result
        self.age = age
    }
}
