@_spi(Baton) import BatonDigests
@_spi(Baton) import BatonZeroMQ

/// The keys with which a worker makes the tokens of its operations, without asking the coordinator.
///
/// The coordinator sends the bytes to the worker. The code of another worker's operation cannot be made with them. No
/// description shows them.
@_spi(Baton) public struct OperationIssuer: Sendable, CustomStringConvertible, CustomReflectable {
    private let server: CurvePublicKey
    private let transportKey: CurveSecretKey
    private let secret: [UInt8]
    /// The codes of the secret.
    private let codes: HMAC
    /// The text that all tokens begin with.
    private let head: [UInt8]
    /// The bytes of the keys behind those of the head, which share their characters with the claim.
    private let keysBehindHead: [UInt8]

    /// Keeps the codes apart from any other use of the secret.
    private static let purpose = Array("baton operation token 1".utf8)

    init(server: CurvePublicKey, transportKey: CurveSecretKey, secret: [UInt8]) {
        self.server = server
        self.transportKey = transportKey
        self.secret = secret
        codes = HMAC(secret: secret)
        let keys = server.bytes + transportKey.bytes
        // Three bytes make four characters.
        let whole = keys.count - keys.count % 3
        head = Array(OperationToken.prefix.utf8) + keys[..<whole].withUnsafeBytes { Base64URL.characters(of: $0) }
        keysBehindHead = Array(keys[whole...])
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
        let code = Self.code(of: claim, with: codes)
        return OperationToken(
            server: server,
            transportKey: transportKey,
            proof: OperationProof(claim: claim, code: code)
        )
    }

    /// Makes the text of an attempt's token in UTF-8: that of ``token(for:)``, at a small part of its cost.
    ///
    /// - Parameter claim: an attempt on the worker to which the keys belong.
    public func text(for claim: OperationClaim) -> [UInt8] {
        // Each attempt has a token: whatever is not the text itself is on the stack.
        let claimStart = keysBehindHead.count
        let codeStart = claimStart + OperationClaim.length
        return withUnsafeTemporaryAllocation(byteCount: codeStart + SHA256.length, alignment: 1) { bytes in
            keysBehindHead.withUnsafeBytes { bytes.copyMemory(from: $0) }
            claim.write(to: bytes, at: claimStart)
            let code = UnsafeMutableRawBufferPointer(rebasing: bytes[codeStart...])
            Self.writeCode(of: claim, with: codes, to: code)
            return Base64URL.characters(of: UnsafeRawBufferPointer(bytes), behind: head)
        }
    }

    /// Computes the code over a claim.
    static func code(of claim: OperationClaim, with codes: HMAC) -> [UInt8] {
        [UInt8](count: SHA256.length) { writeCode(of: claim, with: codes, to: $0) }
    }

    private static func writeCode(
        of claim: OperationClaim,
        with codes: HMAC,
        to code: UnsafeMutableRawBufferPointer
    ) {
        let length = purpose.count + OperationClaim.length
        withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { message in
            purpose.withUnsafeBytes { message.copyMemory(from: $0) }
            claim.write(to: message, at: purpose.count)
            codes.writeCode(for: UnsafeRawBufferPointer(message), to: code)
        }
    }

    /// The words "(keys of operations)".
    public var description: String { "(keys of operations)" }

    /// A mirror without the keys.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
