@_spi(Baton) import BatonDigests
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// A content that the coordinator does not have, with a file that has it.
struct SentContents {
    /// The file of this host.
    let source: SentSource
    /// The file as the submission names it.
    let file: KeptFile
}

/// The pieces of files that are on their way to the coordinator: a few, so that none waits for the answer to the one before.
///
/// The coordinator gets the pieces of a file in their order, and the files one after the other. A file of which it does not take a piece,
/// for a reason that passes, is left, and is missing afterwards.
struct SendWindow {
    /// The most bytes on their way.
    private static let mostBytes = 8 << 20
    /// The most pieces on their way: small files come to the disk together, as many as are there.
    private static let mostPieces = 1024

    /// A piece on its way.
    private struct Piece {
        let request: PieceRequest
        let digest: ContentDigest
        /// Where the file is on this host.
        let place: String
    }

    /// Why the last file was left; nil if none was.
    private(set) var refusal: ClientError?
    private let channel: any RequestChannel
    /// Called with the number of bytes that the coordinator has taken; negative for the bytes of an abandoned file.
    private let onBytes: (Int) -> Void
    private var pieces: [Piece] = []
    private var bytes = 0
    /// The files that were left.
    private var left: Set<ContentDigest> = []
    /// The bytes taken of files that are not whole.
    private var taken: [ContentDigest: Int] = [:]

    init(over channel: any RequestChannel, onBytes: @escaping (Int) -> Void) {
        self.channel = channel
        self.onBytes = onBytes
    }

    /// Sends the pieces of a file, once there is room for each.
    ///
    /// - Throws: ``SendError`` if the file has changed, `ClientError`, and `CancellationError` if the task is cancelled.
    mutating func send(_ content: SentContents) async throws {
        let file = try SentContent(of: content.source)
        let size = content.file.size
        var hash = SHA256()
        var offset: Int64 = 0
        repeat {
            try Task.checkCancellation()
            let length = Int(min(size - offset, Int64(SentPiece.maximumLength)))
            let bytes = try length > 0 ? file.read(at: offset, atMost: length) : []
            guard bytes.count == length else { throw SendError.changed(content.source.place) }
            hash.update(bytes)
            let isLast = offset + Int64(length) == size
            if isLast {
                // The store would refuse the whole of it, without the name of the file; what has grown, it could not know.
                let isWhole = try file.read(at: size, atMost: 1).isEmpty
                guard isWhole, ContentDigest(bytes: hash.finish()) == content.file.digest else {
                    throw SendError.changed(content.source.place)
                }
            }
            while !pieces.isEmpty, self.bytes + length > Self.mostBytes || pieces.count >= Self.mostPieces {
                try await settle()
            }
            guard !left.contains(content.file.digest) else { return }
            let piece = SentPiece(
                digest: content.file.digest,
                size: UInt64(size),
                mode: content.file.mode,
                offset: UInt64(offset),
                bytes: bytes,
                isLast: isLast
            )
            let request = PieceRequest(.sentPiece(piece), length: length, over: channel, timeout: nil)
            pieces.append(Piece(request: request, digest: content.file.digest, place: content.source.place))
            self.bytes += length
            offset += Int64(length)
        } while offset < size
    }

    /// Waits for all answers.
    mutating func finish() async throws {
        while !pieces.isEmpty { try await settle() }
    }

    /// A refusal with the name of the file that it is about, which the coordinator does not know.
    private static func named(_ refusal: Refusal, _ place: String) -> Refusal {
        guard refusal.code != .notAllowed else { return refusal }
        var named = refusal
        named.message = "\"\(place.asShown)\" cannot be sent, and nothing was submitted. \(refusal.message)"
        return named
    }

    /// Waits for the answer to the first piece.
    private mutating func settle() async throws(ClientError) {
        let piece = pieces.removeFirst()
        bytes -= piece.request.length
        switch await piece.request.answer() {
        case .success(.received(let isWhole)):
            guard !left.contains(piece.digest) else { return }
            onBytes(piece.request.length)
            taken[piece.digest] = isWhole ? nil : taken[piece.digest, default: 0] + piece.request.length
        case .success(.refused(let reason)):
            let error = ClientError.refused(Self.named(reason, piece.place), piece.request.content)
            guard reason.code == .unavailable || reason.code == .unanswered else { throw error }
            // What follows of the file is refused as well: it has no beginning.
            guard left.insert(piece.digest).inserted else { return }
            refusal = error
            onBytes(-(taken.removeValue(forKey: piece.digest) ?? 0))
        case .success: throw .wrongKind
        case .failure(let error): throw error
        }
    }
}
