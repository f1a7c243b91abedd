/// A piece of an attempt's output.
@_spi(Baton) public struct OutputChunk: Hashable, Sendable {
    /// The most bytes of one piece.
    public static let maximumLength = 1 << 20

    /// Where the bytes start in the stream.
    public var offset: UInt64
    /// The bytes; possibly empty if the stream has not grown yet.
    public var bytes: [UInt8]
    /// How many bytes the stream has so far.
    public var totalLength: UInt64
    /// Whether the stream will not grow any more.
    public var isComplete: Bool

    /// Describes a piece of output.
    public init(offset: UInt64, bytes: [UInt8], totalLength: UInt64, isComplete: Bool) {
        self.offset = offset
        self.bytes = bytes
        self.totalLength = totalLength
        self.isComplete = isComplete
    }
}
