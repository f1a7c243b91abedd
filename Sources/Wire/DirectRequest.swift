@_spi(Baton) public import BatonOperations

/// A worker's request to another one for a piece of a file, without the coordinator between them.
///
/// The answer is a ``PassedPiece``, with the number of the request twice. A worker answers nothing to a ticket that it does not know.
@_spi(Baton) public struct DirectRequest: Hashable, Sendable {
    /// The number of the request, which the answer repeats.
    public var number: UInt64
    /// The ticket that the coordinator has given both workers for this file.
    public var ticket: ReaderTicket
    /// The content of the file.
    public var digest: ContentDigest
    /// Where the piece begins.
    public var offset: UInt64
    /// The most bytes of the piece.
    public var limit: UInt32

    /// Describes a request.
    public init(number: UInt64, ticket: ReaderTicket, digest: ContentDigest, offset: UInt64, limit: UInt32) {
        self.number = number
        self.ticket = ticket
        self.digest = digest
        self.offset = offset
        self.limit = limit
    }
}
