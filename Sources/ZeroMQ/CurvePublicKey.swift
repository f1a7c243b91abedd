/// The public half of a CURVE key, which names a peer and may be shown to everybody.
///
/// Any 32 bytes are a public key in form. A peer with an unusable key fails in its handshake.
@_spi(Baton) public struct CurvePublicKey: Hashable, Sendable {
    let content: CurveBytes

    /// Takes over 32 bytes; nil for any other number of bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard let content = CurveBytes(bytes) else { return nil }
        self.content = content
    }

    /// Reads a key of 40 characters in Z85 (ZeroMQ RFC 32); nil for any other text.
    public init?(z85 text: String) {
        guard let content = CurveBytes(z85: text) else { return nil }
        self.content = content
    }

    /// A copy of the 32 bytes.
    public var bytes: [UInt8] { content.withUnsafeBytes { Array($0) } }

    /// The key as 40 characters of Z85, some of which are special characters of shells.
    public var z85: String { content.z85 }
}

@_spi(Baton) extension CurvePublicKey: CustomStringConvertible {
    /// The key in Z85.
    public var description: String { z85 }
}
