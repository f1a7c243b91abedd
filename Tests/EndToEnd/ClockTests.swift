@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import baton_cli

/// A client whose clock is a day ahead of the coordinator's showed a job of five seconds as one of a day.
@Suite("Times by the coordinator's clock")
struct ClockTests {
    private static let start = Timestamp(rawValue: 1_000_000_000)

    @Test("The elapsed time of a job and the time of an operation are by the coordinator's clock")
    func elapsed() {
        var counts = JobCounts()
        counts.executing = 1
        let job = JobListDocument.Job(
            job: JobNumber(12),
            name: nil,
            queue: nil,
            state: .executing,
            counts: counts,
            submittedAt: Self.start
        )
        var record = OperationRecord(id: OperationID(job: JobNumber(12), index: 0), state: .executing)
        record.attempt = 1
        record.startedAt = Self.start
        let operation = OperationDocument(
            record: record,
            entry: Entry(),
            queue: "default",
            template: Template(work: Work(.commands([["sleep", "5"]]))),
            item: nil,
            dependencies: [],
            submittedAt: Self.start
        )
        let present = Self.start + .seconds(3)
        #expect(JobColumn.elapsed.cell(of: Dated(document: job, present: present)) == "3.0s")
        #expect(OperationColumn.time.cell(of: Dated(document: operation, present: present)) == "3.0s")
        #expect(OperationText.lines(of: operation, at: present).contains(" 3.0s"))
    }

    @Test("A time ago is by the coordinator's clock, and a local time needs none")
    func ago() async throws {
        let present = Self.start + .seconds(3600)
        #expect(try await Moment("20m").time { present } == Self.start + .seconds(2400))
        let time = try #require(Timestamp(localText: "2026-11-21 04:00"))
        #expect(try await Moment("2026-11-21 04:00").time { throw CommandFailure(70, code: "asked", "Asked.") } == time)
    }
}
