import Foundation
import Glibc
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Links to kept files among inputs", .timeLimit(.minutes(60)))
struct InputLinkTests {
    /// A store with a content, and a directory for inputs.
    private func withContent(
        _ body: @escaping @Sendable (_ store: FileStore, _ content: KeptContent, _ inputs: String) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files")
            let content = KeptContent("content")
            try content.put(in: bench.store)
            try body(bench.store, content, directory + "/inputs")
            InputFiles.remove(directory + "/inputs")
            #expect(access(directory + "/inputs", F_OK) != 0)
            try bench.check()
        }
    }

    @Test("Files of many directories are links in directories that cannot be written, in any order")
    func directories() async throws {
        try await withContent { store, content, inputs in
            let paths = ["a", "d/e/f/g", "d/b", "x/y", "d/e/c", "x/z/w", "d/e.txt"]
            var files: [InputFile] = []
            for folder in ["one", "two", "o"] {
                for path in paths.shuffled() { files.append(InputFile(folder: folder, file: try content.file(path))) }
            }
            try InputFiles.link(files.shuffled(), in: inputs, from: store)
            for file in files {
                let path = "\(inputs)/\(file.folder)/\(file.file.path)"
                #expect(content.isAt(path))
                var status = stat()
                let parent = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
                try #require(lstat(parent, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o555, "\(parent)")
            }
            var status = stat()
            try #require(lstat(inputs, &status) == 0)
            #expect(status.st_mode & 0o200 != 0, "the directory itself is as for other inputs")
        }
    }

    @Test("Names that lead out of the directory, and two files of one name, are refused")
    func refused() async throws {
        try await withContent { store, content, inputs in
            for (folder, path) in [
                ("..", "a"), (".", "a"), ("", "a"), ("a/b", "a"), ("a", "../b"), ("a", "/b"), ("a", "b/../../c"),
            ] {
                let failure = #expect(throws: FileFailure.self) {
                    try InputFiles.link([InputFile(folder: folder, file: content.file(path))], in: inputs, from: store)
                }
                #expect(failure?.isWorkerFault == false, "it is not started")
            }
            let twice = InputFile(folder: "b", file: try content.file("x"))
            #expect(throws: FileFailure.self) { try InputFiles.link([twice, twice], in: inputs, from: store) }
        }
    }

    @Test("Files are beside the results of other names, and never take the place of another input")
    func results() async throws {
        try await withContent { store, content, inputs in
            try InputFiles.store([Input(name: "a.result", bytes: [1]), Input(name: "b", bytes: [2])], in: inputs)
            try InputFiles.link([InputFile(folder: "a", file: content.file("x"))], in: inputs, from: store)
            #expect(KeptContent([1]).isAt(inputs + "/a.result") && content.isAt(inputs + "/a/x"))
            for (folder, path) in [("b", "x"), ("b", "x/y"), ("a", "x/y")] {
                let failure = #expect(throws: FileFailure.self) {
                    try InputFiles.link([InputFile(folder: folder, file: content.file(path))], in: inputs, from: store)
                }
                #expect(failure?.description.contains("in the place of a directory") == true, "\(folder)/\(path)")
                #expect(failure?.isWorkerFault == false, "it is not started")
            }
            #expect(KeptContent([2]).isAt(inputs + "/b") && content.isAt(inputs + "/a/x"))
        }
    }

    @Test("No files make no directory")
    func none() async throws {
        try await withContent { store, _, inputs in
            try InputFiles.link([], in: inputs, from: store)
            #expect(access(inputs, F_OK) != 0)
        }
    }
}
