@_spi(Baton) import BatonDigests

/// The secret of a key for HTTP: 32 random bytes, which its holder sends in the header `Authorization: Bearer` (RFC 6750).
///
/// No description shows the secret; ``text`` does.
@_spi(Baton) public struct BearerToken: Sendable, CustomStringConvertible, CustomReflectable {
    private let bytes: [UInt8]

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Draws a token from the system's random numbers.
    public static func generate() -> BearerToken {
        var generator = SystemRandomNumberGenerator()
        return BearerToken(bytes: (0..<SHA256.length).map { _ in generator.next() })
    }

    /// Reads the text of a token; nil for any other text.
    public init?(_ text: some StringProtocol) {
        guard let bytes = Base64URL.decoded(text.utf8), bytes.count == SHA256.length else { return nil }
        self.bytes = bytes
    }

    /// The secret as 43 characters of letters, digits, `-` and `_`.
    public var text: String { Base64URL.encoded(bytes) }

    /// What a coordinator keeps of the token.
    public var hash: BearerTokenHash { BearerTokenHash(bytes: SHA256.digest(of: bytes)) }

    /// A text without the secret.
    public var description: String { "(a token)" }

    /// A mirror without the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The SHA-256 of a ``BearerToken``, by which a coordinator recognizes the token without being able to make it.
@_spi(Baton) public struct BearerTokenHash: Hashable, Sendable, CustomStringConvertible {
    private let bytes: [UInt8]

    fileprivate init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads the text of a hash; nil for any other text.
    init?(_ text: some StringProtocol) {
        guard let bytes = Base64URL.decoded(text.utf8), bytes.count == SHA256.length else { return nil }
        self.bytes = bytes
    }

    /// The hash as 43 characters of letters, digits, `-` and `_`.
    public var description: String { Base64URL.encoded(bytes) }

    /// Whether two hashes are equal, found in a time that says nothing about their bytes.
    public static func == (one: BearerTokenHash, other: BearerTokenHash) -> Bool {
        one.bytes.isEqualInConstantTime(to: other.bytes)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
