public import BatonOperations

/// What a change of operations or of a queue did: `hold`, `release`, `priority`, `depend`, `undepend`, `queue set` and their like.
public struct ChangeDocument: Document {
    /// How many operations, or queues, it changed; 0 says that it had no effect.
    public var changed: Int
    /// Sentences about what it did not change, and why.
    public var notes: [String]
    /// The workers that did not answer in time: of what they were sent, something may yet start (SU8).
    public var unanswered: [String]

    /// Describes what a change did.
    public init(_ report: ChangeReport) {
        changed = report.changed
        notes = report.notes
        unanswered = report.unanswered
    }

    /// Writes it.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("changed", changed)
        writer.member("notes", strings: notes)
        writer.member("unanswered", strings: unanswered)
        writer.endObject()
    }
}
