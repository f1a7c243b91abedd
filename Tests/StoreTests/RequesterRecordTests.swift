@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests of the requesters' names in the record.
@Suite("Requesters in the record", .timeLimit(.minutes(60)))
struct RequesterRecordTests {
    @Test(
        "A job keeps its requester over a restart, unfinished and finished, in every query",
        arguments: StoreKind.engines
    )
    func jobs(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        var named = JobRecord(1, key: "k", [Entry()])
        named.submittedBy = "laptop"
        var finished = JobRecord(2, [Entry()])
        finished.submittedBy = "12/3"
        let anonymous = JobRecord(3, [Entry()])
        try test.store.commit([
            .job(named), .job(finished), .job(anonymous), .operation(.finished(2, 0)),
            .jobFinished(JobNumber(2), JobCounts(succeeded: 1), .at(9)),
        ])
        for _ in 0..<2 {
            #expect(try test.store.job(JobNumber(1))?.submittedBy == "laptop")
            #expect(try test.store.job(withKey: "k")?.submittedBy == "laptop")
            #expect(try test.store.jobs(before: nil, limit: 9).map(\.submittedBy) == [nil, "12/3", "laptop"])
            #expect(try test.store.restoredJob(JobNumber(2))?.job.submittedBy == "12/3")
            try test.restart()
            #expect(test.state.jobs.map(\.job) == [named, anonymous])
        }
    }

    @Test("Events keep their requesters over a restart", arguments: StoreKind.engines)
    func events(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let names: [String?] = ["laptop", nil, "ci", "laptop"]
        let events = names.enumerated().map { number, name in
            ClusterEvent(
                sequence: UInt64(number) + 1,
                time: .at(1),
                by: name,
                subject: .operations(OperationID(1, UInt32(number)), count: 1, .cancelled)
            )
        }
        try test.store.commit(events.map { .event($0) })
        try test.restart()
        #expect(try test.store.events(after: 0, limit: 9) == events)
    }

    // MARK: - For people

    private static let subjects: [(String?, ClusterEvent.Subject)] = [
        ("laptop", .queue("images", QueueSettings(maxConcurrent: 1))),
        ("laptop", .jobSubmitted(JobNumber(1), operations: 5)),
        (nil, .operations(OperationID(1, 0), count: 1, .cancelled)),
        ("ci", .operations(OperationID(1, 0), count: 1, .cancelled)),
        (
            nil,
            .operations(OperationID(1, 0), count: 1, .state(.finished, outcome: .cancelled, attempt: 0, worker: nil))
        ),
        ("ci", .operations(OperationID(1, 1), count: 3, .cancelled)),
        ("desk", .operations(OperationID(1, 4), count: 1, .cancelled)),
        ("desk", .operations(OperationID(1, 4), count: 1, .held(true))),
        ("desk", .operations(OperationID(1, 4), count: 1, .held(false))),
        ("desk", .operations(OperationID(1, 4), count: 1, .priority(.high))),
        ("desk", .operations(OperationID(1, 4), count: 1, .dependencies)),
        ("desk", .operations(OperationID(1, 4), count: 1, .commands)),
    ]

    private func lines(_ path: String) throws -> [String] {
        var lines: [String] = []
        let statement = try Database(path: path).prepare(
            "SELECT substr(time, 18, 2) || ' ' || action || ' ' || subject || ' ' || requested_by FROM action_list"
        )
        try statement.forEach { row throws(SQLError) in
            lines.append(try row.text(0))
            return true
        }
        return lines
    }

    /// The changes of some events, beginning with an event number.
    private func changes(from first: UInt64) -> [RecordChange] {
        var next = first
        return Self.subjects.map { by, subject in
            let event = ClusterEvent(sequence: next, time: .at(7), by: by, subject: subject)
            next += event.count
            return .event(event)
        }
    }

    @Test("People can read who asked for jobs and changes; neighbouring operations share a row")
    func actions() throws {
        let test = try TestStore(.file)
        var job = JobRecord(1, [Entry(), Entry(), Entry(), Entry(), Entry()])
        job.submittedBy = "laptop"
        try test.store.commit([.job(job)] + changes(from: 1))
        test.store.close()
        #expect(
            try lines(test.path) == [
                "01 submit 1 laptop", "07 queue images laptop", "07 cancel 1/0-3 ci", "07 cancel 1/4 desk",
                "07 hold 1/4 desk", "07 release 1/4 desk", "07 priority high 1/4 desk", "07 dependencies 1/4 desk",
                "07 commands 1/4 desk",
            ]
        )
    }

    @Test("The record of actions is kept as long as the events")
    func retention() throws {
        let test = try TestStore(.file, eventHistory: 10)
        for first in [1, 15] as [UInt64] { try test.store.commit(changes(from: first)) }
        #expect(try lines(test.path).count == 8)
        let others = (29..<60).map { ClusterEvent(sequence: $0, time: .at(8), subject: .worker("w1", .alive)) }
        try test.store.commit(others.map { .event($0) })
        try test.store.commit([.event(ClusterEvent(sequence: 60, time: .at(9), subject: .worker("w1", .lost)))])
        #expect(try lines(test.path).isEmpty)
    }
}
