@_spi(Baton) import BatonDigests

/// A claim with a code that only the coordinator and the claimed worker can compute.
///
/// A read proof only claims, and ``OperationKeys/isGenuine(_:)`` judges. Whoever has the bytes can act as the operation, so
/// no description shows the code.
@_spi(Baton) public struct OperationProof: Hashable, Sendable {
    /// What the proof claims.
    public let claim: OperationClaim
    /// The code over the claim.
    let code: [UInt8]

    /// The number of bytes of ``bytes``.
    static let length = OperationClaim.length + SHA256.length

    init(claim: OperationClaim, code: [UInt8]) {
        self.claim = claim
        self.code = code
    }

    /// Reads what ``bytes`` has written; nil for any other number of bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length, let claim = OperationClaim(bytes: bytes.prefix(OperationClaim.length)) else {
            return nil
        }
        self.init(claim: claim, code: Array(bytes.suffix(SHA256.length)))
    }

    /// The claim and the code, which are a secret.
    public var bytes: [UInt8] { claim.bytes + code }
}

@_spi(Baton) extension OperationProof: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The claim, without the code.
    public var description: String { "(a proof of operation \(claim))" }

    /// The claim, without the code.
    public var debugDescription: String { description }

    /// The claim, without the code.
    public var customMirror: Mirror { Mirror(self, children: ["claim": claim]) }
}
