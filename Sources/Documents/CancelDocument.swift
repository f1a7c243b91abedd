public import BatonOperations

/// What a cancellation did: `cancel`.
public struct CancelDocument: Document {
    /// How many unfinished operations it was the first to cancel; 0 says that it had no effect (CA9).
    public var cancelled: Int
    /// Sentences about what it did not cancel, and why.
    public var notes: [String]
    /// The workers that did not answer in time: of what they were sent, something may yet start (CA15).
    public var unanswered: [String]

    /// Describes what a cancellation did.
    public init(_ report: ChangeReport) {
        cancelled = report.changed
        notes = report.notes
        unanswered = report.unanswered
    }

    /// Writes it.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("cancelled", cancelled)
        writer.member("notes", strings: notes)
        writer.member("unanswered", strings: unanswered)
        writer.endObject()
    }
}
