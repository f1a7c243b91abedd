public import BatonOperations

/// What became of a submission: `submit`.
public struct SubmitDocument: Document {
    /// The job that it is now.
    public var job: JobNumber
    /// How many operations that has.
    public var operations: UInt32

    /// Describes an accepted submission.
    public init(job: JobNumber, operations: UInt32) {
        self.job = job
        self.operations = operations
    }

    /// Writes it.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("job", job.rawValue)
        writer.member("operations", operations)
        writer.endObject()
    }
}
