/// How much of what is finished is kept in the record: a job goes once either limit is exceeded, the oldest first.
public struct Retention: Hashable, Sendable {
    /// How long a job is kept after its last operation has finished, counted while a coordinator runs; nil: for ever.
    public var age: Duration?
    /// How many operations of finished jobs are kept; nil: any number.
    ///
    /// The job that finished last is kept however many it has.
    public var operations: Int?

    /// Nothing is removed.
    public static let forever = Retention(age: nil, operations: nil)

    /// Describes how much is kept: a week's jobs, up to a million operations, unless given.
    public init(age: Duration? = .seconds(7 * 86_400), operations: Int? = 1_000_000) {
        self.age = age
        self.operations = operations
    }

    /// Whether a finished job is to go.
    ///
    /// - Parameters:
    ///   - finishedAt: when it was finished.
    ///   - keptOperations: how many operations of finished jobs are kept, its own among them.
    ///   - isNewest: whether it is the one that finished last.
    ///   - now: the present moment.
    public func isExceeded(
        byJobOf finishedAt: Timestamp,
        keptOperations: Int,
        isNewest: Bool,
        at now: Timestamp
    ) -> Bool {
        if let age, finishedAt + age <= now { return true }
        guard let operations, !isNewest else { return false }
        return keptOperations > operations
    }
}
