@_spi(Baton) package import BatonZeroMQ
import Synchronization

/// The keys of a server in a test: its own, and the keys that it admits.
package final class KeyedServer: Sendable {
    private let key: CurveKeyPair
    private let state = Mutex(State())

    private struct State {
        var known: Set<CurvePublicKey> = []
        var areRevoked = false
        var refusals = 0
    }

    /// Makes a server with a new key, which admits nobody.
    package init() throws {
        key = try CurveKeyPair.generate()
    }

    /// The protection of the server's socket.
    package var security: SocketSecurity { .curveServer(secretKey: key.secretKey, domain: "tests") }

    /// The protection of a peer whose key the server admits.
    package func admittedPeer() throws -> SocketSecurity {
        let peer = try CurveKeyPair.generate()
        state.withLock { _ = $0.known.insert(peer.publicKey) }
        return .curveClient(server: key.publicKey, key: peer)
    }

    /// The protection of a peer whose key the server does not know.
    package func unknownPeer() throws -> SocketSecurity {
        .curveClient(server: key.publicKey, key: try CurveKeyPair.generate())
    }

    /// Whether the server refuses the keys that it admitted before.
    package var areRevoked: Bool {
        get { state.withLock { $0.areRevoked } }
        set { state.withLock { $0.areRevoked = newValue } }
    }

    /// How many handshakes the server has refused so far.
    package var refusals: Int { state.withLock { $0.refusals } }

    /// Decides on the waiting handshakes.
    package func answer(_ authenticator: Authenticator) throws {
        try authenticator.answerPending { request in
            state.withLock { state in
                if !state.areRevoked, state.known.contains(request.key) { return .accepted(userID: "1") }
                state.refusals += 1
                return .refused
            }
        }
    }
}
