/// What was submitted: the operations of one job and what they need of each other.
public struct PlannedJob: Sendable {
    /// The name that the job is found by; no two have the same.
    public var name: String
    /// The key that it was submitted with, if any.
    public var key: String?
    /// Its operations, in order.
    public var operations: [PlannedOperation]
    /// The numbers that Baton acknowledged it under; several where a submission with a key was repeated.
    public var acknowledged: [Int] = []

    /// Describes a job that has not been submitted yet.
    public init(name: String, key: String? = nil, operations: [PlannedOperation]) {
        self.name = name
        self.key = key
        self.operations = operations
    }
}

/// What an operation does, and when it may.
public struct PlannedOperation: Sendable {
    /// Which outcome of a dependency an operation needs.
    public enum Condition: Sendable {
        /// Any.
        case after
        /// Success.
        case needs
        /// Failure.
        case onFailure
    }

    /// The queue that it is in.
    public var queue: String
    /// What it depends on: indices in its job.
    public var dependencies: [(index: Int, condition: Condition)]
    /// How long it takes, in milliseconds.
    public var milliseconds: Int
    /// The attempts up to this number fail.
    public var failures: Int
    /// How often it may be tried again after a failure.
    public var retries: Int

    /// Describes an operation that succeeds at once unless more is said.
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
