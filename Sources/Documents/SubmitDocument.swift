@_spi(Baton) public import BatonJSON
@_spi(Baton) public import BatonOperations

/// The result of a submission: `submit`.
@_spi(Baton) public struct SubmitDocument: Document {
    /// The number of the new job.
    public var job: JobNumber
    /// The number of operations in the job.
    public var operations: UInt32

    /// Describes an accepted submission.
    public init(job: JobNumber, operations: UInt32) {
        self.job = job
        self.operations = operations
    }

    /// Writes the document.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("job", job.rawValue)
        writer.member("operations", operations)
        writer.endObject()
    }
}
