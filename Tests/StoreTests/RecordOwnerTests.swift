import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests of records that somebody else could have made or changed: their jobs would run as the coordinator's user.
@Suite("The owner of a record", .timeLimit(.minutes(60)))
struct RecordOwnerTests {
    private func failure(_ path: String) -> StoreError? {
        do throws(StoreError) {
            try SQLStore(path: path).close()
            return nil
        } catch {
            return error
        }
    }

    @Test("A record in a directory that all users may change is refused, unless only owners may replace its files")
    func openDirectory() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("baton.db")
        for (mode, isRefused) in [(0o777, true), (0o702, true), (0o1777, false), (0o775, false), (0o755, false)] {
            try #require(chmod(directory.path, mode_t(mode)) == 0)
            let error = failure(path)
            #expect((error != nil) == isRefused, "\(String(mode, radix: 8))")
            guard let error else { continue }
            #expect(error.code == .notAccessible)
            #expect(error.message.hasSuffix("Run: chmod o-w \(directory.path)"), "\(error)")
        }
    }

    @Test(
        "A record, or a file beside it, that all users may change is refused",
        arguments: ["", "-wal", "-shm", "-journal", "-tally", ".lock"]
    )
    func openFile(ending: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("baton.db")
        if ["", "-tally"].contains(ending) {
            #expect(failure(path) == nil)
        } else {
            try Data().write(to: URL(filePath: path + ending))
        }
        try #require(chmod(path + ending, 0o666) == 0)
        #expect(failure(path)?.message.hasSuffix("Run: chmod o-w \(path)\(ending)") == true)
        try #require(chmod(path + ending, 0o664) == 0)
        #expect(failure(path) == nil)
    }

    @Test(
        "A link beside a record is refused, and the file to which it leads stays as it is",
        arguments: ["-wal", "-tally", ".lock"]
    )
    func link(ending: String) throws {
        let directory = try TemporaryDirectory()
        let target = directory.file("precious")
        try Data("precious".utf8).write(to: URL(filePath: target))
        let path = directory.file("baton.db")
        try #require(symlink(target, path + ending) == 0)
        #expect(failure(path)?.code == .notAccessible)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
    }

    @Test("A record of another user is refused", .enabled(if: geteuid() == 0, "only root can give files away"))
    func foreign() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("baton.db")
        #expect(failure(path) == nil)
        for file in [path, path + ".lock", directory.path] {
            try #require(chown(file, 12_345, 12_345) == 0)
            #expect(failure(path)?.message.contains("belongs to another user (12345)") == true, "\(file)")
            try #require(chown(file, 0, 0) == 0)
            #expect(failure(path) == nil)
        }
    }
}
