/// What has become of a dependency that is finished and gone from the scheduler's memory.
public struct SettledDependency: Hashable, Sendable {
    /// How it ended; of a job, its outcome with the root of it (DE25).
    public var ending: Ending
    /// Whether it, or any of a job's operations, left a result.
    public var hasResult: Bool

    /// Describes a finished dependency.
    public init(_ ending: Ending, hasResult: Bool = false) {
        self.ending = ending
        self.hasResult = hasResult
    }
}
