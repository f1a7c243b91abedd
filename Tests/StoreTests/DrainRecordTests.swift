@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests of the drained workers in the record.
@Suite("Drained workers in the record", .timeLimit(.minutes(60)))
struct DrainRecordTests {
    private static let first = DrainRecord(name: "w1", by: "laptop", since: .at(5))
    private static let second = DrainRecord(name: "w 2", by: nil, since: .at(6))
    private static let high = WorkerID(rawValue: .max)

    @Test(
        "A drain is kept over restarts, by the worker's identity, until it is taken back",
        arguments: StoreKind.engines
    )
    func kept(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        try test.store.commit([.drain(WorkerID(rawValue: 7), Self.first), .drain(Self.high, Self.second)])
        try test.restart()
        #expect(test.state.drains == [WorkerID(rawValue: 7): Self.first, Self.high: Self.second])
        var later = Self.first
        later.since = .at(9)
        try test.store.commit([.drain(WorkerID(rawValue: 7), later), .drain(Self.high, nil)])
        try test.restart()
        #expect(test.state.drains == [WorkerID(rawValue: 7): later])
    }

    @Test("People can read who asked for what to be done with a worker")
    func actions() throws {
        let test = try TestStore(.file)
        let events = WorkerRequest.allCases.enumerated().map { number, request in
            ClusterEvent(
                sequence: UInt64(number) + 1,
                time: .at(1),
                by: request == .undrain ? nil : "laptop",
                subject: .workerRequest("w1", request)
            )
        }
        try test.store.commit(events.map { .event($0) })
        test.store.close()
        var lines: [String] = []
        let statement = try Database(path: test.path).prepare(
            "SELECT action || ' ' || subject || ' ' || requested_by FROM action_list ORDER BY action"
        )
        try statement.forEach { row throws(SQLError) in
            lines.append(try row.text(0))
            return true
        }
        #expect(lines == ["drain w1 laptop", "forget w1 laptop", "stop w1 laptop", "stop now w1 laptop"])
    }
}
