@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON

/// A page of the operations of a job.
struct OperationPage: Document {
    /// The operations, in the order of their indices.
    var operations: [OperationDocument]
    /// The index to go on from; nil at the end.
    var next: UInt32?

    /// Writes the page.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("operations", array: operations) { operation, writer in operation.write(to: &writer) }
        writer.member("next", next)
        writer.endObject()
    }
}
