import Foundation
import Glibc
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("The files that an attempt leaves", .timeLimit(.minutes(60)))
struct OutputCollectorTests {
    /// The directory of an attempt, and a store for what it leaves.
    private struct Scene {
        let directory: String
        let bench: StoreBench
        /// The directory in which the attempt ran.
        var attempt: String { directory + "/attempt" }

        init(_ directory: String, limit: UInt64 = 1 << 30) throws {
            self.directory = directory
            try FileManager.default.createDirectory(atPath: directory + "/attempt", withIntermediateDirectories: true)
            bench = try StoreBench(directory + "/files", limit: limit)
        }

        func write(_ text: String, to path: String, mode: mode_t = 0o644) throws {
            let whole = attempt + "/" + path
            let parent = whole.split(separator: "/").dropLast().joined(separator: "/")
            try FileManager.default.createDirectory(atPath: "/" + parent, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(filePath: whole))
            chmod(whole, mode)
        }

        func collect(_ patterns: String..., isFresh: Bool = false) throws(UnkeptFiles) -> [KeptFile] {
            try OutputCollector(
                store: bench.store,
                directory: attempt,
                patterns: patterns.compactMap { try? OutputPattern($0) },
                isFresh: isFresh
            ).collect()
        }

        /// The sentence with which nothing is kept.
        func objection(_ pattern: String, isFresh: Bool = false) throws -> String {
            let failure = #expect(throws: UnkeptFiles.self) { try collect(pattern, isFresh: isFresh) }
            try bench.check()
            #expect(bench.store.all.isEmpty && bench.store.bytes == 0)
            guard case .unkeptFiles(let sentence)? = failure?.end else { return "\(String(describing: failure?.end))" }
            return sentence
        }
    }

    @Test(
        "FI1 Patterns name files, directories with all below them, and files in directories",
        arguments: [false, true]
    )
    func patterns(isFresh: Bool) async throws {
        try await withTemporaryDirectory { directory in
            for (patterns, expected) in [
                (["*.bam"], ["a.bam", "b.bam"]),
                (["b.bam", "*.bam", "report/"], ["a.bam", "b.bam", "report/.hidden", "report/deep/er/x", "report/y"]),
                (["report/*"], ["report/y"]),
                (["*/*/"], ["report/deep/er/x"]),
                (["lo?s/[0-9].txt"], ["logs/1.txt", "logs/2.txt"]),
                (["nothing*?", "logs/none/?", "a.bam"], ["a.bam"]),
                (["nothing?"], []),
            ] as [([String], [String])] {
                let scene = try Scene("\(directory)/\(patterns.count)-\(expected.count)-\(patterns[0].utf8.count)")
                let all = [
                    "a.bam", "b.bam", "c.txt", "report/.hidden", "report/deep/er/x", "report/y", "logs/1.txt",
                    "logs/2.txt", ".bam",
                ]
                for path in all {
                    try scene.write("content of \(path)", to: path, mode: path == "b.bam" ? 0o4750 : 0o640)
                }
                let collector = OutputCollector(
                    store: scene.bench.store,
                    directory: scene.attempt,
                    patterns: try patterns.map { try OutputPattern($0) },
                    isFresh: isFresh
                )
                let files = try collector.collect()
                #expect(files.map(\.path) == expected, "\(patterns)")
                for file in files {
                    let content = KeptContent("content of \(file.path)")
                    #expect(try file == content.file(file.path, mode: file.path == "b.bam" ? 0o750 : 0o640))
                    let opened = try #require(scene.bench.store.open(file.digest))
                    #expect(readBytes(opened.descriptor, from: 0, atMost: 1000) == content.bytes)
                    close(opened.descriptor)
                }
                try scene.bench.check()
                FileTree.remove(scene.attempt)
                #expect(
                    files.allSatisfy { scene.bench.store.open($0.digest).map { close($0.descriptor) == 0 } ?? false }
                )
            }
        }
    }

    @Test("FI1 A pattern without a match fails the attempt, whatever the others match")
    func unmatched() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try Scene(directory)
            try scene.write("a", to: "a.txt")
            for pattern in ["*.bam", "report/", "a.txt/", "a.txt/x", "x/y/z", "sub/*"] {
                let sentence = try scene.objection(pattern)
                #expect(sentence.contains("no file that its output \"\(pattern)\" names"), "\(sentence)")
            }
            #expect(throws: UnkeptFiles.self) { try scene.collect("a.txt", "*.bam") }
            try scene.bench.check()
            #expect(scene.bench.store.all.isEmpty)
            try FileManager.default.createDirectory(
                atPath: scene.attempt + "/empty",
                withIntermediateDirectories: false
            )
            #expect(try scene.objection("empty/").contains("no file"))
            #expect(try scene.objection("empty").contains("is a directory"))
        }
    }

    @Test("FI2 Links that stay below the directory are followed to files, and those that lead out are refused")
    func links() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try Scene(directory + "/scene")
            try Data("secret".utf8).write(to: URL(filePath: directory + "/secret"))
            try FileManager.default.createDirectory(atPath: directory + "/outside", withIntermediateDirectories: false)
            try Data("secret".utf8).write(to: URL(filePath: directory + "/outside/x"))
            try scene.write("inside", to: "real/file")
            func link(_ target: String, _ path: String) throws {
                try #require(symlink(target, scene.attempt + "/" + path) == 0)
            }
            try link("file", "real/relative")
            try link("../real/./relative", "real/chain")
            try link(scene.attempt + "/real/file", "absolute")
            try link("real", "directory")
            let files = try scene.collect("real/relative", "real/chain", "absolute", "directory/file", "real/")
            #expect(files.map(\.path) == ["absolute", "directory/file", "real/chain", "real/file", "real/relative"])
            #expect(try Set(files.map(\.digest)) == [KeptContent("inside").digest()])
            try scene.bench.store.release([KeptContent("inside").digest()])
            scene.bench.store.drop(files[0].digest)
            for (target, path) in [
                ("../../secret", "out1"), (directory + "/secret", "out2"), ("real/../../../secret", "out3"),
                ("/etc/passwd", "out4"), ("directory/../../../secret", "out5"), ("out1", "out6"),
            ] {
                try link(target, path)
                #expect(try scene.objection(path).contains("leads out of the operation's directory"), "\(target)")
            }
            try link(directory + "/outside", "away")
            for pattern in ["away/x", "away/*", "away/", "awa*/x"] {
                #expect(try scene.objection(pattern).contains("leads out of the operation's directory"), "\(pattern)")
            }
            try link("loop2", "loop1")
            try link("loop1", "loop2")
            #expect(try scene.objection("loop1").contains("leads to itself"))
            try link("missing", "dangling")
            #expect(try scene.objection("dangling").contains("leads to nothing"))
            try FileManager.default.createDirectory(atPath: scene.attempt + "/tree", withIntermediateDirectories: false)
            try link("..", "tree/up")
            #expect(try scene.objection("tree/").contains("is a link to a directory"))
        }
    }

    @Test(
        "FI2 Pipes, sockets and names that are not UTF-8 are refused, and only where a pattern names them",
        .timeLimit(.minutes(5))
    )
    func special() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try Scene(directory)
            try scene.write("fine", to: "fine")
            try FileManager.default.createDirectory(atPath: scene.attempt + "/d", withIntermediateDirectories: false)
            try #require(mkfifo(scene.attempt + "/d/pipe", 0o600) == 0)
            for pattern in ["d/pipe", "d/*", "d/"] {
                #expect(try scene.objection(pattern).contains("\"d/pipe\" is a named pipe"), "\(pattern)")
            }
            try #require(symlink("d/pipe", scene.attempt + "/way") == 0)
            #expect(try scene.objection("way").contains("a named pipe"))
            try FileManager.default.createDirectory(atPath: scene.attempt + "/e", withIntermediateDirectories: false)
            let name: [UInt8] = [UInt8(ascii: "x"), 0xFF, UInt8(ascii: "y")]
            let path =
                (scene.attempt + "/e/").utf8.map { CChar(bitPattern: $0) } + name.map { CChar(bitPattern: $0) } + [0]
            let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
            try #require(descriptor >= 0)
            close(descriptor)
            for pattern in ["e/*", "e/", "e/x*y"] {
                #expect(try scene.objection(pattern).contains("not UTF-8"), "\(pattern)")
            }
            #expect(try scene.collect("fine", "e/z*?").map(\.path) == ["fine"])
        }
    }

    @Test("A file with another name, or that somebody can write to, is copied out of a directory that is removed")
    func writers() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try Scene(directory)
            try scene.write("shared", to: "shared")
            try #require(Glibc.link(scene.attempt + "/shared", directory + "/other-name") == 0)
            try scene.write("written", to: "written")
            let writer = try #require(FileHandle(forWritingAtPath: scene.attempt + "/written"))
            let files = try scene.collect("*", isFresh: true)
            #expect(files.map(\.path) == ["shared", "written"])
            try writer.seekToEnd()
            writer.write(Data(" later".utf8))
            try writer.close()
            try Data("SHARED".utf8).write(to: URL(filePath: directory + "/other-name"))
            for (file, content) in zip(files, ["shared", "written"].map { KeptContent($0) }) {
                let path = directory + "/" + file.path
                try scene.bench.store.link(file, to: path)
                #expect(content.isAt(path))
            }
            try scene.bench.check()
        }
    }

    @Test("A limit that is too small for the files of one attempt fails it, and a full store gives it back (D9)")
    func limits() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try Scene(directory, limit: 100)
            for number in 0..<4 { try scene.write(String(repeating: "\(number)", count: 30), to: "\(number)") }
            let sentence = try scene.objection("*")
            #expect(sentence.contains("120B") && sentence.contains("100B"), "\(sentence)")
            unlink(scene.attempt + "/3")
            try KeptContent("eleven byte").put(in: scene.bench.store)
            let full = #expect(throws: UnkeptFiles.self) { try scene.collect("*") }
            #expect(full?.end == .noRoom(RoomLack(wanted: 90, limit: 100, taken: 11), hasRun: true))
            #expect(try scene.bench.store.all == [KeptContent("eleven byte").digest()])
            try scene.bench.check()
            try scene.bench.store.release([KeptContent("eleven byte").digest()])
            #expect(try scene.collect("*").count == 3)
            #expect(try !scene.bench.store.holds(KeptContent("eleven byte").digest()), "what is released makes room")
            try scene.bench.check()
        }
    }

    @Test("D9 A full disk is a fault of the worker, and its limit of files is none", arguments: [ENOSPC, EDQUOT, EIO])
    func fullDisk(code: Int32) {
        let full = UnkeptFiles(atWorker: FileFailure("Cannot write.", code: code))
        #expect(full.end == .workerFault("Cannot write.", hasRun: true))
        let lack = RoomLack(wanted: 2, limit: 3, taken: 2)
        #expect(UnkeptFiles(atWorker: FileFailure("No room.", lack)).end == .noRoom(lack, hasRun: true))
    }

    @Test("Thousands of files are kept, and more than may be kept are refused before anything is read")
    func many() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try Scene(directory)
            try FileManager.default.createDirectory(atPath: scene.attempt + "/d", withIntermediateDirectories: false)
            for number in 0..<3000 { close(creat("\(scene.attempt)/d/\(number)", 0o600)) }
            #expect(try scene.collect("d/", isFresh: true).count == 3000)
            #expect(scene.bench.store.all.count == 1)
            scene.bench.store.drop(scene.bench.store.all[0])
            for number in 3000...KeptFile.maximumCount { close(creat("\(scene.attempt)/d/\(number)", 0o600)) }
            for pattern in ["d/", "d/*"] { #expect(try scene.objection(pattern).contains("Pack them"), "\(pattern)") }
        }
    }

    @Test("A worker that ends keeps nothing more")
    func stopped() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try Scene(directory)
            try scene.write("a", to: "a")
            scene.bench.store.stop()
            let failure = #expect(throws: UnkeptFiles.self) { try scene.collect("a") }
            guard case .workerFault(_, hasRun: true)? = failure?.end else {
                Issue.record("it is not given back")
                return
            }
            try scene.bench.check()
        }
    }
}
