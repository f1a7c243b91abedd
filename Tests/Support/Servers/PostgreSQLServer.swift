import Foundation
@_spi(Baton) package import BatonStore

/// The PostgreSQL server of the tests, if PostgreSQL is installed.
///
/// `scripts/test` starts a server if PostgreSQL is installed, and sets `BATON_TEST_POSTGRES` to the address of the server in the form of
/// `--store`. The role of the address may make schemas and end its own sessions. Each test has a schema of its own.
package enum PostgreSQLServer {
    /// The variable with the address.
    package static let variable = "BATON_TEST_POSTGRES"

    /// The address of the server; nil without one.
    package static let address = ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }

    /// The record in the default schema of the server; nil without a server, or if its address is malformed.
    package static let shared: RecordServer? = address.flatMap { try? RecordServer($0) }

    /// Whether there is a server.
    package static var isThere: Bool { shared != nil }

    /// A record in a schema that no other test has, at the server or at a relay to it; nil without a server.
    ///
    /// - Parameter port: the port of the relay, on this host; nil for the server itself.
    package static func record(throughPort port: UInt16? = nil) -> RecordServer? {
        guard let shared, let address else { return nil }
        return try? RecordServer(place(of: shared, address, throughPort: port) + "schema=" + randomSchema())
    }

    /// The same record as seen through a relay.
    package static func record(_ server: RecordServer, throughPort port: UInt16) -> RecordServer? {
        guard let address else { return nil }
        return try? RecordServer(place(of: server, address, throughPort: port) + "schema=" + server.schema)
    }

    /// The name of a schema that no other test has.
    package static func randomSchema() -> String {
        "baton_test_" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    }

    /// The address up to its parameters, of which the schema is to be the next.
    private static func place(of server: RecordServer, _ address: String, throughPort port: UInt16?) -> String {
        let password = server.password.map { ":" + escaped($0) } ?? ""
        guard let port else { return address + (address.contains("?") ? "&" : "?") }
        return "postgres://\(escaped(server.user))\(password)@127.0.0.1:\(port)/\(escaped(server.database))?"
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
}
