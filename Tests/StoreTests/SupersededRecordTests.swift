@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing

@testable import BatonStore

@Suite("Superseded records of a transaction")
struct SupersededRecordTests {
    private static func record(_ index: UInt32, count: UInt32 = 1, job: UInt32 = 1) -> RecordChange {
        .operation(OperationRecord(id: OperationID(job: JobNumber(job), index: index), count: count, state: .ready))
    }

    private static func superseded(_ changes: [RecordChange]) -> [Int] {
        let found = SupersededRecords(changes)
        return changes.indices.filter { found.contains($0) }
    }

    @Test("Of several records of one operation only the last is written")
    func lastRecord() {
        #expect(Self.superseded([Self.record(0), Self.record(1), Self.record(0), Self.record(0)]) == [0, 2])
    }

    @Test("Records of several neighbours are all written, and so is what comes after them")
    func blocks() {
        #expect(Self.superseded([Self.record(0, count: 3), Self.record(1), Self.record(0, count: 3)]) == [])
        #expect(Self.superseded([Self.record(1), Self.record(0, count: 3), Self.record(1)]) == [0])
    }

    @Test("Operations of different jobs and other changes supersede nothing")
    func others() {
        let changes: [RecordChange] = [
            Self.record(0), Self.record(0, job: 2), .jobClosed(JobNumber(1)),
            .clock(Timestamp(rawValue: 1), at: Timestamp(rawValue: 1)),
        ]
        #expect(Self.superseded(changes) == [])
        #expect(Self.superseded([Self.record(0)]) == [])
    }

    @Test("Many operations are told apart")
    func many() {
        let once = (0..<5000).map { Self.record($0 / 1000 * 65_536 + $0 % 1000, job: $0 % 3 + 1) }
        #expect(Self.superseded(once) == [])
        #expect(Self.superseded(once + once) == Array(once.indices))
    }
}
