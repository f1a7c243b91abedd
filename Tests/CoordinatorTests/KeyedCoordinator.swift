import Foundation
import Testing
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A coordinator with keys, in the process of the test.
final class KeyedCoordinator {
    let keys: KeyDirectory
    private var harness: Harness

    init() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let keys = KeyDirectory(home: directory.path)
        self.keys = keys
        harness = try Harness(directory: directory) { $0.keys = keys }
    }

    deinit { harness.remove() }

    /// The directory of the record and of the keys.
    var directory: URL { harness.directory }

    /// Stops the coordinator, and starts another one with the same keys and record at another address.
    ///
    /// - Parameter change: what happens in between.
    func restart(after change: () throws -> Void = {}) throws {
        try harness.stop()
        try change()
        let (directory, keys) = (harness.directory, keys)
        harness = try Harness(directory: directory) { $0.keys = keys }
    }

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

    /// Connects with the transport key of a token, and says hello with its proof.
    func connect(_ token: OperationToken, routingID: RoutingID? = nil) throws -> Peer {
        let peer = try connectSilently(token, routingID: routingID)
        guard case .welcome? = try peer.greet(with: token.proof) else { throw Unexpected(answer: "no welcome") }
        return peer
    }

    /// Connects with the transport key of a token, and says nothing.
    func connectSilently(_ token: OperationToken, routingID: RoutingID? = nil) throws -> Peer {
        try Peer(endpoint, security: try Credential.operation(token).security(), routingID: routingID)
    }

    static func security(of token: JoinToken) throws -> SocketSecurity {
        .curveClient(server: token.server, key: try token.keyPair())
    }
}

extension Peer {
    /// Says hello as a client, and returns the answer.
    func greet(with proof: OperationProof? = nil, protocols: ProtocolRange = .own) throws -> ClientReply? {
        let secret = proof.map { Secret($0.bytes) }
        try send(ClientMessage.hello(protocols, version: "test", proof: secret).encoded())
        return try receiveAsClient()
    }

    /// The coordinator's next message to a client.
    func receiveAsClient(within limit: Duration = Peer.patience) throws -> ClientReply? {
        try receive(within: limit)?.withUnsafeBytes { try ClientReply(decoding: $0) }
    }
}
