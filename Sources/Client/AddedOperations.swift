@_spi(Baton) public import BatonOperations

/// The coordinator's reply to an addition to an open job.
@_spi(Baton) public struct AddedOperations: Hashable, Sendable {
    /// The job's number.
    public var job: JobNumber
    /// The index of the first of the operations.
    public var first: UInt32
    /// The number of the operations.
    public var operations: UInt32
    /// Whether the request added the operations; false if an addition with its key existed already.
    public var isNew: Bool
}
