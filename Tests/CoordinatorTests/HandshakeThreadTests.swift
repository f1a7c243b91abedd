import Foundation
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

@Suite("Handshakes while the record is read", .timeLimit(.minutes(60)))
struct HandshakeThreadTests {
    /// A socket that connects with a key, in a context of its own, and the events of its connection.
    private struct Client {
        let socket: Socket
        let monitor: SocketMonitor

        init(to endpoint: String, _ security: SocketSecurity) throws {
            var options = SocketOptions()
            options.security = security
            socket = try Socket(.dealer, in: try Context(), options: options)
            monitor = try SocketMonitor(of: socket)
            try socket.connect(endpoint)
        }

        /// Whether the server has admitted the key, as far as events have come.
        func isAdmitted() throws -> Bool {
            while let event = try monitor.next() {
                if event.kind == .handshakeSucceeded { return true }
            }
            return false
        }
    }

    // A client took a coordinator that read a large record for a stopped process, and gave up.
    @Test("D14 Handshakes are answered while the coordinator's thread does something else, and then by that thread")
    func answers() throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: home) }
        let directory = KeyDirectory(home: home.path)
        let name = try #require(KeyName("laptop"))
        let security = try KeyedCoordinator.security(
            of: directory.authorize(name, role: .client, address: nil, at: 0)
        )
        let context = try Context()
        defer { context.terminate() }
        let now = Timestamp(rawValue: 1_000_000_000)
        let gate = try Gate(directory, in: context, Logger(label: "coordinator", level: .critical), at: now)
        defer { gate.authenticator.close() }
        var settings = SocketOptions()
        settings.security = gate.security
        let server = try Socket(.router, in: context, options: settings)
        defer { server.close() }
        try server.bind("tcp://127.0.0.1:*")
        let endpoint = try server.lastEndpoint

        let started = HandshakeThread(gate, at: now)
        let thread = try #require(started)
        let first = try Client(to: endpoint, security)
        defer { first.socket.close() }
        let events = Poller()
        _ = events.add(first.monitor)
        while try !first.isAdmitted() { try events.poll() }
        thread.end()
        thread.end()

        let second = try Client(to: endpoint, security)
        defer { second.socket.close() }
        let both = Poller()
        _ = both.add(second.monitor)
        _ = both.add(gate.authenticator)
        while try !second.isAdmitted() {
            try both.poll()
            try gate.answerHandshakes(at: now)
        }
    }
}
