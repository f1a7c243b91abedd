/// A piece of a file, on its way from a worker that keeps the file.
@_spi(Baton) public struct FilePiece: Hashable, Sendable {
    /// The most bytes of a piece.
    public static let maximumLength = 512 << 10

    /// Where the bytes start in the file.
    public var offset: UInt64
    /// The number of bytes of the whole file.
    public var size: UInt64
    /// The bytes, which do not reach beyond the end of the file.
    public var bytes: [UInt8]

    /// Describes a piece.
    public init(offset: UInt64, size: UInt64, bytes: [UInt8]) {
        self.offset = offset
        self.size = size
        self.bytes = bytes
    }
}
