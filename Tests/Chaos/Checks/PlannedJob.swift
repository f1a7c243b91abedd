/// A submission: the operations of one job and their dependencies.
package struct PlannedJob: Sendable {
    /// The unique name of the job.
    package var name: String
    /// The key of the submission, if any.
    package var key: String?
    /// Its operations, in order.
    package var operations: [PlannedOperation]
    /// The numbers in Baton's acknowledgements; several for a repeated submission with a key.
    package var acknowledged: [Int] = []

    /// Describes a job that has not been submitted yet.
    package init(name: String, key: String? = nil, operations: [PlannedOperation]) {
        self.name = name
        self.key = key
        self.operations = operations
    }
}

/// The work of an operation, and the conditions of its start.
package struct PlannedOperation: Sendable {
    /// The outcome of a dependency that an operation needs.
    package enum Condition: Sendable {
        /// Any.
        case after
        /// Success.
        case needs
        /// Failure.
        case onFailure
    }

    /// The operation's queue.
    package var queue: String
    /// The dependencies: indices in the job.
    package var dependencies: [(index: Int, condition: Condition)]
    /// The length of the operation, in milliseconds.
    package var milliseconds: Int
    /// The attempts up to this number fail.
    package var failures: Int
    /// The number of retries after failures.
    package var retries: Int
    /// Whether it leaves a file, which the operations that need it read.
    package var leavesFile: Bool

    /// Describes an operation that succeeds at once by default.
    package init(
        queue: String,
        dependencies: [(index: Int, condition: Condition)] = [],
        milliseconds: Int = 0,
        failures: Int = 0,
        retries: Int = 0,
        leavesFile: Bool = false
    ) {
        self.queue = queue
        self.dependencies = dependencies
        self.milliseconds = milliseconds
        self.failures = failures
        self.retries = retries
        self.leavesFile = leavesFile
    }
}
