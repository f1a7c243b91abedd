import BatonTestServers
import Testing

@_spi(Baton) @testable import BatonStore

/// A server whose wait for its replica is cancelled answers a commit with success and a warning.
///
/// A trigger at the end of a transaction does the same here.
@Suite("Warnings at a commit", .enabled(if: PostgreSQLServer.isThere))
struct WarningTests {
    private func warn(about table: String, _ leader: ServerLeader) throws {
        let other = try leader.other()
        defer { other.close() }
        try other.execute(
            """
            CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN RAISE WARNING 'canceling wait for synchronous replication'; RETURN NULL; END $$
            """,
            """
            CREATE CONSTRAINT TRIGGER warning AFTER UPDATE ON \(table) DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION warn()
            """
        )
    }

    @Test("A commit with a warning counts only after a later one without")
    func isSettled() throws {
        let leader = try ServerLeader()
        try warn(about: "meta", leader)
        let generation = leader.session.writer.generation
        let proofs = Calls<Int>()
        leader.session.onProof = { _ in proofs.append(1) }
        try leader.session.transaction { () throws(SQLError) in try leader.add(1) }
        #expect(leader.session.writer.generation > generation)
        #expect(proofs.all.count == 1)
        #expect(try leader.committedSum() == 1)
    }

    @Test("A proof with a warning is none, and a commit is not acknowledged without a proof")
    func isNoProof() throws {
        let leader = try ServerLeader()
        try warn(about: "leader", leader)
        let proofs = Calls<Int>()
        leader.session.onProof = { _ in proofs.append(1) }
        let error = try #require(throws: SQLError.self) { try leader.session.prove() }
        #expect(error.code == .unreachable)
        #expect(error.message.contains("synchronous replication"))
        let interrupt = leader.session.makeInterrupt()
        leader.session.onTrouble = { _ in interrupt() }
        #expect(throws: SQLError.self) { try leader.session.transaction { () throws(SQLError) in try leader.add(1) } }
        #expect(proofs.all.isEmpty)
    }
}
