@_spi(Baton) public import BatonOperations

/// What a worker fetches for an operation before its start.
@_spi(Baton) public struct WorkerFetch: Hashable, Sendable {
    /// The operation.
    public let operation: OperationID
    /// The number of files that are not there.
    public let files: Int
    /// The bytes of all files that the operation needs.
    public let bytes: Int64
    /// The bytes of these that are there, with parts of files.
    public let present: Int64
}
