@_spi(Baton) public import BatonOperations

/// A file in the record that workers keep of an operation.
@_spi(Baton) public struct StoredFile: Hashable, Sendable {
    /// The operation that left the file.
    public var operation: OperationID
    /// The attempt that left it; 0 for a file that was taken over from an operation of an earlier job.
    public var attempt: UInt32
    /// The file.
    public var file: KeptFile
    /// How many workers are to keep the file.
    public var copies: Int

    /// Describes a file.
    public init(operation: OperationID, attempt: UInt32, file: KeptFile, copies: Int = 1) {
        self.operation = operation
        self.attempt = attempt
        self.file = file
        self.copies = copies
    }
}
