import Foundation
import Glibc
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Inputs in places of a workspace", .timeLimit(.minutes(60)))
struct PickedInputTests {
    /// A store with contents, a directory of inputs, and a workspace.
    private struct Scene: Sendable {
        let bench: StoreBench
        let contents: [KeptContent]
        let inputs: String
        let workspace: String

        /// An input with one of the contents.
        func file(_ folder: String, _ path: String, _ number: Int = 0, mode: UInt16 = 0o644) throws -> InputFile {
            InputFile(folder: folder, file: try contents[number].file(path, mode: mode))
        }

        /// Puts inputs into places, one choice after the other.
        func pick(_ files: [InputFile], _ picks: [(pattern: String, place: String)]) throws {
            var picked = try PickedInputs(files, in: inputs, for: workspace, from: bench.store)
            for pick in picks { try picked.place(InputPick(pick.pattern, to: pick.place)) }
        }

        /// The sentence of a refusal, which is no fault of the worker.
        func refusal(_ files: [InputFile], _ picks: [(pattern: String, place: String)]) throws -> String {
            let failure = #expect(throws: FileFailure.self) { try pick(files, picks) }
            #expect(failure?.isWorkerFault == false && failure?.isOfAbsence == false, "it is not started")
            return failure?.description ?? ""
        }

        /// The paths of the files in the workspace.
        var paths: Set<String> {
            let all = FileManager.default.subpaths(atPath: workspace) ?? []
            return Set(all.filter { status(of: $0).map { $0.st_mode & S_IFMT == S_IFREG } == true })
        }

        func status(of path: String) -> stat? {
            var status = stat()
            return lstat(workspace + "/" + path, &status) == 0 ? status : nil
        }
    }

    private func withScene(_ body: @escaping @Sendable (Scene) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files")
            let contents = [KeptContent("one"), KeptContent(""), KeptContent(3, length: 70_000)]
            for content in contents { try content.put(in: bench.store) }
            let scene = Scene(
                bench: bench,
                contents: contents,
                inputs: directory + "/inputs",
                workspace: directory + "/workspace"
            )
            try FileManager.default.createDirectory(atPath: scene.workspace, withIntermediateDirectories: false)
            try body(scene)
            InputFiles.remove(scene.inputs)
            try bench.check()
        }
    }

    @Test(
        "FI3 Files are links in directories, under the last parts of their paths or all of them, or at places of their own"
    )
    func links() async throws {
        try await withScene { scene in
            let files = [
                try scene.file("a", "x.bam"), try scene.file("a", "d/y.bam", 1), try scene.file("a", "d/.hidden", 2),
                try scene.file("b.1", "x.txt", 2), try scene.file("b.2", "x.txt", 0, mode: 0o755),
            ]
            let picks: [(pattern: String, place: String)] = [
                ("a/*.bam", "in/"), ("a/d/y.bam", "deep/er/z"), ("b.1/*", "./"), ("b.2/x.txt", "other.txt"),
                ("none/*?", "none/"),
                ("a/", "all/"), ("*/x.bam", "in/"),
            ]
            try scene.pick(files.shuffled(), picks.shuffled())
            let expected = [
                "in/x.bam": 0, "deep/er/z": 1, "x.txt": 2, "other.txt": 0, "all/x.bam": 0,
                "all/d/y.bam": 1, "all/d/.hidden": 2,
            ]
            #expect(scene.paths == Set(expected.keys))
            for (path, number) in expected {
                #expect(scene.contents[number].isAt(scene.workspace + "/" + path), "\(path)")
                let status = try #require(scene.status(of: path))
                #expect(
                    status.st_mode & 0o777 == (path == "other.txt" ? 0o555 : 0o444) && status.st_nlink > 1,
                    "\(path)"
                )
            }
            // The operation may make files beside them.
            for directory in ["in", "deep", "deep/er", "all", "all/d"] {
                #expect(scene.status(of: directory).map { $0.st_mode & 0o700 } == 0o700, "\(directory)")
            }
            #expect(scene.status(of: "none") == nil)
        }
    }

    @Test("Results are copies, beside the files of dependencies of the same names")
    func results() async throws {
        try await withScene { scene in
            let (result, long) = (KeptContent("result"), KeptContent(9, length: 3 << 20))
            let inputs = [
                Input(name: "a.result", bytes: result.bytes), Input(name: "b", bytes: long.bytes),
                Input(name: "c", bytes: []),
            ]
            try InputFiles.store(inputs, in: scene.inputs)
            let files = [try scene.file("a", "b")]
            try InputFiles.link(files, in: scene.inputs, from: scene.bench.store)
            try scene.pick(files, [("a.result", "in/"), ("b", "in/value"), ("*", "all/"), ("a/*", "a")])
            #expect(scene.paths == ["in/a.result", "in/value", "all/a.result", "all/b", "all/c", "a"])
            #expect(result.isAt(scene.workspace + "/in/a.result") && long.isAt(scene.workspace + "/in/value"))
            #expect(long.isAt(scene.workspace + "/all/b") && KeptContent("").isAt(scene.workspace + "/all/c"))
            #expect(scene.status(of: "in/value")?.st_nlink == 1 && scene.contents[0].isAt(scene.workspace + "/a"))
        }
    }

    @Test("A pattern without a match is refused with the inputs that there are, unless it is optional")
    func unmatched() async throws {
        try await withScene { scene in
            #expect(
                try scene.refusal([], [("a/*", "in/")]).contains(
                    "\"a/*\", which matches none of its inputs: it has none."
                )
            )
            let files = try (0..<5).map { try scene.file("a", "x.\($0)") }
            let found = try scene.refusal(files, [("a/x.1", "in/"), ("a/*.bam", "in/")])
            #expect(found.contains("it has \"a/x.0\", \"a/x.1\", \"a/x.2\", 2 more."), "\(found)")
            try scene.pick([], [("a/*?", "in/"), ("b?", "b")])
            #expect(scene.paths == ["in/x.1"])
        }
    }

    @Test(
        "Two inputs of one place are refused, in any order, and never take the place of each other or of a file for output"
    )
    func clashes() async throws {
        try await withScene { scene in
            let files = [try scene.file("a", "x"), try scene.file("b", "x", 2), try scene.file("b", "d/x", 1)]
            let cases: [(String, [(pattern: String, place: String)])] = [
                ("for one place", [("a/x", "1/"), ("b/x", "1/")]), ("for one place", [("*/x", "2/")]),
                ("for one place", [("b/d/", "3/"), ("b/x", "3/")]), ("for one place", [("*/x", "4")]),
                ("for one place", [("a/x", "x"), ("b/x", "./")]),
                ("this place is", [("a/x", "5"), ("b/x", "5/")]), ("this place is", [("a/x", "6"), ("b/x", "6/7/")]),
                ("a directory with other inputs", [("a/x", "8/9/"), ("b/x", "8")]),
                ("file of --stdout", [("a/x", "out/log")]),
                ("file of --stdout", [("a/x", "log/")]), ("file of --stdout", [("a/x", "log")]),
            ]
            try FileManager.default.createDirectory(
                atPath: scene.workspace + "/out",
                withIntermediateDirectories: false
            )
            for path in ["/out/log", "/log"] {
                #expect(FileManager.default.createFile(atPath: scene.workspace + path, contents: nil))
            }
            for (words, picks) in cases {
                let found = try scene.refusal(files, picks)
                #expect(found.contains(words), "\(picks): \(found)")
            }
            try scene.pick(files, [("a/x", "out/")])
            #expect(
                KeptContent("").isAt(scene.workspace + "/out/log") && KeptContent("").isAt(scene.workspace + "/log")
            )
            #expect(scene.contents[0].isAt(scene.workspace + "/out/x"))
        }
    }

    @Test("A file that is not kept any more is missed, so that the attempt is given back")
    func lost() async throws {
        try await withScene { scene in
            let file = try scene.file("a", "x")
            scene.bench.store.drop(file.file.digest)
            let failure = #expect(throws: FileFailure.self) { try scene.pick([file], [("a/x", "in/")]) }
            #expect(failure?.isOfAbsence == true)
        }
    }

    @Test(
        "Random choices of random inputs have the places that they ask for, or are refused",
        arguments: 0..<40 as Range<UInt64>
    )
    func random(seed: UInt64) async throws {
        try await withScene { scene in
            var random = SplitMix(seed: seed)
            var files: [InputFile] = []
            for folder in ["a", "b", "c.1"].prefix(Int.random(in: 1...3, using: &random)) {
                for path in ["x", "y", "d/x", "d/e/z"] where Bool.random(using: &random) {
                    files.append(try scene.file(folder, path, Int.random(in: 0..<3, using: &random)))
                }
            }
            let patterns = ["a/x", "*/y", "c.*/d/*", "b/d/", "*/d/e/z", "a/"]
            let places = ["in/", "./", "one", "in/two", "deep/er/"]
            var picks: [(pattern: String, place: String)] = []
            let count = Int.random(in: 1...4, using: &random)
            for pattern in patterns.shuffled(using: &random).prefix(count) {
                picks.append((pattern + "?", places.randomElement(using: &random) ?? "in/"))
            }
            var expected: [String: InputFile] = [:]
            var isRefused = false
            for pick in picks {
                let pattern = try OutputPattern(pick.pattern)
                for file in files where pattern.matches("\(file.folder)/\(file.file.path)") {
                    let names = [file.folder] + OutputPattern.names(of: file.file.path)
                    let kept = pattern.isFolder ? names.dropFirst(pattern.parts.count) : names.suffix(1)
                    let name = kept.joined(separator: "/")
                    let path = pick.place == "./" ? name : pick.place.hasSuffix("/") ? pick.place + name : pick.place
                    if let earlier = expected.updateValue(file, forKey: path), earlier != file { isRefused = true }
                }
            }
            for path in expected.keys where expected.keys.contains(where: { $0.hasPrefix(path + "/") }) {
                isRefused = true
            }
            guard !isRefused else {
                _ = try scene.refusal(files, picks)
                return
            }
            try scene.pick(files, picks)
            #expect(scene.paths == Set(expected.keys))
            for (path, file) in expected {
                let content = try scene.contents.first { try $0.digest() == file.file.digest }
                #expect(content?.isAt(scene.workspace + "/" + path) == true, "\(path)")
            }
        }
    }
}
