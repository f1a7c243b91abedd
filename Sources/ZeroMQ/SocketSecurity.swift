/// The protection of a socket's connections: none, or encryption with proof of both ends' keys (CURVE, ZeroMQ RFC 26).
///
/// Two ends with different kinds of protection never get past their handshake; see ``HandshakeDiagnosis``.
@_spi(Baton) public enum SocketSecurity: Equatable, Sendable {
    /// Plain text, for any peer.
    ///
    /// A peer may claim any ``Message/userID`` in plain text.
    case none

    /// The end that checks the keys of its peers, usually the bound end.
    ///
    /// An ``Authenticator`` of the same context decides on each key. Without a living authenticator, the socket accepts
    /// no peer. The authenticator is told the domain, 1 to 255 bytes: libzmq admits any key for an empty domain, so that an
    /// empty domain is an error.
    case curveServer(secretKey: CurveSecretKey, domain: String)

    /// The client's end, with the server's public key and the client's own key pair.
    case curveClient(server: CurvePublicKey, key: CurveKeyPair)
}
