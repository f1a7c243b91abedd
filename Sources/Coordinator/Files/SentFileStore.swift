@_spi(Baton) public import BatonOperations

/// Where the coordinator's process keeps the files that clients send.
///
/// The coordinator passes arriving pieces to the store, and asks it which contents it has already. A kept file is then a copy like that of
/// any worker: the coordinator's own worker, which runs nothing, reports it.
@_spi(Baton) public protocol SentFileStore: Sendable {
    /// The contents among some that are not kept, in their order; returns at once, whatever is being written.
    func missing(_ digests: [ContentDigest]) -> [ContentDigest]

    /// Takes a piece of a file; the pieces of a file come in their order, and may come again from the beginning.
    ///
    /// The piece is written on a thread of the store, never on the caller's.
    ///
    /// - Parameter completion: called once, on any thread, with whether the file is whole and on disk; or with why the piece was not
    ///   taken, after which the file has to be sent again from its beginning.
    func write(_ piece: SentPiece, completion: @escaping @Sendable (Result<Bool, SentPieceFailure>) -> Void)
}
