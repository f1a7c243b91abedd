/// A piece of a file that a submitter sends to the coordinator, before the submission that needs the file.
///
/// The pieces of a file come in the order of their offsets, each behind the one before it, and the last one says so.
@_spi(Baton) public struct SentPiece: Hashable, Sendable {
    /// The most bytes of a piece.
    public static let maximumLength = 256 << 10

    /// The digest of the whole file.
    public var digest: ContentDigest
    /// The number of bytes of the whole file.
    public var size: UInt64
    /// The permissions of the file, within ``KeptFile/permissions``.
    public var mode: UInt16
    /// The number of bytes in front of the piece.
    public var offset: UInt64
    /// The bytes: none only for an empty file.
    public var bytes: [UInt8]
    /// Whether the file ends with the piece.
    public var isLast: Bool

    /// Describes a piece.
    public init(digest: ContentDigest, size: UInt64, mode: UInt16, offset: UInt64, bytes: [UInt8], isLast: Bool) {
        self.digest = digest
        self.size = size
        self.mode = mode
        self.offset = offset
        self.bytes = bytes
        self.isLast = isLast
    }
}
