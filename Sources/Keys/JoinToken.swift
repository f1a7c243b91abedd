@_spi(Baton) public import BatonZeroMQ

/// A line of text that admits its holder to a server, made of the server's public key, a secret key and the key's role.
///
/// The form is `baton1-` and base64url of: the server's public key (32 bytes), the secret key (32), the role (1), the length
/// of the name (1) and the name, the length of the address (2, the high byte first; 0 for none) and the address, and the
/// CRC-32 of the bytes before it (4). A change of the form changes the prefix.
@_spi(Baton) public struct JoinToken: Equatable, Sendable {
    /// The key that proves the server.
    public let server: CurvePublicKey
    /// The key that admits the holder.
    public let secretKey: CurveSecretKey
    /// What the holder may do.
    public let role: Role
    /// The name of the key at the server.
    public let name: KeyName
    /// Where the server listens, or, with commas between them, where servers listen that stand in for each other; nil for a token that
    /// does not say.
    public let address: ServerAddress?

    /// Puts a token together.
    public init(
        server: CurvePublicKey,
        secretKey: CurveSecretKey,
        role: Role,
        name: KeyName,
        address: ServerAddress? = nil
    ) {
        self.server = server
        self.secretKey = secretKey
        self.role = role
        self.name = name
        self.address = address
    }

    /// The beginning of every token.
    public static let prefix = "baton1-"

    /// The token as a line, which is a secret.
    public var text: String {
        var bytes = server.bytes + secretKey.bytes
        bytes.append(role.number)
        bytes.append(UInt8(name.text.utf8.count))
        bytes.append(contentsOf: name.text.utf8)
        bytes.appendBigEndian(UInt16(address?.text.utf8.count ?? 0))
        bytes.append(contentsOf: (address?.text ?? "").utf8)
        bytes.appendBigEndian(CRC32.checksum(of: bytes))
        return Self.prefix + Base64URL.encoded(bytes)
    }
}

@_spi(Baton) extension JoinToken: CustomStringConvertible, CustomDebugStringConvertible {
    /// The role and name, without the secret.
    public var description: String { "(a join token of the \(role) key \(name))" }

    /// The role and name, without the secret.
    public var debugDescription: String { description }
}
