/// A piece of a file that the coordinator passes on as it is, from the worker that keeps the file to the one that asked.
///
/// The coordinator reads the ``Head`` alone, which is at the beginning of the message.
@_spi(Baton) public struct PassedPiece: Hashable, Sendable {
    /// The part of a piece that the coordinator reads.
    public struct Head: Hashable, Sendable {
        /// The number that ``CoordinatorMessage/readPiece(number:echo:_:offset:limit:)`` had: the coordinator's open request.
        public var number: UInt64
        /// The number of who asked, ``WorkerMessage/fetchPiece(_:number:_:_:offset:limit:)``.
        public var echo: UInt64
        /// Whether the worker has the file, and the piece is in the message.
        public var hasPiece: Bool
        /// Whether the worker does not have the file because it was damaged (FI8).
        public var isDamaged: Bool

        /// Describes a head.
        public init(number: UInt64, echo: UInt64, hasPiece: Bool, isDamaged: Bool = false) {
            self.number = number
            self.echo = echo
            self.hasPiece = hasPiece
            self.isDamaged = isDamaged
        }
    }

    /// The number of the coordinator's open request.
    public var number: UInt64
    /// The number of who asked.
    public var echo: UInt64
    /// The piece; nil if the worker does not have the file.
    public var piece: FilePiece?
    /// Whether the worker does not have the file because it was damaged (FI8).
    public var isDamaged: Bool

    /// Describes an answer to a request for a piece.
    public init(number: UInt64, echo: UInt64, piece: FilePiece?, isDamaged: Bool = false) {
        self.number = number
        self.echo = echo
        self.piece = piece
        self.isDamaged = isDamaged
    }

    /// The part of the message that the coordinator reads.
    public var head: Head { Head(number: number, echo: echo, hasPiece: piece != nil, isDamaged: isDamaged) }
}
