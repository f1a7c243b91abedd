/// Makes and judges the tokens of operations, with a secret that the key directory keeps.
///
/// Tokens survive a restart of the coordinator, and nothing is kept for any of them. A genuine token was made for its claim
/// once; whether the attempt still runs is for the caller to say.
@_spi(Baton) public struct OperationKeys: Sendable {
    private let secret: OperationSecret

    /// Keeps the codes apart from any other use of the secret.
    private static let purpose = Array("baton operation token 1".utf8)

    init(secret: OperationSecret) {
        self.secret = secret
    }

    /// Makes the token of an attempt; the same attempt always gets the same token.
    public func token(for claim: OperationClaim) -> OperationToken {
        OperationToken(claim: claim, code: code(of: claim))
    }

    /// Whether a token was made with this secret, found in a time that does not depend on the code.
    public func isGenuine(_ token: OperationToken) -> Bool {
        code(of: token.claim).isEqualInConstantTime(to: token.code)
    }

    private func code(of claim: OperationClaim) -> [UInt8] {
        HMAC.code(for: Self.purpose + claim.bytes, secret: secret.bytes)
    }
}
