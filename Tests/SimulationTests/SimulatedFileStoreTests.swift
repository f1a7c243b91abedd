@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonSimulation

@Suite("The files of simulated workers", .timeLimit(.minutes(60)))
struct SimulatedFileStoreTests {
    private let file: KeptFile

    init() throws {
        let digest = try #require(ContentDigest(bytes: [UInt8](repeating: 3, count: ContentDigest.length)))
        file = KeptFile(path: "a", size: 2, mode: 0o644, digest: digest)
    }

    private func time(_ seconds: Int64) -> Timestamp { Timestamp(rawValue: seconds * 1_000_000) }

    @Test("A file counts from when it came with its present bytes, however often it comes again")
    func sinceFirst() {
        var store = SimulatedFileStore()
        let isNew = store.keep(file, at: time(1))
        #expect(isNew)
        for second in [2, 5, 9] as [Int64] {
            let isNewAgain = store.keep(file, at: time(second))
            #expect(!isNewAgain)
            #expect(store.copies[file.digest]?.since == time(1))
        }
    }

    @Test("A file that was removed counts from when it came again")
    func sinceRemoval() {
        var store = SimulatedFileStore()
        for second in [1, 4, 8] as [Int64] {
            let isNew = store.keep(file, at: time(second))
            #expect(isNew)
            #expect(store.copies[file.digest]?.since == time(second))
            store.remove(file.digest)
        }
    }

    @Test("A file with wrong bytes counts from when the right ones came", arguments: [false, true])
    func sinceRepair(wasWrong: Bool) {
        var store = SimulatedFileStore()
        _ = store.keep(file, isWrong: wasWrong, at: time(1))
        if !wasWrong { store.damage(file.digest) }
        let isNew = store.keep(file, at: time(6))
        #expect(!isNew)
        #expect(store.copies[file.digest]?.since == time(6))
    }
}
