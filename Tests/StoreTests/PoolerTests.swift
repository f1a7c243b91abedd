import BatonTestServers
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("What may not stand before a record", .enabled(if: PostgreSQLServer.isThere))
struct PoolerTests {
    @Test("A pooler, which gives the process number of no session of its own, is refused")
    func isRefused() throws {
        let schema = try TemporarySchema()
        let port = try #require(schema.server.ports.first)
        let relay = try CommitRelay(target: port)
        defer { relay.shutDown() }
        let server = try #require(PostgreSQLServer.record(schema.server, throughPort: relay.port))
        // The relay itself is no reason.
        try ServerSession(server, lease: .seconds(2)).close()
        relay.tellsFalseProcess = true
        for lease in [Duration.seconds(2), nil] {
            let error = try #require(throws: SQLError.self) { _ = try ServerSession(server, lease: lease) }
            #expect(error.code == .unsuitable)
            let shown = StoreError(error, server: server)
            #expect(shown.code == .notAccessible)
            #expect(shown.message.contains("a pooler stands before the server"))
            #expect(!shown.mayPass)
        }
    }

    @Test("A role whose commits are not on the disk when they are acknowledged is refused")
    func needsDurableCommits() throws {
        let schema = try TemporarySchema()
        let address = try #require(PostgreSQLServer.address)
        let separator = address.contains("?") ? "&" : "?"
        let options = "options=-csynchronous_commit%3Doff&schema=\(schema.server.schema)"
        let server = try RecordServer(address + separator + options)
        let error = try #require(throws: SQLError.self) { _ = try ServerSession(server, lease: .seconds(2)) }
        #expect(error.code == .unsuitable)
        #expect(error.message.contains("synchronous_commit is off"))
    }
}
