/// A submission: the operations of one job and their dependencies.
public struct PlannedJob: Sendable {
    /// The unique name of the job.
    public var name: String
    /// The key of the submission, if any.
    public var key: String?
    /// Its operations, in order.
    public var operations: [PlannedOperation]
    /// The numbers in Baton's acknowledgements; several for a repeated submission with a key.
    public var acknowledged: [Int] = []

    /// Describes a job that has not been submitted yet.
    public init(name: String, key: String? = nil, operations: [PlannedOperation]) {
        self.name = name
        self.key = key
        self.operations = operations
    }
}

/// The work of an operation, and the conditions of its start.
public struct PlannedOperation: Sendable {
    /// The outcome of a dependency that an operation needs.
    public enum Condition: Sendable {
        /// Any.
        case after
        /// Success.
        case needs
        /// Failure.
        case onFailure
    }

    /// The operation's queue.
    public var queue: String
    /// The dependencies: indices in the job.
    public var dependencies: [(index: Int, condition: Condition)]
    /// The length of the operation, in milliseconds.
    public var milliseconds: Int
    /// The attempts up to this number fail.
    public var failures: Int
    /// The number of retries after failures.
    public var retries: Int

    /// Describes an operation that succeeds at once by default.
    public init(
        queue: String,
        dependencies: [(index: Int, condition: Condition)] = [],
        milliseconds: Int = 0,
        failures: Int = 0,
        retries: Int = 0
    ) {
        self.queue = queue
        self.dependencies = dependencies
        self.milliseconds = milliseconds
        self.failures = failures
        self.retries = retries
    }
}
