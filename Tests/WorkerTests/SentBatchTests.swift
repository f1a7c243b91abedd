import Foundation
import Glibc
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
import Synchronization
import Testing

@_spi(Baton) @testable import BatonWorker

/// A power cut loses all bytes that are not on disk: a client may be told that its file is whole only once the file is on disk.
@Suite("Sent files that come to the disk together", .timeLimit(.minutes(60)))
struct SentBatchTests {
    /// What happens to files, in order.
    private enum Step: Hashable {
        case files(Int)
        case names
        case held(Int)
        case told(ContentDigest, isWhole: Bool)
    }

    /// A disk that records the steps, and fails on demand.
    private final class Disk: Sendable {
        struct State {
            var steps: [Step] = []
            var failsFiles = false
            var failsNames = false
        }

        let state = Mutex(State())
        /// Called before each sync of files.
        let onFiles: @Sendable (Int) -> Void

        init(onFiles: @escaping @Sendable (Int) -> Void = { _ in }) { self.onFiles = onFiles }

        var steps: [Step] { state.withLock { $0.steps } }

        func note(_ step: Step) { state.withLock { $0.steps.append(step) } }

        var sync: FileSync {
            FileSync(
                files: { (paths: [String], _: String) throws(FileFailure) -> Void in
                    self.onFiles(paths.count)
                    self.note(.files(paths.count))
                    if self.state.withLock({ $0.failsFiles }) { throw FileFailure("The disk fails.", code: EIO) }
                },
                names: { (_: [String], _: String) throws(FileFailure) -> Void in
                    self.note(.names)
                    if self.state.withLock({ $0.failsNames }) { throw FileFailure("The disk fails.", code: EIO) }
                }
            )
        }
    }

    private func store(in directory: String, on disk: Disk) throws -> FileStore {
        try FileStore(directory: directory + "/files", limit: 1 << 30, isDurable: true, sync: disk.sync) { held, _ in
            disk.note(.held(held.count))
        }
    }

    private func piece(_ number: Int) throws -> SentPiece {
        let content = KeptContent(String(repeating: "\(number) ", count: 1 + number % 7))
        let size = UInt64(content.bytes.count)
        return SentPiece(
            digest: try content.digest(),
            size: size,
            mode: number % 3 == 0 ? 0o755 : 0o644,
            offset: 0,
            bytes: content.bytes,
            isLast: true
        )
    }

    /// Sends some files; the completion of each file adds a step.
    private func take(_ pieces: [SentPiece], by drafts: SentDrafts, on disk: Disk) {
        for piece in pieces {
            drafts.take(piece, at: .now) { result in
                disk.note(.told(piece.digest, isWhole: result == .success(true)))
            }
        }
    }

    @Test(
        "All bytes come to the disk, then all names, and only then the clients are told, in two syncs for any number of files",
        arguments: [1, 2, 5, 64, 700]
    )
    func order(count: Int) async throws {
        try await withTemporaryDirectory { directory in
            let disk = Disk()
            let store = try store(in: directory, on: disk)
            let drafts = SentDrafts(store: store)
            let pieces = try (0..<count).map { try piece($0) }
            take(pieces, by: drafts, on: disk)
            #expect(disk.steps.isEmpty && store.all.isEmpty)
            drafts.flush()
            var expected: [Step] = [.files(count), .names, .held(count)]
            for piece in pieces { expected.append(.told(piece.digest, isWhole: true)) }
            #expect(disk.steps == expected)
            #expect(Set(store.all) == Set(pieces.map(\.digest)))
            drafts.flush()
            #expect(disk.steps.count == 3 + count)
            // A new store in the same directory finds the files.
            let next = try self.store(in: directory, on: disk)
            #expect(Set(next.all) == Set(pieces.map(\.digest)) && next.bytes == store.bytes)
        }
    }

    @Test("A second sender of a file that is not on disk yet is told together with the first sender")
    func twice() async throws {
        try await withTemporaryDirectory { directory in
            let disk = Disk()
            let drafts = SentDrafts(store: try store(in: directory, on: disk))
            let piece = try piece(1)
            take([piece, piece], by: drafts, on: disk)
            #expect(disk.steps.isEmpty)
            drafts.flush()
            let told = Step.told(piece.digest, isWhole: true)
            #expect(disk.steps == [.files(1), .names, .held(1), told, told])
        }
    }

    @Test("More files than one sync may take come in several syncs", arguments: [1, 10])
    func many(more: Int) async throws {
        try await withTemporaryDirectory { directory in
            let disk = Disk()
            let drafts = SentDrafts(store: try store(in: directory, on: disk))
            take(try (0..<SentDrafts.mostTogether + more).map { try piece($0) }, by: drafts, on: disk)
            drafts.flush()
            let turns = disk.steps.compactMap { step in if case .files(let count) = step { count } else { nil } }
            #expect(turns == [SentDrafts.mostTogether, more])
        }
    }

    @Test(
        "After a failure of the disk, no file is kept, all senders get the failure, and the room is free",
        arguments: [true, false]
    )
    func failure(isOfNames: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let disk = Disk()
            let store = try store(in: directory, on: disk)
            let drafts = SentDrafts(store: store)
            let pieces = try (0..<30).map { try piece($0) }
            disk.state.withLock { ($0.failsNames, $0.failsFiles) = (isOfNames, !isOfNames) }
            take(pieces, by: drafts, on: disk)
            drafts.flush()
            var expected: [Step] = [.files(30)]
            if isOfNames { expected.append(.names) }
            for piece in pieces { expected.append(.told(piece.digest, isWhole: false)) }
            #expect(disk.steps == expected)
            #expect(store.all.isEmpty && store.bytes == 0)
            let left = FileManager.default.subpaths(atPath: store.objects) ?? []
            #expect(!left.contains { $0.contains("/") })
            disk.state.withLock { ($0.failsNames, $0.failsFiles) = (false, false) }
            take(pieces, by: drafts, on: disk)
            drafts.flush()
            #expect(Set(store.all) == Set(pieces.map(\.digest)))
        }
    }

    @Test("On a disk of the host, too, a store keeps what has come together", arguments: [3, 40])
    func system(count: Int) async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files", isDurable: true)
            let disk = Disk()
            let drafts = SentDrafts(store: bench.store)
            let pieces = try (0..<count).map { try piece($0) }
            take(pieces, by: drafts, on: disk)
            #expect(bench.told.isEmpty)
            drafts.flush()
            #expect(disk.steps == pieces.map { Step.told($0.digest, isWhole: true) })
            try bench.check()
        }
    }

    @Test("Files that arrive during a sync come to the disk together in the next sync", arguments: [1, 30, 400])
    func gathering(count: Int) async throws {
        try await withTemporaryDirectory { directory in
            let (entered, gate, told) = (ThreadSemaphore(), ThreadSemaphore(), ThreadSemaphore())
            let disk = Disk { _ in
                entered.signal()
                gate.wait()
            }
            let store = try store(in: directory, on: disk)
            let thread = try SentFileThread { store }
            let pieces = try (0...count).map { try piece($0) }
            #expect(thread.write(pieces[0]) { _ in told.signal() })
            entered.wait()
            for piece in pieces.dropFirst() { #expect(thread.write(piece) { _ in told.signal() }) }
            for _ in 0..<2 { gate.signal() }
            for _ in pieces { told.wait() }
            thread.finish()
            let turns = disk.steps.compactMap { step in if case .files(let count) = step { count } else { nil } }
            #expect(turns == [1, count])
        }
    }
}
