import BatonTestServers
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("The lock of a record on a server", .enabled(if: PostgreSQLServer.isThere))
struct LockTests {
    @Test("A second leader is refused while the first one proves itself, and told who leads")
    func isRefused() throws {
        let first = try ServerLeader(lease: .seconds(10), address: "tcp://first:7461")
        let second = try ServerSession(first.schema.server, lease: .seconds(1))
        defer { second.close() }
        let error = try #require(throws: SQLError.self) { try second.lead(address: "tcp://second:7461", host: "b") }
        #expect(error.code == .led)
        #expect(error.message.hasSuffix("is led by the coordinator at tcp://first:7461 on host."))
        #expect(StoreError(error, server: first.schema.server).code == .inUse)
        // The first one has lost nothing.
        try first.session.transaction { () throws(SQLError) in try first.add(1) }
    }

    @Test("The lock is free at once when a leader ends in order")
    func isFree() throws {
        let first = try ServerLeader()
        first.session.close()
        let start = ContinuousClock.now
        let second = try ServerLeader(first.schema)
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(second.session.isLeading)
    }

    /// What a leader does that stands still.
    enum Standstill: CaseIterable {
        case idle, inTransaction, inTheMiddleOfAMessage
    }

    @Test("A leader that stands still loses its lock after its lease", arguments: Standstill.allCases)
    func isLost(_ standstill: Standstill) throws {
        let first = try ServerLeader(lease: .seconds(1))
        var second: ServerLeader?
        // It may be silent for longer, so that it still leads at the end.
        let takeOver = { second = try ServerLeader(first.schema, lease: .seconds(3), address: "tcp://second:2") }
        let error = try #require(throws: (any Error).self) {
            switch standstill {
            case .idle:
                try takeOver()
                try first.session.transaction { () throws(SQLError) in try first.add(1) }
            case .inTransaction:
                try first.session.transaction { () throws(SQLError) in
                    try first.add(1)
                    _ = try first.sum()
                    #expect(throws: Never.self) { try takeOver() }
                }
            case .inTheMiddleOfAMessage:
                try first.session.transaction { () throws(SQLError) in
                    // Enough that it is on its way before the end of the transaction.
                    let text = String(repeating: " ", count: 200_000)
                    try first.session.writer.open().send("SELECT 1" + text)
                    #expect(throws: Never.self) { try takeOver() }
                    try first.add(1)
                }
            }
        }
        #expect((error as? SQLError)?.code == .deposed)
        let leader = try #require(second)
        #expect(leader.session.isLeading)
        try leader.session.transaction { () throws(SQLError) in try leader.add(5) }
        #expect(try leader.committedSum() == 5)
    }

    @Test("Proofs keep a leader that writes nothing, also in the middle of a long answer")
    func isKept() throws {
        let first = try ServerLeader(lease: .seconds(1))
        let proofs = Calls<Int>()
        first.session.onProof = { _ in proofs.append(1) }
        let statement = Statement("SELECT generate_series(1, 100000000)")
        try statement.attach(to: first.session)
        let end = ContinuousClock.now + .seconds(2)
        try statement.forEach { _ in ContinuousClock.now < end }
        #expect(proofs.all.count >= 4)
        try first.session.transaction { () throws(SQLError) in try first.add(1) }
        #expect(try first.committedSum() == 1)
    }

    @Test("A schema with other tables is refused, and so are tables of another version")
    func isForeign() throws {
        let schema = try TemporarySchema()
        let other = try ServerConnection(schema.server, for: .reading)
        defer { other.close() }
        try other.execute("CREATE SCHEMA \(schema.server.schema)", "CREATE TABLE jobs (a text)")
        var error = #expect(throws: StoreError.self) { try schema.open() }
        #expect(error?.code == .unreadable)
        #expect(error?.message.contains("belongs to something else") == true)
        try other.execute("DROP TABLE jobs", "CREATE TABLE leader (a text)")
        error = #expect(throws: StoreError.self) { try schema.open() }
        #expect(error?.code == .unreadable)
        try other.execute("DROP TABLE leader")
        try schema.open().close()
        try other.execute("UPDATE leader SET version = version + 1")
        error = #expect(throws: StoreError.self) { try schema.open() }
        #expect(error?.code == .unreadable)
        #expect(error?.message.contains("have version \(Schema.current.version + 1)") == true)
        try other.execute("DELETE FROM leader")
        error = #expect(throws: StoreError.self) { try schema.open() }
        #expect(error?.code == .unreadable)
        #expect(error?.message.contains("the table leader has lost its row") == true)
    }
}
