/// An operation of a new job that takes the result of an operation of an earlier job, and does not run.
@_spi(Baton) public struct ReusedOperation: Hashable, Sendable {
    /// The index of the operation in the new job.
    public var index: UInt32
    /// The operation that succeeded in the earlier job.
    public var source: OperationID
    /// Whether that operation left a result.
    public var hasResult: Bool
    /// Whether that operation left files, which the one that does not run has as its own.
    public var hasFiles = false

    /// Describes an operation that does not run.
    public init(index: UInt32, source: OperationID, hasResult: Bool) {
        self.index = index
        self.source = source
        self.hasResult = hasResult
    }
}
