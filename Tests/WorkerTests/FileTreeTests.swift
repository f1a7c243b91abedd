import Foundation
import Glibc
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("The removal of directories", .timeLimit(.minutes(60)))
struct FileTreeTests {
    @Test(
        "A tree goes with all permissions, depths and kinds of files, and what links lead to stays",
        arguments: [1, 7, 9, 40, 200]
    )
    func everything(depth: Int) async throws {
        try await withTemporaryDirectory { directory in
            let precious = directory + "/precious"
            try FileManager.default.createDirectory(atPath: precious, withIntermediateDirectories: false)
            FileManager.default.createFile(atPath: precious + "/file", contents: Data("x".utf8))
            let tree = directory + "/tree"
            var places = [tree]
            // Each level has a name that no other one has.
            for level in 0..<depth { places.append("\(places[level])/\(level)") }
            try FileManager.default.createDirectory(atPath: places[depth], withIntermediateDirectories: true)
            for place in places {
                FileManager.default.createFile(atPath: place + "/file", contents: Data("x".utf8))
                try #require(symlink(precious, place + "/link") == 0)
                try #require(mkfifo(place + "/pipe", 0o600) == 0)
            }
            for (number, place) in places.enumerated().reversed() { chmod(place, [0o555, 0o000, 0o700][number % 3]) }
            FileTree.remove(tree)
            #expect(access(tree, F_OK) != 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: precious) == ["file"])
        }
    }

    @Test("A removal of a link, a file or nothing follows no link")
    func others() async throws {
        try await withTemporaryDirectory { directory in
            let target = directory + "/target"
            try FileManager.default.createDirectory(atPath: target + "/a", withIntermediateDirectories: true)
            try #require(symlink(target, directory + "/link") == 0)
            FileManager.default.createFile(atPath: directory + "/file", contents: Data())
            for name in ["link", "file", "missing"] { FileTree.remove(directory + "/" + name) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["target"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: target) == ["a"])
        }
    }

    @Test("A directory with many files is emptied")
    func many() async throws {
        try await withTemporaryDirectory { directory in
            let tree = directory + "/tree"
            try FileManager.default.createDirectory(atPath: tree + "/sub", withIntermediateDirectories: true)
            for number in 0..<20_000 { close(creat("\(tree)/sub/\(number)", 0o600)) }
            FileTree.remove(tree)
            #expect(access(tree, F_OK) != 0)
        }
    }
}
