/// What of a job is to be submitted again (D11).
public struct RetrySelection: Hashable, Sendable {
    /// The operations that are meant, by index; empty for all of the job.
    public var operations: [Range<UInt32>]
    /// Whether what was cancelled is meant too, and what was skipped because of that.
    public var includesCancelled: Bool
    /// Whether every dependent is submitted again too, since it ran without their results.
    public var includesDependents: Bool

    /// Says what is to be submitted again.
    public init(
        operations: [Range<UInt32>] = [],
        includesCancelled: Bool = false,
        includesDependents: Bool = true
    ) {
        self.operations = operations
        self.includesCancelled = includesCancelled
        self.includesDependents = includesDependents
    }
}
