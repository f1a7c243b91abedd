@_spi(Baton) public import BatonJSON
@_spi(Baton) public import BatonOperations

/// The end of a wait: `wait`.
@_spi(Baton) public struct WaitDocument: Document {
    /// Whether all named operations are finished; false after a timeout.
    public var finished: Bool
    /// The common outcome of all named operations (D10); nil after a timeout.
    public var outcome: Outcome?
    /// The counts of all named operations.
    public var counts: JobCounts

    /// Describes the end of a wait.
    public init(finished: Bool, counts: JobCounts) {
        self.finished = finished
        outcome = finished ? counts.outcome : nil
        self.counts = counts
    }

    /// Writes the document.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("finished", finished)
        writer.member("outcome", description: outcome)
        writer.member("counts", counts)
        writer.endObject()
    }
}
