@_spi(Baton) public import BatonOperations

/// The chain of operations for which the end of a job waited, each the dependency of the next that finished last.
///
/// The chain ends with the operation that finished last of those that ran.
@_spi(Baton) public struct CriticalPath: Hashable, Sendable {
    /// An operation of the chain.
    public struct Step: Hashable, Sendable {
        /// The operation.
        public var operation: OperationID
        /// When its last attempt started; nil if it never ran.
        public var startedAt: Timestamp?
        /// When it was finished.
        public var finishedAt: Timestamp

        /// Describes a step.
        public init(operation: OperationID, startedAt: Timestamp?, finishedAt: Timestamp) {
            self.operation = operation
            self.startedAt = startedAt
            self.finishedAt = finishedAt
        }
    }

    /// The most steps that a path has; what came before is left out.
    public static let mostSteps = 1000

    /// The steps, first to last.
    public var steps: [Step]
    /// Whether there were more steps before the first.
    public var isCut: Bool

    /// Describes a path.
    public init(steps: [Step] = [], isCut: Bool = false) {
        self.steps = steps
        self.isCut = isCut
    }

    /// Follows the chain back from its last step.
    ///
    /// - Parameters:
    ///   - last: the last step; nil for a job in which no operation that ran has finished.
    ///   - before: returns the dependency of an operation that finished last, if there is one.
    /// - Complexity: O(``mostSteps``) questions.
    init<Failure: Error>(
        endingWith last: Step?,
        before: (OperationID) throws(Failure) -> Step?
    ) throws(Failure) {
        self.init()
        var next = last
        while let step = next {
            guard steps.count < Self.mostSteps else {
                isCut = true
                break
            }
            steps.append(step)
            next = try before(step.operation)
        }
        steps.reverse()
    }
}
