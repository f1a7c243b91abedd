@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing

@Suite("Lists of names of every store", .timeLimit(.minutes(60)))
struct NameListTests {
    @Test("A store lists the names of a job from the one that has an index, in pages", arguments: StoreKind.engines)
    func names(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let entries = [Entry(name: "b"), Entry(name: "many", array: .lines(["x", "y"])), Entry(), Entry(name: "a")]
        try test.store.commit([.job(JobRecord(1, entries)), .job(JobRecord(2, [Entry()]))])
        let (first, many) = (
            NamedOperations(name: "b", operations: 0..<1), NamedOperations(name: "many", operations: 1..<3)
        )
        let last = NamedOperations(name: "a", operations: 4..<5)
        func names(from index: UInt32, limit: Int = 10) throws -> [NamedOperations] {
            try test.store.names(of: JobNumber(1), from: index, limit: limit)
        }
        #expect(try names(from: 0) == [first, many, last])
        #expect(try names(from: 2) == [many, last])
        #expect(try names(from: 0, limit: 2) == [first, many])
        #expect(try names(from: 3) == [last])
        #expect(try test.store.names(of: JobNumber(2), from: 0, limit: 10).isEmpty)
        #expect(try test.store.names(of: JobNumber(3), from: 0, limit: 10).isEmpty)
    }
}
