/// The text by which a running operation acts (`BATON_TOKEN`): a claim, and a code that only the coordinator can compute.
///
/// The form is `bt1-` and base64url of the claim (28 bytes) and the code (32). Whoever has the text can act as the
/// operation, so no description shows it. A read token claims, and ``OperationKeys/isGenuine(_:)`` judges.
@_spi(Baton) public struct OperationToken: Hashable, Sendable {
    /// What the token claims.
    public let claim: OperationClaim
    /// The code over the claim.
    let code: [UInt8]

    /// The beginning of every token.
    public static let prefix = "bt1-"

    init(claim: OperationClaim, code: [UInt8]) {
        self.claim = claim
        self.code = code
    }

    /// Reads a token.
    ///
    /// - Throws: `KeyError` with ``KeyError/Code/invalidToken`` and a sentence that holds nothing of the text.
    public init(_ text: some StringProtocol) throws(KeyError) {
        guard !text.isEmpty else { throw .invalidToken("The operation's token is empty.") }
        guard text.utf8.starts(with: Self.prefix.utf8) else {
            throw .invalidToken("The text is no token of an operation: such a token starts with \(Self.prefix)")
        }
        guard text.utf8.count <= 200, let bytes = Base64URL.decoded(text.utf8.dropFirst(Self.prefix.utf8.count)) else {
            throw .invalidToken("The operation's token has a character or a length that no token has.")
        }
        guard bytes.count == OperationClaim.length + SHA256.length,
            let claim = OperationClaim(bytes: bytes.prefix(OperationClaim.length))
        else { throw .invalidToken("The operation's token does not have the length of a token.") }
        self.init(claim: claim, code: Array(bytes.suffix(SHA256.length)))
    }

    /// The token as a word, which is a secret.
    public var text: String { Self.prefix + Base64URL.encoded(claim.bytes + code) }
}

@_spi(Baton) extension OperationToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The claim, without the secret.
    public var description: String { "(a token of operation \(claim))" }

    /// The claim, without the secret.
    public var debugDescription: String { description }

    /// The claim, without the secret.
    public var customMirror: Mirror { Mirror(self, children: ["claim": claim]) }
}
