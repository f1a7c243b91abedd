@_spi(Baton) import BatonZeroMQ

/// The keys with which a worker makes the tokens of its operations, without asking the coordinator.
///
/// The coordinator sends the bytes to the worker. The code of another worker's operation cannot be made with them. No
/// description shows them.
@_spi(Baton) public struct OperationIssuer: Sendable, CustomStringConvertible, CustomReflectable {
    private let server: CurvePublicKey
    private let transportKey: CurveSecretKey
    private let secret: [UInt8]

    /// Keeps the codes apart from any other use of the secret.
    private static let purpose = Array("baton operation token 1".utf8)

    init(server: CurvePublicKey, transportKey: CurveSecretKey, secret: [UInt8]) {
        self.server = server
        self.transportKey = transportKey
        self.secret = secret
    }

    /// Reads what ``bytes`` has written; nil for any other number of bytes.
    public init?(bytes: [UInt8]) {
        var cursor = ByteCursor(bytes)
        guard let server = cursor.bytes(32).flatMap({ CurvePublicKey(bytes: $0) }),
            let transportKey = cursor.bytes(32).flatMap({ CurveSecretKey(bytes: $0) }),
            let secret = cursor.bytes(SHA256.length), cursor.isAtEnd
        else { return nil }
        self.init(server: server, transportKey: transportKey, secret: Array(secret))
    }

    /// The keys in order, which are a secret.
    public var bytes: [UInt8] { server.bytes + transportKey.bytes + secret }

    /// Makes the token of an attempt; the same attempt always gets the same token.
    ///
    /// - Parameter claim: an attempt on the worker to which the keys belong.
    public func token(for claim: OperationClaim) -> OperationToken {
        OperationToken(
            server: server,
            transportKey: transportKey,
            proof: OperationProof(claim: claim, code: Self.code(of: claim, secret))
        )
    }

    static func code(of claim: OperationClaim, _ secret: [UInt8]) -> [UInt8] {
        HMAC.code(for: purpose + claim.bytes, secret: secret)
    }

    /// The words "(keys of operations)".
    public var description: String { "(keys of operations)" }

    /// A mirror without the keys.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
