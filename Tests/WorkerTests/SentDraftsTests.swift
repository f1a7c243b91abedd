import Foundation
import Glibc
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
import Synchronization
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("Files that arrive from clients in pieces", .timeLimit(.minutes(60)))
struct SentDraftsTests {
    private static let start = ContinuousClock.now

    private func withDrafts(
        limit: UInt64 = 1 << 30,
        _ body: @escaping @Sendable (FileStore, SentDrafts) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileStore(directory: directory + "/files", limit: limit, isDurable: true) { _, _ in }
            try body(store, SentDrafts(store: store))
        }
    }

    /// The pieces of a content.
    private func split(_ content: KeptContent, length: Int) throws -> [SentPiece] {
        let digest = try content.digest()
        return stride(from: 0, to: max(content.bytes.count, 1), by: length).map { start in
            let end = min(start + length, content.bytes.count)
            return SentPiece(
                digest: digest,
                size: UInt64(content.bytes.count),
                mode: 0o755,
                offset: UInt64(start),
                bytes: Array(content.bytes[start..<end]),
                isLast: end == content.bytes.count
            )
        }
    }

    @Test("A file is whole with its last piece", arguments: [(0, 10), (1, 10), (10, 10), (11, 10), (100_000, 777)])
    func whole(length: Int, pieceLength: Int) async throws {
        try await withDrafts { store, drafts in
            let content = KeptContent(9, length: length)
            let pieces = try split(content, length: pieceLength)
            for (number, piece) in pieces.enumerated() {
                let isLast = number == pieces.count - 1
                #expect(drafts.take(piece, at: Self.start) == .success(isLast))
            }
            #expect(store.holds(try content.digest()) && drafts.count == 0)
            // Whatever comes of it later, it is whole.
            for piece in pieces { #expect(drafts.take(piece, at: Self.start) == .success(true)) }
        }
    }

    @Test("Two clients that send one file at the same time send it once", arguments: 0..<8 as Range<UInt64>)
    func together(seed: UInt64) async throws {
        try await withDrafts { store, drafts in
            let content = KeptContent((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            var random = SplitMix(seed: seed)
            var lines = [try split(content, length: 130), try split(content, length: 77)]
            while !lines.allSatisfy(\.isEmpty) {
                let line = Int.random(in: 0...1, using: &random)
                guard let piece = lines[line].first else { continue }
                let result = drafts.take(piece, at: Self.start)
                lines[line].removeFirst()
                #expect(throws: Never.self) { try result.get() }
            }
            #expect(store.holds(try content.digest()) && store.bytes == 5000)
        }
    }

    @Test("A file with another content is refused, and its room is free again")
    func wrong() async throws {
        try await withDrafts { store, drafts in
            var pieces = try split(KeptContent(4, length: 300), length: 100)
            pieces[1].bytes[50] ^= 1
            for piece in pieces.dropLast() { #expect(drafts.take(piece, at: Self.start) == .success(false)) }
            let end = drafts.take(pieces[2], at: Self.start)
            #expect(throws: SentPieceFailure.self) { try end.get() }
            #expect(store.all.isEmpty && store.bytes == 0 && drafts.count == 0)
        }
    }

    @Test(
        "What a client has left of a file that was changed costs the next one a repetition, and no more",
        arguments: [1, 2, 5, 7]
    )
    func wrongBeginning(count: Int) async throws {
        try await withDrafts { store, drafts in
            let pieces = try split(KeptContent((0..<730).map { UInt8(truncatingIfNeeded: $0 &* 11) }), length: 100)
            var changed = pieces
            changed[0].bytes[50] ^= 1
            for piece in changed.prefix(count) { #expect(drafts.take(piece, at: Self.start) == .success(false)) }
            for piece in pieces.dropLast() { #expect(drafts.take(piece, at: Self.start) == .success(false)) }
            let end = drafts.take(pieces[7], at: Self.start)
            guard case .failure(let failure) = end else { throw Unexpected("It was not refused.") }
            // Such a refusal has a client send the file once more.
            #expect(failure.refusal.code == .unavailable && store.bytes == 0 && drafts.count == 0)
            for piece in pieces { #expect(drafts.take(piece, at: Self.start) == .success(piece.isLast)) }
            #expect(store.holds(pieces[0].digest) && store.bytes == 730)
        }
    }

    @Test("A piece whose beginning is missing, or that does not fit, is refused")
    func order() async throws {
        try await withDrafts { store, drafts in
            let pieces = try split(KeptContent(4, length: 300), length: 100)
            #expect(throws: SentPieceFailure.self) { try drafts.take(pieces[1], at: Self.start).get() }
            #expect(drafts.take(pieces[0], at: Self.start) == .success(false))
            #expect(throws: SentPieceFailure.self) { try drafts.take(pieces[2], at: Self.start).get() }
            var long = pieces[0]
            long.bytes = [UInt8](repeating: 4, count: 301)
            #expect(throws: SentPieceFailure.self) { try drafts.take(long, at: Self.start).get() }
            var early = pieces[0]
            early.isLast = true
            #expect(throws: SentPieceFailure.self) { try drafts.take(early, at: Self.start).get() }
            #expect(store.bytes == 0 && drafts.count == 0)
        }
    }

    @Test("A file whose sender has gone gives its room back")
    func idle() async throws {
        try await withDrafts(limit: 1000) { store, drafts in
            let gone = try split(KeptContent(1, length: 900), length: 100)
            let next = try split(KeptContent(2, length: 800), length: 800)
            #expect(drafts.take(gone[0], at: Self.start) == .success(false))
            let refused = drafts.take(next[0], at: Self.start + SentDrafts.patience - .seconds(1))
            guard case .failure(let failure) = refused else { throw Unexpected("It was not refused.") }
            #expect(failure.refusal.code == .storage && failure.lacksRoom)
            #expect(drafts.take(next[0], at: Self.start + SentDrafts.patience) == .success(true))
            #expect(store.bytes == 800)
        }
    }

    @Test("A file whose sender has gone gives its room back, although nobody sends anything any more")
    func alone() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files", isDurable: true)
            let pieces = try split(KeptContent(1, length: 900), length: 100)
            let thread = try SentFileThread(patience: .milliseconds(1)) { bench.store }
            let answered = ThreadSemaphore()
            #expect(thread.write(pieces[0]) { _ in answered.signal() })
            answered.wait()
            while bench.store.bytes > 0 { sched_yield() }
            try bench.check()
            thread.finish()
        }
    }

    /// A result that the test does not expect.
    private struct Unexpected: Error {
        let sentence: String

        init(_ sentence: String) { self.sentence = sentence }
    }
}

/// What a draft has told of a piece.
private final class Outcome: Sendable {
    let result = Mutex<Result<Bool, SentPieceFailure>?>(nil)
}

extension SentDrafts {
    /// Takes a piece, and brings to the disk what is whole.
    ///
    /// - Returns: the outcome of the piece; false if the completion was not called.
    fileprivate func take(_ piece: SentPiece, at now: ContinuousClock.Instant) -> Result<Bool, SentPieceFailure> {
        let outcome = Outcome()
        take(piece, at: now) { result in outcome.result.withLock { $0 = result } }
        flush()
        guard let result = outcome.result.withLock({ $0 }) else {
            Issue.record("Nothing was told of a piece.")
            return .success(false)
        }
        return result
    }
}
