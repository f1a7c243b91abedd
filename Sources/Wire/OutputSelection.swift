@_spi(Baton) public import BatonOperations

/// The outputs that a client wants to read of a job, page by page.
@_spi(Baton) public struct OutputSelection: Hashable, Sendable {
    /// The job.
    public var job: JobNumber
    /// The operations, in ascending order; the ranges do not overlap.
    ///
    /// For the next page, the client leaves out the operations below ``OutputPage/Position/operation``.
    public var operations: [Range<UInt32>]
    /// The attempts of the very first operation up to this number are left out; 0 leaves out none.
    public var afterAttempt: UInt32
    /// The stream; nil for both.
    public var stream: OutputStream?
    /// The only wanted attempt of each operation; nil for all.
    public var attempt: UInt32?
    /// Whether only the last attempt with an output is wanted.
    public var isLastOnly: Bool
    /// Whether only operations that failed are wanted.
    public var isFailedOnly: Bool
    /// The number of lines from the end of each stream; nil for whatever the record keeps.
    public var lines: UInt32?
    /// About how many bytes of output a page may have.
    public var limit: UInt32

    /// Selects outputs.
    public init(
        job: JobNumber,
        operations: [Range<UInt32>],
        afterAttempt: UInt32 = 0,
        stream: OutputStream? = nil,
        attempt: UInt32? = nil,
        isLastOnly: Bool = false,
        isFailedOnly: Bool = false,
        lines: UInt32? = nil,
        limit: UInt32 = UInt32(OutputPage.maximumLength)
    ) {
        self.job = job
        self.operations = operations
        self.afterAttempt = afterAttempt
        self.stream = stream
        self.attempt = attempt
        self.isLastOnly = isLastOnly
        self.isFailedOnly = isFailedOnly
        self.lines = lines
        self.limit = limit
    }

    /// Whether a stream is wanted.
    public func wants(_ stream: OutputStream) -> Bool { self.stream ?? stream == stream }

    /// The same selection in shorter pages.
    public func limited(to limit: UInt32) -> OutputSelection {
        var limited = self
        limited.limit = min(self.limit, limit)
        return limited
    }

    /// The selection of what comes at a position or later.
    public func from(_ position: OutputPage.Position) -> OutputSelection {
        var rest = self
        rest.operations = operations.compactMap { range in
            guard range.upperBound > position.operation else { return nil }
            return max(range.lowerBound, position.operation)..<range.upperBound
        }
        rest.afterAttempt = rest.operations.first?.lowerBound == position.operation ? position.afterAttempt : 0
        return rest
    }
}
