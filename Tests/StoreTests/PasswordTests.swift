import BatonTestServers
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("Passwords of a server", .enabled(if: PostgreSQLServer.isThere))
struct PasswordTests {
    private static let secret = "s3cret/%&word"
    private static let encoded = "s3cret%2F%25%26word"

    /// The address of the test server with a password, which it need not ask for, and some parts replaced.
    private func server(
        port: UInt16? = nil,
        database: String? = nil,
        _ parameters: String = ""
    ) throws -> RecordServer {
        let shared = try #require(PostgreSQLServer.shared)
        let place = try #require(port ?? shared.ports.first)
        return try RecordServer(
            "postgres://\(shared.user):\(Self.encoded)@127.0.0.1:\(place)/\(database ?? shared.database)?\(parameters)"
        )
    }

    @Test("No error of a connection tells the password")
    func isInNoError() throws {
        let servers = [
            try server(port: 1), try server(database: "there_is_none"), try server("sslmode=\(Self.encoded)"),
            try server("options=\(Self.encoded)"), try server("application_name=a&gssencmode=\(Self.encoded)"),
        ]
        for server in servers {
            let error = try #require(throws: StoreError.self) {
                _ = try SQLStore(server: server, lease: .seconds(2), address: "a", host: "b", eventHistory: 10)
            }
            for text in [error.message, error.description, server.description, "\(server)"] {
                #expect(!text.contains(Self.secret))
                #expect(!text.contains(Self.encoded))
            }
        }
    }

    @Test("The server shows who is connected, without the password")
    func isNotShown() throws {
        let schema = PostgreSQLServer.randomSchema()
        let connection = try ServerConnection(server("schema=\(schema)"), for: .reading)
        defer { connection.close() }
        let shown = try #require(
            try connection.text("SELECT to_json(a)::text FROM pg_stat_activity a WHERE pid = pg_backend_pid()")
        )
        #expect(shown.contains("baton \(ServerConnection.hostName)"))
        #expect(!shown.contains(Self.secret))
    }
}
