@_spi(Baton) import BatonDocuments

/// A page of the operations of a job.
struct OperationPage: Document {
    /// The operations, in the order of their indices.
    var operations: [OperationDocument]
    /// The index to go on from; nil at the end.
    var next: UInt32?
}
