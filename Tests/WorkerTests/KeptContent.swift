import Foundation
import Glibc
@_spi(Baton) import BatonDigests
@_spi(Baton) import BatonOperations
import Synchronization
import Testing

@_spi(Baton) @testable import BatonWorker

/// A content that a test keeps.
struct KeptContent: Hashable, Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(_ text: String) { bytes = Array(text.utf8) }

    /// A content of a length, different for each number.
    init(_ number: UInt8, length: Int) { bytes = [UInt8](repeating: number, count: length) }

    /// A content of a length in which no piece is like another one, different for each number.
    init(varied number: Int, length: Int) {
        var bytes = (0..<1021).map { UInt8(truncatingIfNeeded: $0 * 13 + number) }
        while bytes.count < length { bytes += bytes }
        self.bytes = Array(bytes.prefix(length))
    }

    /// The content as an input of an attempt.
    func input() throws -> InputFile { InputFile(folder: "in", file: try file()) }

    func digest() throws -> ContentDigest { try #require(ContentDigest(bytes: SHA256.digest(of: bytes))) }

    func file(_ path: String = "a", mode: UInt16 = 0o644) throws -> KeptFile {
        KeptFile(path: path, size: Int64(bytes.count), mode: mode, digest: try digest())
    }

    /// Receives the content as from another host, in pieces.
    @discardableResult
    func put(in store: FileStore, mode: UInt16 = 0o644, pieceLength: Int = 1 << 16) throws -> Bool {
        let incoming = try store.receive(file(mode: mode))
        for start in stride(from: 0, to: bytes.count, by: pieceLength) {
            try bytes[start..<min(start + pieceLength, bytes.count)].withUnsafeBytes { try incoming.write($0) }
        }
        return try incoming.finish()
    }

    /// Whether a file has the content.
    func isAt(_ path: String) -> Bool { FileManager.default.contents(atPath: path).map { Array($0) } == bytes }
}

/// A store of files with the changes that the store has reported.
final class StoreBench: Sendable {
    let store: FileStore
    private let changes: Changes

    final class Changes: Sendable {
        let held = Mutex<Set<ContentDigest>>([])
        let losses = Mutex<[ContentDigest: Bool]>([:])
    }

    init(_ directory: String, limit: UInt64 = 1 << 30, isDurable: Bool = false) throws {
        let changes = Changes()
        self.changes = changes
        store = try FileStore(directory: directory, limit: limit, isDurable: isDurable) { held, dropped in
            changes.held.withLock { $0 = $0.subtracting(dropped).union(held) }
        } onLoss: { digest, isDamaged in
            // It comes before the other report of the same content.
            #expect(changes.held.withLock { $0.contains(digest) })
            changes.losses.withLock { $0[digest] = isDamaged }
        }
        changes.held.withLock { $0 = Set(store.all) }
    }

    /// The contents that the store has reported as kept.
    var told: Set<ContentDigest> { changes.held.withLock { $0 } }

    /// The contents that the store has reported as lost, and whether each was damaged.
    var losses: [ContentDigest: Bool] { changes.losses.withLock { $0 } }

    /// Checks that the store has reported all its contents, and that its byte count is the size of its files on disk.
    func check() throws {
        #expect(told == Set(store.all))
        var bytes: UInt64 = 0
        // Without any file, there are no directories.
        for name in FileManager.default.subpaths(atPath: store.objects) ?? [] {
            var status = stat()
            try #require(lstat(store.objects + "/" + name, &status) == 0)
            if status.st_mode & S_IFMT == S_IFREG { bytes += UInt64(status.st_size) }
        }
        #expect(bytes == store.bytes)
        #expect((FileManager.default.subpaths(atPath: store.incoming) ?? []).isEmpty)
    }
}
