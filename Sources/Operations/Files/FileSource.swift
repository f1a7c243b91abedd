/// The files of a finished operation, with the attempt that made them.
@_spi(Baton) public struct FileSource: Hashable, Sendable {
    /// The operation.
    public var operation: OperationID
    /// The number of the attempt.
    public var attempt: UInt32
    /// The files, all of the attempt.
    public var files: [KeptFile]
    /// How many workers are to keep each of the files.
    public var copies: Int

    /// Describes the files of an operation.
    public init(operation: OperationID, attempt: UInt32, files: [KeptFile], copies: Int = 1) {
        self.operation = operation
        self.attempt = attempt
        self.files = files
        self.copies = copies
    }
}
