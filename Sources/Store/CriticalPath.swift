@_spi(Baton) public import BatonOperations

/// The chain of operations for which the end of a job waited, each the one for whose end the next waited last.
///
/// The chain ends with the operation that finished last of those that ran. Before an operation that ran comes the dependency that
/// finished last. Before a skipped operation comes the operation for which it was skipped, since it did not wait for the rest.
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
    ///   - before: returns the operation for whose end an operation waited last, if there is one.
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

    /// Returns the operation for whose end an operation waited last; nil if it waited for none.
    ///
    /// No step is later than the operation's start, or than its end if it was skipped: dependencies that were still running then
    /// do not count. An operation is skipped for a failure at once (DE9), but for a cancellation perhaps only after the other
    /// dependencies of which one had to fail. So the latest end counts there, and of equal ones that of the root.
    ///
    /// - Parameters:
    ///   - record: the operation.
    ///   - sources: the operations that its dependencies cover.
    ///   - last: returns the operation of a source that finished last, up to a time; nil if none had finished.
    /// - Complexity: O(sources) questions.
    static func step<Failure: Error>(
        before record: OperationRecord,
        _ sources: [InputNames.Source],
        last: (InputNames.Source, Timestamp) throws(Failure) -> Step?
    ) throws(Failure) -> Step? {
        let limit = record.endOfWait
        var latest: Step?
        if record.outcome == .skipped, let ending = record.skippedFor, let root = ending.root, root != record.id {
            latest = try last(InputNames.Source(job: root.job, range: root.index...root.index), limit)
            if ending.isFailure, let latest { return latest }
        }
        for source in sources {
            guard let step = try last(source, limit), latest.map({ $0.finishedAt < step.finishedAt }) ?? true else {
                continue
            }
            latest = step
        }
        return latest
    }
}

extension OperationRecord {
    /// When an operation no longer waited for dependencies; the latest time if unknown.
    fileprivate var endOfWait: Timestamp {
        (outcome == .skipped ? finishedAt : readyAt ?? startedAt ?? finishedAt) ?? Timestamp(rawValue: .max)
    }
}
