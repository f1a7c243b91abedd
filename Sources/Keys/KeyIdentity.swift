@_spi(Baton) public import BatonZeroMQ

/// By what a coordinator recognizes the holder of a key; nobody can compute the secret from it.
@_spi(Baton) public enum KeyIdentity: Hashable, Sendable, CustomStringConvertible {
    /// The public half of a key for connections over ZeroMQ.
    case publicKey(CurvePublicKey)
    /// The hash of a token for HTTP.
    case token(BearerTokenHash)

    /// The start of a token's hash in the table of keys.
    private static let hashPrefix = "sha256:"

    /// The identity in the table of keys: a public key in Z85, or the hash of a token after `sha256:`.
    public var description: String {
        switch self {
        case .publicKey(let key): key.z85
        case .token(let hash): Self.hashPrefix + hash.description
        }
    }

    /// Reads an identity; nil for any other text.
    init?(_ text: String) {
        guard text.hasPrefix(Self.hashPrefix) else {
            guard let key = CurvePublicKey(z85: text) else { return nil }
            self = .publicKey(key)
            return
        }
        guard let hash = BearerTokenHash(text.dropFirst(Self.hashPrefix.count)) else { return nil }
        self = .token(hash)
    }

    /// Whether the key is for HTTP.
    public var isToken: Bool {
        switch self {
        case .publicKey: false
        case .token: true
        }
    }
}
