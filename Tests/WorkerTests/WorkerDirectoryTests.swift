import Foundation
import Operations
import Testing

@testable import Worker

@Suite("The directory of a worker", .timeLimit(.minutes(5)))
struct WorkerDirectoryTests {
    /// Does something with the path of a directory that is not there yet.
    private func withPath(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    @Test("Each life in a directory is later than those before it, and than those of no other directory")
    func order() throws {
        try withPath { path in
            let lives = try (0..<3).map { _ in try WorkerDirectory(path).life }
            #expect(lives.map(\.start) == [1, 2, 3])
            #expect(lives[0].isEarlier(than: lives[1]) && lives[0].isEarlier(than: lives[2]))
            #expect(!lives[1].isEarlier(than: lives[0]) && !lives[1].isEarlier(than: lives[1]))
            try withPath { other in
                let stranger = try WorkerDirectory(other).life
                #expect(lives.allSatisfy { !$0.isEarlier(than: stranger) && !stranger.isEarlier(than: $0) })
            }
        }
    }

    @Test("A count that was put back to what it had been names other lives")
    func putBack() throws {
        try withPath { path in
            _ = try WorkerDirectory(path)
            let kept = try Data(contentsOf: URL(filePath: path + "/starts"))
            var lives: Set<WorkerLife> = []
            for _ in 0..<8 {
                try kept.write(to: URL(filePath: path + "/starts"))
                lives.insert(try WorkerDirectory(path).life)
            }
            #expect(lives.allSatisfy { $0.start == 2 } && lives.count > 1)
        }
    }

    @Test(
        "Where the count cannot be read, another one begins: what is newer never counts as older",
        arguments: ["", "12", "a b", "1 2 3", "16777216 1", "7 16777215", "-1 4", "\u{0}"]
    )
    func unreadable(text: String) throws {
        try withPath { path in
            _ = try WorkerDirectory(path)
            try Data(text.utf8).write(to: URL(filePath: path + "/starts"))
            let life = try WorkerDirectory(path).life
            #expect(life.start == 1)
            #expect(try WorkerDirectory(path).life.start == 2)
        }
    }

    @Test("Where the count cannot be written, the worker does not start and says so")
    func unwritable() throws {
        try withPath { path in
            try FileManager.default.createDirectory(atPath: path + "/starts.new", withIntermediateDirectories: true)
            let failure = #expect(throws: WorkerError.self) { try WorkerDirectory(path) }
            #expect(failure?.description.contains("cannot count its starts") == true)
            // Nor does it keep the directory locked.
            try FileManager.default.removeItem(atPath: path + "/starts.new")
            #expect(try WorkerDirectory(path).life.start == 1)
        }
    }
}
