import Foundation
import Glibc
import Testing

@_spi(Baton) @testable import BatonProcesses

@Suite("Files that a program keeps for itself", .timeLimit(.minutes(60)))
struct OwnFileTests {
    /// The errno of a call that has to fail; 0 for one that does not.
    private func reason(_ isDone: () -> Bool) -> Int32 {
        errno = 0
        return isDone() ? 0 : errno
    }

    @Test("An ordinary file is opened, and a missing one is made where that is asked for")
    func ordinary() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/file"
            #expect(reason { OwnFile.open(path, O_RDONLY) >= 0 } == ENOENT)
            #expect(reason { OwnFile.isOrdinary(path) } == ENOENT)
            let made = OwnFile.open(path, O_RDWR | O_CREAT, 0o600)
            try #require(made >= 0)
            defer { close(made) }
            #expect(OwnFile.isOrdinary(path) && OwnFile.isInPlace(made, at: path))
            #expect(fcntl(made, F_GETFD) & FD_CLOEXEC != 0)
            try #require(rename(path, path + ".moved") == 0 && symlink(path + ".moved", path) == 0)
            #expect(!OwnFile.isInPlace(made, at: path), "a link leads there")
        }
    }

    @Test("A link, a pipe or a directory is refused at once, whatever it is to be opened for")
    func otherKinds() async throws {
        try await withTemporaryDirectory { directory in
            let target = directory + "/target"
            try Data("precious".utf8).write(to: URL(filePath: target))
            for (name, isMade) in [
                ("link", symlink(target, directory + "/link") == 0),
                ("dangling", symlink(directory + "/nowhere", directory + "/dangling") == 0),
                ("pipe", mkfifo(directory + "/pipe", 0o600) == 0),
                ("directory", mkdir(directory + "/directory", 0o700) == 0),
            ] {
                try #require(isMade)
                let path = directory + "/" + name
                for flags in [O_RDONLY, O_WRONLY, O_WRONLY | O_APPEND, O_RDWR, O_RDWR | O_CREAT] {
                    #expect(reason { OwnFile.open(path, flags, 0o600) >= 0 } == ELOOP, "\(name), \(flags)")
                }
                #expect(reason { OwnFile.isOrdinary(path) } == ELOOP, "\(name)")
                #expect(reason { OwnFile.isDirectory(path) } == (name == "directory" ? 0 : ENOTDIR), "\(name)")
            }
            #expect(OwnFile.reason(ELOOP) == "it is a link, or no ordinary file; remove it")
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
            #expect(access(directory + "/nowhere", F_OK) != 0)
        }
    }

    @Test("An open file is opened again, and nothing else that has come to its path")
    func again() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/file"
            let made = OwnFile.create(path, O_WRONLY | O_APPEND, 0o600)
            try #require(made >= 0)
            defer { close(made) }
            let identity = try #require(FileIdentity(of: made))
            let again = OwnFile.open(path, O_WRONLY | O_APPEND, as: identity)
            try #require(again >= 0)
            #expect(write(made, "a", 1) == 1 && write(again, "b", 1) == 1)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "ab")
            #expect(fcntl(again, F_GETFD) & FD_CLOEXEC != 0)
            close(again)
            try #require(rename(path, path + ".moved") == 0)
            func reasonNow() -> Int32 { reason { OwnFile.open(path, O_WRONLY | O_APPEND, as: identity) >= 0 } }
            #expect(reasonNow() == ENOENT)
            let makers: [(code: Int32, make: () -> Bool)] = [
                (ESTALE, { FileManager.default.createFile(atPath: path, contents: nil) }),
                (ELOOP, { symlink(path + ".moved", path) == 0 }),
                (ELOOP, { mkfifo(path, 0o600) == 0 }),
            ]
            for (code, make) in makers {
                try #require(make())
                #expect(reasonNow() == code)
                try #require(unlink(path) == 0)
            }
            try #require(rename(path + ".moved", path) == 0)
            #expect(reasonNow() == 0)
        }
    }

    @Test("A new file takes the place of a link or a pipe, and not of a directory")
    func inPlace() async throws {
        try await withTemporaryDirectory { directory in
            let (path, target) = (directory + "/file", directory + "/target")
            try Data("precious".utf8).write(to: URL(filePath: target))
            let makers: [() -> Bool] = [
                { symlink(target, path) == 0 },
                { mkfifo(path, 0o600) == 0 },
                { FileManager.default.createFile(atPath: path, contents: Data("old".utf8)) },
            ]
            for make in makers {
                try #require(make())
                let made = OwnFile.create(path, O_WRONLY, 0o600)
                try #require(made >= 0)
                #expect(OwnFile.isInPlace(made, at: path))
                close(made)
                #expect(try Data(contentsOf: URL(filePath: path)).isEmpty)
                try #require(unlink(path) == 0)
            }
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
            try #require(mkdir(path, 0o700) == 0)
            #expect(OwnFile.create(path, O_WRONLY, 0o600) < 0)
        }
    }
}
