/// The limits for finished jobs in the record: a job is removed once either limit is exceeded, the oldest first.
@_spi(Baton) public struct Retention: Hashable, Sendable {
    /// How long a job is kept after the end of its last operation, counted while a coordinator runs; nil: for ever.
    public var age: Duration?
    /// How many operations of finished jobs are kept; nil: any number.
    ///
    /// This limit never removes the job that finished last.
    public var operations: Int?

    /// Nothing is removed.
    public static let forever = Retention(age: nil, operations: nil)

    /// Describes the limits: by default a week, and a million operations.
    public init(age: Duration? = .seconds(7 * 86_400), operations: Int? = 1_000_000) {
        self.age = age
        self.operations = operations
    }

    /// Whether a finished job is to be removed.
    ///
    /// - Parameters:
    ///   - finishedAt: when the job was finished.
    ///   - keptOperations: how many operations of finished jobs are kept, including the operations of this job.
    ///   - isNewest: whether no other job finished later.
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
