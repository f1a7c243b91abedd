import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestRecords
import Testing

@_spi(Baton) @testable import BatonCoordinator
@_spi(Baton) @testable import BatonStore

/// A record that counts its questions.
private final class CountingStore: ForwardingStore {
    let base: SQLStore
    private(set) var questions = 0

    init() throws {
        base = try SQLStore(on: MemoryDisk())
    }

    func close() { base.close() }

    func job(_ number: JobNumber) throws(StoreError) -> JobSummary? {
        questions += 1
        return try base.job(number)
    }

    func operations(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> [StoredOperation] {
        questions += 1
        return try base.operations(of: job, from: index, limit: limit)
    }
}

@Suite("Targets in the record", .timeLimit(.minutes(60)))
struct StoredTargetTests {
    private func id(_ job: UInt32, _ index: UInt32) -> OperationID { OperationID(job: JobNumber(job), index: index) }

    @Test("Each job is looked up once, however many of its addresses a request has, and only what exists is found")
    func questions() throws {
        let store = try CountingStore()
        for (number, count) in [(UInt32(1), 5_000), (2, 1)] {
            var entry = Entry(name: "part")
            entry.array = .numbers(first: 0, step: 1, count: count)
            let submission = Submission(templates: [Template(work: Work(.noOperation))], entries: [entry])
            let moment = Timestamp(rawValue: 0)
            try store.commit([
                .job(JobRecord(number: JobNumber(number), submittedAt: moment, order: 1, submission: submission))
            ])
        }
        var stored = StoredTargets(store)
        for index in (0..<4_000 as Range<UInt32>).reversed() {
            #expect(try stored.target(of: .operation(id(1, index))) == .operation(id(1, index)))
        }
        #expect(store.questions == 1)
        #expect(try stored.target(of: .operation(id(1, 4_999))) != nil)
        #expect(try stored.target(of: .operation(id(1, 5_000))) == nil)
        #expect(try stored.target(of: .operations(JobNumber(1), 0..<5_000)) == .operations(JobNumber(1), 0..<5_000))
        #expect(try stored.target(of: .operations(JobNumber(1), 4_999..<5_001)) == nil)
        #expect(try stored.target(of: .job(JobNumber(1))) == .job(JobNumber(1)))
        #expect(store.questions == 1)
        #expect(try stored.target(of: .operation(id(2, 0))) == .operation(id(2, 0)))
        #expect(try stored.target(of: .named(JobNumber(2), "part")) == .operations(JobNumber(2), 0..<1))
        #expect(try stored.target(of: .named(JobNumber(2), "parts")) == nil)
        for _ in 0..<3 {
            #expect(try stored.target(of: .job(JobNumber(3))) == nil)
            #expect(try stored.target(of: .operation(id(3, 0))) == nil)
        }
        #expect(store.questions == 3)
    }
}
