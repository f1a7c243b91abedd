@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Foundation
import Synchronization
import Testing

@Suite("Files that are fetched", .timeLimit(.minutes(60)))
struct FetchTests {
    /// A new directory, which is removed with the test.
    private final class Place {
        let path: String

        init() throws {
            path = FileManager.default.temporaryDirectory.appending(path: "baton-fetch-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func bytes(_ name: String) -> [UInt8]? {
            FileManager.default.contents(atPath: "\(path)/\(name)").map { [UInt8]($0) }
        }

        /// All names below the directory.
        var names: [String] { (FileManager.default.subpaths(atPath: path) ?? []).sorted() }

        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.posixPermissions] as? Int
        }
    }

    private static func bytes(_ count: Int, seed: UInt8 = 7) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) ^ seed }
    }

    private func fetch(
        _ channel: FileChannel,
        _ path: String,
        to place: String,
        mode: UInt16 = 0o644
    ) throws -> FileFetch {
        FileFetch(try #require(channel.kept(path, mode: mode)), of: FileChannel.operation, to: place)
    }

    @Test(
        "FI10 A file comes with all bytes, whatever its size, and replaces an earlier one",
        arguments: [
            0, 1, 4_095, FilePiece.maximumLength - 1, FilePiece.maximumLength, FilePiece.maximumLength + 1,
            9 * FilePiece.maximumLength + 5,
        ]
    )
    func sizes(count: Int) async throws {
        let place = try Place()
        let content = Self.bytes(count)
        let channel = FileChannel(["out/a.bam": .init(bytes: content)])
        let directory = try FetchDirectory(place.path + "/new/dir")
        let received = Mutex(0)
        for _ in 0..<2 {
            let file = try fetch(channel, "out/a.bam", to: "align/out/a.bam")
            try await file.run(into: directory, over: channel) { count in received.withLock { $0 += count } }
            #expect(place.bytes("new/dir/align/out/a.bam") == content)
            try Data([1, 2, 3]).write(to: URL(filePath: place.path + "/new/dir/align/out/a.bam"))
        }
        #expect(received.withLock { $0 } == 2 * count)
        #expect(place.names == ["new", "new/dir", "new/dir/align", "new/dir/align/out", "new/dir/align/out/a.bam"])
    }

    @Test(
        "FI8 FI10 Damaged bytes are asked for once more, and a file that comes damaged twice has no name",
        arguments: [1, 2]
    )
    func damaged(faults: Int) async throws {
        let place = try Place()
        let channel = FileChannel(["a": .init(bytes: Self.bytes(70_000), faults: faults)])
        let directory = try FetchDirectory(place.path)
        let received = Mutex(0)
        let file = try fetch(channel, "a", to: "a")
        do {
            try await file.run(into: directory, over: channel) { count in received.withLock { $0 += count } }
            #expect(faults == 1)
        } catch let error as FetchError {
            #expect(faults == 2 && error.code == .damaged)
        }
        #expect(place.names == (faults == 1 ? ["a"] : []))
        #expect(received.withLock { $0 } == (faults == 1 ? 70_000 : 0))
    }

    @Test("FI10 What can be had comes, the rest is told, and no part of a file is left")
    func missing() async throws {
        let place = try Place()
        let large = Self.bytes(3 * FilePiece.maximumLength)
        let lost = Refusal(.unavailable, "Nobody has it.")
        var files: [String: FileChannel.File] = [:]
        for number in 0..<40 { files["f\(number)"] = .init(bytes: Self.bytes(number * 100, seed: UInt8(number))) }
        files["lost"] = .init(bytes: large, refusal: (0, lost))
        files["cut"] = .init(bytes: large, refusal: (UInt64(FilePiece.maximumLength), lost))
        files["bad"] = .init(bytes: large, faults: 9)
        let channel = FileChannel(files)
        let paths = files.keys.sorted()
        let fetches = try paths.map { try fetch(channel, $0, to: "dir/\($0)") }
        let run = FetchRun(fetches, into: try FetchDirectory(place.path), over: channel)
        try await run.run()
        #expect(Set(run.missing.keys.map { paths[$0] }) == ["lost", "cut", "bad"])
        #expect(run.progress.files == 40 && run.unfinished == nil)
        #expect(place.names.count == 41)
        for number in 0..<40 {
            #expect(place.bytes("dir/f\(number)") == Self.bytes(number * 100, seed: UInt8(number)))
        }
    }

    @Test("A run tells which file is on its way")
    func unfinished() async throws {
        let place = try Place()
        let seen = Mutex<[String?]>([])
        let run = Mutex<FetchRun?>(nil)
        let channel = FileChannel(["a": .init(bytes: Self.bytes(70_000))]) { _ in
            let path = run.withLock { $0 }?.unfinished?.file.path
            seen.withLock { $0.append(path) }
        }
        let made = FetchRun([try fetch(channel, "a", to: "a")], into: try FetchDirectory(place.path), over: channel)
        #expect(made.unfinished == nil)
        run.withLock { $0 = made }
        try await made.run()
        let paths = seen.withLock { $0 }
        #expect(!paths.isEmpty && paths.allSatisfy { $0 == "a" })
        #expect(made.unfinished == nil)
        run.withLock { $0 = nil }
    }

    @Test("FI10 A cancelled fetch leaves no part of a file")
    func cancelled() async throws {
        let place = try Place()
        let task = Mutex<Task<Void, any Error>?>(nil)
        let channel = FileChannel(["a": .init(bytes: Self.bytes(40 * FilePiece.maximumLength))]) { number in
            // Some pieces are written by then.
            if number == 12 { task.withLock { $0?.cancel() } }
        }
        let run = FetchRun([try fetch(channel, "a", to: "x/a")], into: try FetchDirectory(place.path), over: channel)
        let gate = AsyncStream.makeStream(of: Void.self)
        let started = Task {
            for await _ in gate.stream {}
            try await run.run()
        }
        task.withLock { $0 = started }
        gate.continuation.finish()
        await #expect(throws: CancellationError.self) { try await started.value }
        #expect(place.names == ["x"])
    }

    @Test(
        "FI10 No path leads out of the directory",
        arguments: ["../a", "a/../../b", "/etc/a", "", "a//b", ".", "..", "a/", "a/./b", "a\0b"]
    )
    func unsafe(path: String) throws {
        let place = try Place()
        let directory = try FetchDirectory(place.path + "/inner")
        #expect(throws: FetchError.self) { _ = try directory.begin(path, mode: 0o644) }
        #expect(place.names == ["inner"])
    }

    @Test(
        "FI10 No link below the directory is followed, to a directory or to a file, and the directory itself may be one"
    )
    func links() async throws {
        let place = try Place()
        for name in ["inner", "outer"] {
            try FileManager.default.createDirectory(atPath: "\(place.path)/\(name)", withIntermediateDirectories: false)
        }
        try Data("kept".utf8).write(to: URL(filePath: place.path + "/outer/file"))
        for (link, target) in [("way", "inner"), ("inner/dir", "../outer"), ("inner/file", "../outer/file")] {
            try FileManager.default.createSymbolicLink(atPath: "\(place.path)/\(link)", withDestinationPath: target)
        }
        let directory = try FetchDirectory(place.path + "/way")
        let channel = FileChannel(["a": .init(bytes: [1, 2, 3])])
        await #expect(throws: FetchError.self) {
            try await fetch(channel, "a", to: "dir/a").run(into: directory, over: channel)
        }
        // The link itself is replaced, and not what it leads to.
        try await fetch(channel, "a", to: "file").run(into: directory, over: channel)
        #expect(place.bytes("inner/file") == [1, 2, 3])
        #expect(place.bytes("outer/file") == Array("kept".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path + "/outer") == ["file"])
    }

    @Test(
        "Permissions are those of the file without bits that lend rights",
        arguments: [0o644, 0o755, 0o600, 0o4755, 0o400]
    )
    func modes(mode: UInt16) async throws {
        let place = try Place()
        let channel = FileChannel(["a": .init(bytes: [1])])
        try await fetch(channel, "a", to: "a", mode: mode).run(into: try FetchDirectory(place.path), over: channel)
        let written = try #require(try place.mode("a"))
        // The mask of the test may take permissions of the group and of others.
        #expect(written & ~Int(mode & 0o777) == 0 && written & 0o700 == Int(mode) & 0o700)
    }

    @Test("What is left of unfinished files is removed before the end of a process")
    func rest() throws {
        let place = try Place()
        let directory = try FetchDirectory(place.path)
        let files = try (0..<3).map { try directory.begin("d\($0)/a", mode: 0o644) }
        for file in files { try file.write([1, 2]) }
        try files[0].finish()
        #expect(place.names.count == 6)
        directory.removeRest()
        #expect(place.names == ["d0", "d0/a", "d1", "d2"])
        #expect(throws: FetchError.self) { try files[1].finish() }
        files[2].abandon()
        files[2].abandon()
    }

    @Test("A directory that cannot be made, and a file in the place of a directory, are told with their path")
    func obstacles() throws {
        let place = try Place()
        try Data([1]).write(to: URL(filePath: place.path + "/file"))
        let refused = #expect(throws: FetchError.self) { _ = try FetchDirectory(place.path + "/file/dir") }
        #expect(refused?.code == .notWritable && refused?.message.contains("/file") == true)
        let directory = try FetchDirectory(place.path)
        let through = #expect(throws: FetchError.self) { _ = try directory.begin("file/a", mode: 0o644) }
        #expect(through?.code == .unsafe && through?.message.contains("\(place.path)/file") == true)
    }

    @Test("Directories have the names of operations, with the number of an element, and no two the same")
    func folders() {
        var folders = FetchFolders()
        func next(_ index: UInt32, _ name: String?, _ element: Int64? = nil) -> String {
            folders.next(OperationID(job: JobNumber(12), index: index), name: name, index: element)
        }
        #expect(next(0, "align") == "align")
        #expect(next(1, nil) == "1")
        #expect(next(2, "many", 7) == "many.7")
        #expect(next(3, "many.7") == "12.3")
        #expect(next(4, "..") == "%2E.")
        #expect(next(5, "1") == "12.5")
    }
}
