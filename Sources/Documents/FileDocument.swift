@_spi(Baton) public import BatonOperations

/// A file that an operation left: `files`.
@_spi(Baton) public struct FileDocument: Document {
    /// Whether the bytes of a file can be had.
    public enum State: String, DocumentValue, CaseIterable {
        /// At least one worker keeps the file.
        case held
        /// No present worker keeps the file.
        case lost
    }

    /// The operation that left the file.
    public var operation: OperationID
    /// The name of the operation; nil for an operation without a name.
    public var name: String?
    /// The place of the file below the operation's directory.
    public var path: String
    /// The number of bytes.
    public var size: Int64
    /// The permissions as an octal number of four digits, such as 0644.
    public var mode: String
    /// The SHA-256 of the bytes, as hexadecimal digits.
    @Content public var digest: String?
    /// The number of the attempt that left the file; 0 if it is that of an operation of an earlier job, whose result was taken.
    public var attempt: UInt32
    /// The names of the workers that keep the file, in their order.
    public var holders: [String]
    /// The number of copies that are to exist; one in an archive counts, and with `copies` 1 the archive has one more.
    public var copies: Int
    /// Whether a worker keeps the file.
    public var state: FileDocument.State

    /// Describes a file.
    ///
    /// - Parameters:
    ///   - operation: the operation that left it.
    ///   - name: the name of the operation.
    ///   - attempt: the number of the attempt.
    ///   - holders: the names of the workers that keep it.
    ///   - copies: the number of workers that are to keep it.
    public init(
        _ file: KeptFile,
        of operation: OperationID,
        name: String?,
        attempt: UInt32,
        holders: [String],
        copies: Int = 1
    ) {
        self.operation = operation
        self.name = name
        path = file.path
        size = file.size
        let digits = String(file.mode, radix: 8)
        mode = String(repeating: "0", count: max(0, Self.modeDigits - digits.utf8.count)) + digits
        digest = file.digest.hexadecimal
        self.attempt = attempt
        self.holders = holders
        self.copies = copies
        state = holders.isEmpty ? .lost : .held
    }

    private static let modeDigits = 4
}
