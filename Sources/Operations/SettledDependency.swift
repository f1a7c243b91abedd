/// What has become of a dependency that is finished and gone from the scheduler's memory.
public struct SettledDependency: Hashable, Sendable {
    /// Whether it, or all of a job's operations, succeeded.
    public var succeeded: Bool
    /// Whether it, or any of a job's operations, failed after its retries.
    public var failed: Bool
    /// Whether it, or any of a job's operations, left a result.
    public var hasResult: Bool

    /// Describes a finished dependency.
    public init(succeeded: Bool, failed: Bool, hasResult: Bool) {
        self.succeeded = succeeded
        self.failed = failed
        self.hasResult = hasResult
    }
}
