@_spi(Baton) public import BatonZeroMQ

/// The text by which a running operation acts (`BATON_TOKEN`): all that a program needs to reach the coordinator as the operation.
///
/// The form is `bt1-` and base64url of: the server's public key (32 bytes), the secret key of the operations' transport (32),
/// the claim (36) and the code (32). Whoever has the text can act as the operation, so no description shows it.
@_spi(Baton) public struct OperationToken: Equatable, Sendable {
    /// The key that proves the server.
    public let server: CurvePublicKey
    /// The key that carries the connections of all operations, and permits nothing by itself.
    let transportKey: CurveSecretKey
    /// What the operation claims, with the code for the coordinator.
    public let proof: OperationProof

    /// The beginning of every token.
    public static let prefix = "bt1-"

    /// The most characters of a token, beyond which a text is not looked at.
    private static let maximumLength = 300

    init(server: CurvePublicKey, transportKey: CurveSecretKey, proof: OperationProof) {
        self.server = server
        self.transportKey = transportKey
        self.proof = proof
    }

    /// Reads a token.
    ///
    /// - Throws: `KeyError` with ``KeyError/Code/invalidToken`` and a sentence that holds nothing of the text.
    public init(_ text: some StringProtocol) throws(KeyError) {
        guard !text.isEmpty else { throw .invalidToken("The operation's token is empty.") }
        guard text.utf8.starts(with: Self.prefix.utf8) else {
            throw .invalidToken("The text is no token of an operation: it does not start with \(Self.prefix).")
        }
        guard text.utf8.count <= Self.maximumLength,
            let bytes = Base64URL.decoded(text.utf8.dropFirst(Self.prefix.utf8.count))
        else { throw .invalidToken("The operation's token has a character or a length that no token has.") }
        var cursor = ByteCursor(bytes)
        guard let server = cursor.bytes(32).flatMap({ CurvePublicKey(bytes: $0) }),
            let transportKey = cursor.bytes(32).flatMap({ CurveSecretKey(bytes: $0) }),
            let proof = cursor.bytes(OperationProof.length).flatMap({ OperationProof(bytes: $0) }), cursor.isAtEnd
        else { throw .invalidToken("The operation's token does not have the length of a token.") }
        self.init(server: server, transportKey: transportKey, proof: proof)
    }

    /// The token as a word, which is a secret.
    public var text: String { Self.prefix + Base64URL.encoded(server.bytes + transportKey.bytes + proof.bytes) }

    /// Both halves of the key that carries the connection.
    ///
    /// - Throws: `KeyError` with ``KeyError/Code/unsupported`` if libzmq was built without CURVE.
    public func keyPair() throws(KeyError) -> CurveKeyPair { try .completed(transportKey) }
}

@_spi(Baton) extension OperationToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The claim, without the secrets.
    public var description: String { "(a token of operation \(proof.claim))" }

    /// The claim, without the secrets.
    public var debugDescription: String { description }

    /// The claim, without the secrets.
    public var customMirror: Mirror { Mirror(self, children: ["claim": proof.claim]) }
}
