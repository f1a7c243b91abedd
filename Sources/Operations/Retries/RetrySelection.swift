/// The part of a job to submit again (D11).
@_spi(Baton) public struct RetrySelection: Hashable, Sendable {
    /// The selected operations, by index; empty for all of the job.
    public var operations: [Range<UInt32>]
    /// Whether to include cancelled operations, and operations skipped because of a cancellation.
    public var includesCancelled: Bool
    /// Whether to submit every dependent again too, since it ran without the results of the retried operations.
    public var includesDependents: Bool

    /// Describes the part to submit again.
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
