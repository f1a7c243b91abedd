import BatonTestServers
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("A record that lost acknowledged commits", .enabled(if: PostgreSQLServer.isThere))
struct WentBackTests {
    @Test("A leader says how many commits are missing, and writes nothing more", arguments: [1, 3])
    func isTold(_ lost: Int64) throws {
        let leader = try ServerLeader()
        for _ in 0..<4 { try leader.session.transaction { () throws(SQLError) in try leader.add(1) } }
        let other = try leader.other()
        defer { other.close() }
        // As on a replica that had not got the last commits.
        try other.execute(
            "UPDATE leader SET commits = commits - \(lost)",
            "UPDATE meta SET value = value - \(lost) WHERE key = 'removed_operations'"
        )
        try leader.endSessions()
        let error = try #require(throws: SQLError.self) {
            try leader.session.transaction { () throws(SQLError) in try leader.add(1) }
        }
        #expect(error.code == .wentBack)
        #expect(error.message.contains("lost \(lost) commits that were acknowledged"))
        #expect(throws: SQLError.self) { try leader.session.transaction { () throws(SQLError) in try leader.add(1) } }
        #expect(try leader.committedSum() == 4 - lost)
        let shown = StoreError(error, server: leader.schema.server)
        #expect(shown.code == .deposed)
        #expect(!shown.mayPass)
    }

    @Test("A commit that was not acknowledged may be missing: it is made again, and nothing is said")
    func mayMissTheLast() throws {
        let leader = try ServerLeader(throughRelay: true)
        try leader.session.transaction { () throws(SQLError) in try leader.add(1) }
        leader.relay?.cut(.beforeTheEnd)
        #expect(throws: SQLError.self) { try leader.session.transaction { () throws(SQLError) in try leader.add(1) } }
        #expect(leader.session.isLeading)
        try leader.proveAgain()
        try leader.session.transaction { () throws(SQLError) in try leader.add(1) }
        #expect(try leader.committedSum() == 2)
    }
}
