import Foundation
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("The record's lock file")
struct LockFileTests {
    @Test("A released lock is free although a copy of its descriptor is still open")
    func givenUpInSpiteOfCopies() throws {
        let record = FileManager.default.temporaryDirectory.appending(path: "baton-lock-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: record + ".lock") }
        var lock: LockFile? = try LockFile(beside: record, record: record)
        #expect(throws: StoreError.self) { try LockFile(beside: record, record: record) }
        let copies = try descriptors(of: record + ".lock").map { dup($0) }
        defer { for copy in copies { close(copy) } }
        #expect(copies.count == 1)
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(throws: Never.self) { try LockFile(beside: record, record: record) }
    }

    @Test("A link or a pipe in the place of the lock is refused with a sentence, and nothing waits for it")
    func otherKinds() throws {
        let record = FileManager.default.temporaryDirectory.appending(path: "baton-lock-\(UUID().uuidString)").path
        defer { for ending in [".lock", ".target"] { try? FileManager.default.removeItem(atPath: record + ending) } }
        func sentence() -> String? {
            do throws(StoreError) {
                _ = try LockFile(beside: record, record: record)
                return nil
            } catch {
                return error.message
            }
        }
        try Data("precious".utf8).write(to: URL(filePath: record + ".target"))
        try #require(symlink(record + ".target", record + ".lock") == 0)
        #expect(sentence()?.contains("\(record).lock is a link, or no file. Remove it.") == true)
        #expect(try String(contentsOfFile: record + ".target", encoding: .utf8) == "precious")
        try FileManager.default.removeItem(atPath: record + ".lock")
        try #require(mkfifo(record + ".lock", 0o600) == 0)
        #expect(sentence()?.contains("\(record).lock is a link, or no file. Remove it.") == true)
        try FileManager.default.removeItem(atPath: record + ".lock")
        #expect(sentence() == nil)
    }

    @Test("A refused lock closes no file that another thread has opened meanwhile")
    func closesOnce() async throws {
        let record = FileManager.default.temporaryDirectory.appending(path: "baton-lock-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: record + ".lock") }
        let lock = try LockFile(beside: record, record: record)
        let rounds = 20_000
        async let lost = Self.countLostFiles(rounds: rounds)
        for _ in 0..<rounds { _ = try? LockFile(beside: record, record: record) }
        #expect(await lost == 0)
        withExtendedLifetime(lock) {}
    }

    /// Opens and closes files, and counts the files that other code closed meanwhile.
    private static func countLostFiles(rounds: Int) async -> Int {
        (0..<rounds).count { _ in
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            return descriptor >= 0 && close(descriptor) != 0
        }
    }

    /// This process's open descriptors of a file, as the system lists them.
    private func descriptors(of path: String) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
            return target == path ? Int32(name) : nil
        }
    }
}
