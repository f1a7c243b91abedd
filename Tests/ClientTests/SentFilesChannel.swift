@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDigests
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Synchronization

/// A channel to a coordinator that takes files and nothing else, piece by piece, as its store does.
final class SentFilesChannel: RequestChannel {
    struct State {
        /// The contents that are whole.
        var contents: [ContentDigest: [UInt8]] = [:]
        /// What has come of others.
        var drafts: [ContentDigest: [UInt8]] = [:]
        /// The numbers of digests in each question.
        var questions: [Int] = []
        /// The bytes of all files, as each question tells them.
        var toldBytes: [Int64] = []
        /// The pieces so far.
        var pieces = 0
        /// The most bytes that waited for an answer at once.
        var mostOpenBytes = 0
        /// Answers that are held back, with the bytes of their pieces.
        var open: [(bytes: Int, answer: @Sendable () -> Void)] = []
        var openBytes = 0
    }

    let endpoint = "tcp://127.0.0.1:1"
    private let state = Mutex(State())
    /// Decides about a piece, by the number of pieces before it: a refusal, or nil to take it.
    private let onPiece: @Sendable (Int, SentPiece, inout State) -> Refusal?
    /// Whether answers are held back until as many bytes wait as a client may have on their way.
    private let holdsAnswers: Bool

    init(
        holdsAnswers: Bool = false,
        onPiece: @escaping @Sendable (Int, SentPiece, inout State) -> Refusal? = { _, _, _ in nil }
    ) {
        self.holdsAnswers = holdsAnswers
        self.onPiece = onPiece
    }

    /// What has come so far.
    var seen: State { state.withLock { $0 } }

    func send(
        _ request: Request,
        timeout: Duration?,
        completion: @escaping @Sendable (Result<Reply, ClientError>) -> Void
    ) -> UInt64 {
        guard case .sentPiece(let piece) = request, holdsAnswers else {
            completion(.success(reply(to: request)))
            return 1
        }
        let reply = reply(to: request)
        let due = state.withLock { state -> [@Sendable () -> Void] in
            state.open.append((piece.bytes.count, { completion(.success(reply)) }))
            state.openBytes += piece.bytes.count
            state.mostOpenBytes = max(state.mostOpenBytes, state.openBytes)
            guard state.openBytes >= 8 << 20 || piece.isLast else { return [] }
            defer { (state.open, state.openBytes) = ([], 0) }
            return state.open.map(\.answer)
        }
        for answer in due { answer() }
        return 1
    }

    private func reply(to request: Request) -> Reply {
        state.withLock { state in
            switch request {
            case .missingFiles(let digests, let bytes):
                state.questions.append(digests.count)
                state.toldBytes.append(bytes)
                return .digests(digests.filter { state.contents[$0] == nil })
            case .sentPiece(let piece): return take(piece, &state)
            default: return .refused(Refusal(.invalid, "This is nothing about sent files."))
            }
        }
    }

    private func take(_ piece: SentPiece, _ state: inout State) -> Reply {
        defer { state.pieces += 1 }
        if let refusal = onPiece(state.pieces, piece, &state) {
            state.drafts[piece.digest] = nil
            return .refused(refusal)
        }
        if piece.offset == 0 { state.drafts[piece.digest] = [] }
        guard let draft = state.drafts[piece.digest], UInt64(draft.count) == piece.offset else {
            return .refused(Refusal(.unavailable, "The beginning of the file is not here."))
        }
        state.drafts[piece.digest, default: []] += piece.bytes
        guard piece.isLast, let whole = state.drafts.removeValue(forKey: piece.digest) else {
            return .received(isWhole: false)
        }
        guard ContentDigest(bytes: SHA256.digest(of: whole)) == piece.digest, UInt64(whole.count) == piece.size else {
            return .refused(Refusal(.invalid, "The digest is wrong."))
        }
        state.contents[piece.digest] = whole
        return .received(isWhole: true)
    }

    func forget(_ number: UInt64) {}

    func close() {}
}
