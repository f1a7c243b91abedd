import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("A store of files that is their home", .timeLimit(.minutes(60)))
struct DurableStoreTests {
    @Test("FI9 What is released goes at once, and the rest stays for the next life", arguments: [0, 1, 3, 7])
    func releases(count: Int) async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files", isDurable: true)
            let store = bench.store
            let contents = (0..<8).map { KeptContent(UInt8($0), length: 1000 * $0) }
            for content in contents { #expect(try content.put(in: store)) }
            let released = try contents.prefix(count).map { content in try content.digest() }
            store.release(released)
            let rest = Set(try contents.dropFirst(count).map { try $0.digest() })
            #expect(bench.told == rest)
            try bench.check()
            #expect(store.bytes == UInt64(contents.dropFirst(count).reduce(0) { $0 + $1.bytes.count }))
            // What is not kept cannot be released.
            store.release(released)
            #expect(bench.told == rest)
            let next = try FileStore(directory: directory + "/files", limit: 1 << 20, isDurable: true) { _, _ in }
            #expect(Set(next.all) == rest)
        }
    }

    @Test("A file that cannot be kept leaves nothing, and its room is free again")
    func failure() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileStore(directory: directory + "/files", limit: 1 << 20, isDurable: true) { _, _ in }
            let content = KeptContent(3, length: 5000)
            let incoming = try store.receive(content.file())
            try content.bytes.withUnsafeBytes { try incoming.write($0) }
            // Another program removes what is not complete.
            FileTree.remove(store.incoming)
            #expect(throws: FileFailure.self) { try incoming.finish() }
            #expect(store.all.isEmpty && store.bytes == 0)
            #expect(try content.put(in: store) && store.bytes == 5000)
        }
    }

    @Test("A full store says what takes its room, and what to do")
    func full() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileStore(directory: directory + "/files", limit: 5000, isDurable: true) { _, _ in }
            try KeptContent(1, length: 4000).put(in: store)
            let failure = #expect(throws: FileFailure.self) { try KeptContent(2, length: 1001).put(in: store) }
            #expect(failure?.isDiskFull == true)
            // What was sent for a submission that has not come stays for a while.
            #expect(failure?.description.contains("within the last minutes") == true)
            #expect(failure?.description.contains("--archive") == true)
            #expect(store.bytes == 4000)
        }
    }
}
