@_spi(Baton) import BatonOperations

/// The files that are arriving from clients, piece by piece.
///
/// Confined to the thread that writes them. Two clients may send one file at the same time, or one may begin again: bytes that have arrived
/// already are not written twice, and the digest shows at the end whether all pieces are of one file.
///
/// A file of which all bytes are there waits for ``flush()``, which brings all such files to the disk together: each on its own would take
/// several writes of the disk, however small it is. Nobody is told that a file is whole before that.
final class SentDrafts {
    /// Told what has become of a piece.
    typealias Completion = @Sendable (Result<Bool, SentPieceFailure>) -> Void

    private struct Draft {
        let file: IncomingFile
        /// The last time at which a piece came.
        var touchedAt: ContinuousClock.Instant
        /// Whether some of it has come twice: from two clients, or from one that began again.
        var isShared: Bool
    }

    private let store: FileStore
    private let patience: Duration
    private var drafts: [ContentDigest: Draft] = [:]
    /// The files that have all of their bytes, and are not on disk yet.
    private var whole: [FileDraft] = []
    /// Who is told of these files.
    private var waiting: [ContentDigest: [Completion]] = [:]

    /// How long a file waits for its next piece without more.
    static let patience = Duration.seconds(600)
    /// The most files that arrive at once.
    static let most = 256
    /// The most files that come to the disk together.
    static let mostTogether = 4096

    /// - Parameters:
    ///   - store: the durable store that keeps the files that are whole.
    ///   - patience: how long a file waits for its next piece.
    init(store: FileStore, patience: Duration = SentDrafts.patience) {
        self.store = store
        self.patience = patience
    }

    /// The number of files that are not whole.
    var count: Int { drafts.count }

    /// Takes a piece of a file.
    ///
    /// - Parameter completion: called once, here or by ``flush()``, with whether the file is whole and on disk; or with why the piece was
    ///   not taken, after which nothing of the file is left.
    func take(_ piece: SentPiece, at now: ContinuousClock.Instant, then completion: @escaping Completion) {
        abandonIdle(at: now)
        let digest = piece.digest
        if waiting[digest] != nil {
            waiting[digest]?.append(completion)
            return
        }
        guard !store.holds(digest) else {
            abandon(digest)
            return completion(.success(true))
        }
        do throws(SentPieceFailure) {
            guard let draft = try add(piece, at: now) else { return completion(.success(false)) }
            whole.append(draft)
            waiting[digest] = [completion]
            if whole.count >= Self.mostTogether { flush() }
        } catch {
            abandon(digest)
            completion(.failure(error))
        }
    }

    /// Brings the files to the disk that have all of their bytes, and tells who waits for it.
    func flush() {
        guard !whole.isEmpty else { return }
        let (files, told) = (whole, waiting)
        (whole, waiting) = ([], [:])
        let failures = store.keepDurably(files, haveArrived: true).failures
        for file in files {
            let result: Result<Bool, SentPieceFailure> =
                failures[file.digest].map { .failure(SentPieceFailure($0)) } ?? .success(true)
            for completion in told[file.digest] ?? [] { completion(result) }
        }
    }

    /// Writes a piece.
    ///
    /// - Returns: the file if it has all of its bytes; nil otherwise.
    private func add(_ piece: SentPiece, at now: ContinuousClock.Instant) throws(SentPieceFailure) -> FileDraft? {
        let digest = piece.digest
        let (offset, size) = (piece.offset, piece.size)
        let (end, isTooLong) = offset.addingReportingOverflow(UInt64(piece.bytes.count))
        guard !isTooLong, end <= size, !piece.isLast || end == size else {
            throw SentPieceFailure(Refusal.wrongLength(of: digest))
        }
        let file: IncomingFile
        if let known = drafts[digest] {
            file = known.file
        } else {
            guard offset == 0 else { throw SentPieceFailure(Refusal.unknownBeginning(of: digest)) }
            file = try begin(piece)
        }
        let isShared = drafts[digest]?.isShared == true || offset < file.received
        drafts[digest] = Draft(file: file, touchedAt: now, isShared: isShared)
        guard offset <= file.received else { throw SentPieceFailure(Refusal.unknownBeginning(of: digest)) }
        do throws(FileFailure) {
            if end > file.received {
                let known = Int(file.received - offset)
                let failure = piece.bytes.withUnsafeBytes { bytes -> FileFailure? in
                    do throws(FileFailure) {
                        try file.write(UnsafeRawBufferPointer(rebasing: bytes[known...]))
                        return nil
                    } catch {
                        return error
                    }
                }
                if let failure { throw failure }
            }
            guard file.received == size else { return nil }
            drafts[digest] = nil
            if let draft = try file.complete() { return draft }
        } catch {
            throw SentPieceFailure(error)
        }
        // What another client has sent may be the reason, such as one whose file was changed and that has gone.
        let refusal = isShared ? Refusal.otherBeginning(of: digest) : Refusal.wrongDigest(of: digest)
        throw SentPieceFailure(refusal)
    }

    private func begin(_ piece: SentPiece) throws(SentPieceFailure) -> IncomingFile {
        if drafts.count >= Self.most, let oldest = drafts.min(by: { $0.value.touchedAt < $1.value.touchedAt }) {
            abandon(oldest.key)
        }
        do throws(FileFailure) {
            return try store.receive(
                KeptFile(path: "", size: Int64(clamping: piece.size), mode: piece.mode, digest: piece.digest)
            )
        } catch {
            var failure = SentPieceFailure(error)
            // For a file that can never have room, none is to be made.
            if piece.size > store.limit { failure.lacksRoom = false }
            throw failure
        }
    }

    private func abandon(_ digest: ContentDigest) { drafts.removeValue(forKey: digest)?.file.abandon() }

    /// Gives back the room of files whose senders have gone.
    func abandonIdle(at now: ContinuousClock.Instant) {
        guard drafts.values.contains(where: { now - $0.touchedAt >= patience }) else { return }
        for (digest, draft) in drafts where now - draft.touchedAt >= patience { abandon(digest) }
    }
}

extension SentPieceFailure {
    /// Describes a file that cannot be kept, which may have room once others have gone.
    fileprivate init(_ failure: FileFailure) {
        self.init(Refusal(failure), lacksRoom: failure.isOfRoom)
    }
}

extension Refusal {
    /// Refuses a piece of a sent file that cannot be kept.
    ///
    /// Its sender knows the name of the file, and nobody here does.
    fileprivate init(_ failure: FileFailure) {
        guard failure.code != 0 else {
            self.init(.invalid, failure.description)
            return
        }
        self.init(.storage, "The coordinator cannot keep the file. \(failure)")
    }

    /// Refuses a file whose bytes are not those that its digest says.
    fileprivate static func wrongDigest(of digest: ContentDigest) -> Refusal {
        Refusal(
            .invalid,
            "The file \(digest) has arrived with another content than its sender has said: it was changed while it was read. Send it "
                + "again once nothing writes to it."
        )
    }

    /// Refuses a file of which another sender may have sent a wrong part.
    fileprivate static func otherBeginning(of digest: ContentDigest) -> Refusal {
        Refusal(
            .unavailable,
            "The file \(digest) has arrived with another content than its senders have said, of whom there was more than one. Send the "
                + "file again from its beginning."
        )
    }

    /// Refuses a piece behind one that has not come, or that has been given up since.
    fileprivate static func unknownBeginning(of digest: ContentDigest) -> Refusal {
        Refusal(
            .unavailable,
            "The coordinator does not have the beginning of the file \(digest). Send the file again from its beginning."
        )
    }

    /// Refuses a piece that does not fit into its file.
    fileprivate static func wrongLength(of digest: ContentDigest) -> Refusal {
        Refusal(
            .invalid,
            "A piece of the file \(digest) does not fit its length: the file was changed while it was read. Send it again once "
                + "no program writes to it."
        )
    }
}
