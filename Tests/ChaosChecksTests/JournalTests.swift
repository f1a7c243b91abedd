@_spi(Baton) import BatonChaosChecks
import Testing

@Suite("The journal of a chaos run")
struct JournalTests {
    private let address = OperationAddress(job: 12, index: 3)

    @Test("Each kind of journal entry is read as it was written")
    func roundTrip() {
        let entries: [JournalEntry] = [
            .started(address, attempt: 1, process: 20, worker: 10), .ended(address, attempt: 1, process: 20, status: 1),
            .born(process: 10, name: "w-10"), .killing(process: 10), .gone(process: 10), .cut(name: "w1"),
            .joined(name: "w1"), .misread(address, input: "o1"),
            .cancelled(job: 12, index: 3, at: "2026-11-21T03:04:05.000678Z"),
            .cancelled(job: 12, index: nil, at: "2026-11-21T03:04:05.000678Z"), .waited(job: 12),
        ]
        #expect(entries.map { JournalEntry(line: $0.line) } == entries)
    }

    @Test(
        "A malformed line of the journal is reported with its number",
        arguments: ["start 12/3 1 20", "start 12 1 20 10", "end 12/3 1 20 x", "killing", "over 12", "waited a"]
    )
    func unreadable(_ line: String) {
        #expect(
            Journal(text: "waited 1\n\(line)\n").contradictions == [
                "Line 2 of the journal cannot be read: \"\(line)\"."
            ]
        )
    }

    @Test("An attempt that a worker starts while it is being killed counts as having lost its worker")
    func startWhileDying() {
        let journal = Journal([
            .born(process: 10, name: "w-10"),
            .killing(process: 10),
            .started(address, attempt: 1, process: 20, worker: 10),
            .ended(address, attempt: 1, process: 20, status: 0),
            .gone(process: 10),
        ])
        #expect(journal.contradictions == [])
        #expect(journal.executions[address]?.map(\.workerKilled) == [2])
    }

    @Test("A kill ends the attempts of its worker, and none of a later worker with the same process number")
    func kills() {
        let journal = Journal([
            .born(process: 10, name: "w-10"),
            .started(address, attempt: 1, process: 20, worker: 10),
            .killing(process: 10),
            .gone(process: 10),
            .born(process: 10, name: "w-10"),
            .started(address, attempt: 2, process: 21, worker: 10),
            .ended(address, attempt: 2, process: 21, status: 0),
        ])
        #expect(journal.contradictions == [])
        #expect(journal.executions[address]?.map(\.workerKilled) == [2, nil])
        #expect(journal.executions[address]?.map(\.end?.place) == [nil, 6])
    }
}
