import Testing

@_spi(Baton) @testable import BatonStore

@Suite("The names of records")
struct RecordServerTests {
    private func server(_ text: String) throws -> RecordServer {
        guard case .server(let server) = try RecordPlace(text) else { throw NotAServer() }
        return server
    }

    private struct NotAServer: Error {}

    @Test(
        "What is no address of a database is a path",
        arguments: ["baton.db", "/var/lib/baton/baton.db", "./a:b/c", ":memory:", "a//b", "9://x", "://x", ""]
    )
    func paths(_ text: String) throws {
        #expect(try RecordPlace(text) == .file(text))
        #expect(try RecordPlace(text).shown == text)
    }

    @Test("An address has users, hosts with their ports, a database and a schema")
    func parts() throws {
        let server = try server(
            "postgres://ba%20ton:s%3Acret@h1:5433,[::1],%2Ftmp%2Fpg:5434/the%2Fdb?schema=own_1&sslmode=require"
        )
        #expect(server.user == "ba ton" && server.password == "s:cret")
        #expect(server.hosts == ["h1", "::1", "/tmp/pg"] && server.ports == [5433, 5432, 5434])
        #expect(server.database == "the/db" && server.schema == "own_1")
        #expect(server.parameters == ["sslmode": "require"])
        #expect(
            server.description == "postgres://ba%20ton@h1:5433,[::1]:5432,%2Ftmp%2Fpg:5434/the%2Fdb?schema=own_1"
        )
    }

    @Test(
        "The address for people names the same record, without the password",
        arguments: [
            "postgres://u:secret@h/db", "postgresql://u:secret@h:1,i:2/db?schema=x", "postgres://u:s@e@h/db",
            "POSTGRES://u:secret@[::1]:7/d%25b?connect_timeout=9", "postgres://u@/db?host=a,b&port=1,2&password=secret",
            "postgres://u:secret@:77/db", "postgres:///db?user=u&password=secret",
        ]
    )
    func shown(_ text: String) throws {
        let (given, shown) = (try server(text), try server(try server(text).description))
        #expect(shown.description == given.description)
        #expect(shown.hosts == given.hosts && shown.ports == given.ports && shown.user == given.user)
        #expect(shown.database == given.database && shown.schema == given.schema)
        #expect(given.password != nil && shown.password == nil)
        let texts = [given.description, "\(given)", String(reflecting: given), "\(try RecordPlace(text))"]
        for text in texts { #expect(!text.contains("secret") && !text.contains("s@e"), "\(text)") }
    }

    @Test("One port is that of all hosts, and a host without a port has the usual one")
    func ports() throws {
        #expect(try server("postgres://u@a,b/db?port=7").ports == [7, 7])
        #expect(try server("postgres://u@a,b:8/db").ports == [5432, 8])
        #expect(try server("postgres:///db").hosts.isEmpty)
        #expect(try server("postgres://u@:9/db").ports == [9])
    }

    @Test(
        "A malformed address is refused in a sentence that repeats nothing of it",
        arguments: [
            "postgres://u:sec/ret@h/db", "postgres://u:secret@h:port/db", "postgres://u:secret@h:70000/db",
            "postgres://u:secret%2@h/db", "postgres://u:secret%zz@h/db", "postgres://u:secret@[::1/db",
            "postgres://u:secret@[::1]7/db", "postgres://u:secret@h/db?schema=Secret",
            "postgres://u:secret@h/db?schema=",
            "postgres://u:secret@h/db?schema=1x", "postgres://u:secret@h/db?secret",
            "postgres://u:secret@h,i/db?port=1,2,3",
            "postgres://u:secret@h/db?schema=a;drop", "postgres://u:secret@h/d%00b", "postgres://u:secret%ff@h/db",
            "postgres://u:secret@h/db?Secret=1", "mysql://u:secret@h/db", "sqlite://secret", "http://u:secret@h",
        ]
    )
    func malformed(_ text: String) throws {
        let error = try #require(throws: StoreError.self) { try RecordPlace(text) }
        #expect(error.code == .notAccessible)
        #expect(error.message.contains("postgres://USER@HOST:PORT/DATABASE"), "\(error)")
        #expect(!error.message.lowercased().contains("secret") && !error.message.contains("ret@"), "\(error)")
    }

    @Test("What the library is given has short times, and what the address says goes before")
    func parametersOfConnections() throws {
        let server = try server(
            "postgres://u:secret@a:1,b:2/db?connect_timeout=9&client_encoding=LATIN1&sslmode=require"
        )
        let parameters = server.connectionParameters(lease: .milliseconds(2500), host: "here")
        let values = Dictionary(parameters.map { ($0.name, $0.value) }) { first, _ in
            Issue.record("\(first) is given twice")
            return first
        }
        #expect(values["host"] == "a,b" && values["port"] == "1,2" && values["user"] == "u" && values["dbname"] == "db")
        #expect(values["password"] == "secret" && values["connect_timeout"] == "9" && values["sslmode"] == "require")
        #expect(values["tcp_user_timeout"] == "2500" && values["target_session_attrs"] == "read-write")
        #expect(values["application_name"] == "baton here" && values["client_encoding"] == "UTF8")
        #expect(values["keepalives_idle"] == "1" && values["keepalives_count"] == "2")
        let reading = server.connectionParameters(lease: nil, host: "here")
        #expect(!reading.contains { $0.name == "tcp_user_timeout" })
        for (place, expected) in [("a", "1"), ("b", "2")].enumerated() {
            let parameters = server.connectionParameters(lease: nil, host: "here", place: place)
            #expect(parameters.filter { $0.name == "host" }.map(\.value) == [expected.0])
            #expect(parameters.filter { $0.name == "port" }.map(\.value) == [expected.1])
            #expect(parameters.count == reading.count)
        }
    }

    @Test("A message loses the password in either spelling")
    func withoutPassword() throws {
        let server = try server("postgres://u:p%40ss%2Fword@h/db")
        let text = "connection to p@ss/word or p%40ss%2Fword failed: p@ss/wor"
        #expect(server.withoutPassword(text) == "connection to *** or *** failed: p@ss/wor")
        #expect(try self.server("postgres://u@h/db").withoutPassword(text) == text)
    }
}
