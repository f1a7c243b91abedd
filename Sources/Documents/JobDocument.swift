public import BatonOperations

/// One job with its operations, or with a page of them: `show JOB`.
///
/// A big job comes in pages of the same form, which ``JobDocumentJoiner`` makes one document of.
public struct JobDocument: Document {
    /// Its number.
    public var job: JobNumber
    /// Its name; nil where it has none.
    public var name: String?
    /// The state of the whole (``Operations/JobCounts/state``).
    public var state: OperationState
    /// The outcome of the whole (D10); nil until it is finished.
    public var outcome: Outcome?
    /// The job that it is a retry of; nil for none.
    public var retryOf: JobNumber?
    /// The jobs that are retries of it, oldest first.
    public var retriedAs: [JobNumber]
    /// How many of its operations are where in their lives: of all, not of the page.
    public var counts: JobCounts
    /// How much of it is done, from 0 to 1 (PG6).
    public var progress: Double
    /// Its operations in the order of their indices.
    public var operations: [OperationDocument]
    /// When it was submitted.
    public var submittedAt: Timestamp
    /// The index that the next page starts with; nil where this is the last.
    public var next: UInt32?

    /// Describes a job.
    ///
    /// - Parameters:
    ///   - counts: how many of its operations are where in their lives, which says the outcome too.
    ///   - progress: how much of it is done, with the fractions of its running operations; nil takes its finished operations
    ///     alone.
    public init(
        job: JobNumber,
        name: String?,
        state: OperationState,
        retryOf: JobNumber? = nil,
        retriedAs: [JobNumber] = [],
        counts: JobCounts,
        progress: Double? = nil,
        operations: [OperationDocument],
        submittedAt: Timestamp,
        next: UInt32? = nil
    ) {
        self.job = job
        self.name = name
        self.state = state
        outcome = counts.outcome
        self.retryOf = retryOf
        self.retriedAs = retriedAs
        self.counts = counts
        self.progress = progress ?? (counts.total > 0 ? Double(counts.finished) / Double(counts.total) : 0)
        self.operations = operations
        self.submittedAt = submittedAt
        self.next = next
    }

    /// Writes the job; ``JobDocumentJoiner`` knows this form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("job", job.rawValue)
        writer.member("name", name)
        writer.member("state", description: state)
        writer.member("outcome", description: outcome)
        writer.member("retryOf", retryOf?.rawValue)
        writer.member("retriedAs", array: retriedAs) { job, writer in writer.value(job.rawValue) }
        writer.member("counts", counts)
        writer.member("progress", progress)
        writer.member("operations", array: operations) { operation, writer in operation.write(to: &writer) }
        writer.member("submittedAt", description: submittedAt)
        writer.member("next", next)
        writer.endObject()
    }
}
