@_spi(Baton) public import BatonZeroMQ

/// The means by which a process is admitted to a coordinator: a key of its own, or the token of the operation that it belongs to.
@_spi(Baton) public enum Credential: Equatable, Sendable {
    /// A key of its own.
    case key(JoinToken)
    /// The token of a running operation.
    ///
    /// The protection of the connection alone permits nothing: the hello has to carry the token's proof.
    case operation(OperationToken)

    /// The protection of a connection to the coordinator.
    ///
    /// - Throws: `KeyError` with ``KeyError/Code/unsupported`` if libzmq was built without CURVE.
    public func security() throws(KeyError) -> SocketSecurity {
        switch self {
        case .key(let token): .curveClient(server: token.server, key: try token.keyPair())
        case .operation(let token): .curveClient(server: token.server, key: try token.keyPair())
        }
    }
}
