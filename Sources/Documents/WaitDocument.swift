public import BatonOperations

/// How a wait ended: `wait`.
public struct WaitDocument: Document {
    /// Whether all that was named is finished; false where the time ran out.
    public var finished: Bool
    /// The outcome of all that was named together (D10); nil where the time ran out.
    public var outcome: Outcome?
    /// The counts of all that was named.
    public var counts: JobCounts

    /// Describes the end of a wait.
    public init(finished: Bool, counts: JobCounts) {
        self.finished = finished
        outcome = finished ? counts.outcome : nil
        self.counts = counts
    }

    /// Writes it.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("finished", finished)
        writer.member("outcome", description: outcome)
        writer.member("counts", counts)
        writer.endObject()
    }
}
