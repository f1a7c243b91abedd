import Foundation
import Testing

@testable import BatonStore

struct LockFileTests {
    @Test("A lock that was given up is free, also while a child that is being launched has a copy of its descriptor")
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

    /// This process's open descriptors of a file, as the system lists them.
    private func descriptors(of path: String) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
            return target == path ? Int32(name) : nil
        }
    }
}
