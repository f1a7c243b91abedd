import Foundation
import Testing
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A coordinator in this process that admits peers by their keys.
final class KeyedCoordinator {
    let keys: KeyDirectory
    private let harness: Harness

    init() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let keys = KeyDirectory(home: directory.path)
        self.keys = keys
        harness = try Harness(directory: directory) { $0.keys = keys }
    }

    deinit { harness.remove() }

    var endpoint: String { harness.server.endpoint }

    func stop() throws { try harness.stop() }

    /// Makes a key.
    func authorize(_ name: String, _ role: Role) throws -> JoinToken {
        try keys.authorize(try #require(KeyName(name)), role: role, address: nil, at: 0)
    }

    func revoke(_ token: JoinToken) throws { try keys.revoke(token.name, at: 1) }

    /// Connects with a key.
    func connect(_ token: JoinToken, routingID: RoutingID? = nil) throws -> Peer {
        try Peer(endpoint, security: try Self.security(of: token), routingID: routingID)
    }

    /// Connects with a new key.
    func connect(as role: Role) throws -> Peer { try connect(authorize("\(role)-\(UUID().uuidString)", role)) }

    static func security(of token: JoinToken) throws -> SocketSecurity {
        .curveClient(server: token.server, key: try token.keyPair())
    }
}

extension Peer {
    /// The coordinator's next message to a client.
    func receiveAsClient(within limit: Duration = .seconds(20)) throws -> ClientReply? {
        try receive(within: limit)?.withUnsafeBytes { try ClientReply(decoding: $0) }
    }
}
