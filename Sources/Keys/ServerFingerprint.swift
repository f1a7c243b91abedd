@_spi(Baton) import BatonDigests
@_spi(Baton) public import BatonZeroMQ

/// A short name of a server's public key: 16 hexadecimal digits of its SHA-256, for file names and people.
///
/// It proves nothing: whoever finds a file by it compares the whole key.
@_spi(Baton) public struct ServerFingerprint: Hashable, Sendable, CustomStringConvertible {
    /// The digits.
    public let description: String

    /// Computes the fingerprint of a key.
    public init(_ key: CurvePublicKey) {
        description = SHA256.digest(of: key.bytes).prefix(8)
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
