import Foundation
import Testing

/// The server for tests of a record on PostgreSQL, which `scripts/test` starts where PostgreSQL is installed.
enum ServerOfTests {
    /// The address of a database of the server; nil without a server.
    static let address = ProcessInfo.processInfo.environment["BATON_TEST_POSTGRES"].flatMap { $0.isEmpty ? nil : $0 }

    /// Runs a test with the name of a new record, which is removed afterwards.
    static func withRecord(_ body: (_ store: String) async throws -> Void) async throws {
        let server = try #require(address)
        let schema = "baton_test_\(String(UInt64.random(in: 0...(.max)), radix: 16))"
        var failure: (any Error)?
        do {
            try await body(server + (server.contains("?") ? "&" : "?") + "schema=\(schema)")
        } catch {
            failure = error
        }
        try await run("DROP SCHEMA IF EXISTS \(schema) CASCADE")
        if let failure { throw failure }
    }

    /// Ends the session of the leader of a record, as an administrator of the server may.
    static func endSession(ofLeaderOf store: String) async throws {
        let schema = try #require(store.range(of: "schema=").map { store[$0.upperBound...] })
        // The lock of a record consists of this number and of a number for its schema; objsubid distinguishes it from a lock of a single
        // number.
        try await run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
                AND classid = 1111577679 AND objid = (hashtext('\(schema)')::bigint & 4294967295)
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """
        )
    }

    /// The number of coordinators that are noted as standing by in a record, whether they are still there or not.
    static func countOfStandbys(in store: String) async throws -> Int? {
        let schema = try #require(store.range(of: "schema=").map { store[$0.upperBound...] })
        return Int(try await run("SELECT count(*) FROM \(schema).standbys"))
    }

    /// Takes from the role of a record the right to change the table of keys in it, or gives it back.
    static func permit(_ mayWrite: Bool, writingKeysOf store: String) async throws {
        let schema = try #require(store.range(of: "schema=").map { store[$0.upperBound...] })
        let (verb, word) = mayWrite ? ("GRANT", "TO") : ("REVOKE", "FROM")
        try await run("\(verb) INSERT, UPDATE ON \(schema).key_table \(word) CURRENT_USER")
    }

    /// Runs a statement on the server.
    ///
    /// - Returns: the rows as lines, without the end of the last line.
    @discardableResult
    private static func run(_ statement: String) async throws -> String {
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", "exec psql -q -X -A -t -v ON_ERROR_STOP=1 \"$0\" -c \"$1\"", try #require(address), statement],
            environment: ProcessInfo.processInfo.environment,
            directory: "/"
        )
        #expect(try await process.end() == 0, "\(process.errorText)")
        return process.outputText.trimmingCharacters(in: .newlines)
    }
}
