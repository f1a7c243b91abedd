@_spi(Baton) import BatonZeroMQ

@_spi(Baton) extension JoinToken {
    /// The most characters of a token.
    static let maximumLength = 1_024

    /// Reads a token; spaces and line ends around it do not matter.
    ///
    /// - Throws: `KeyError` with ``KeyError/Code/invalidToken`` and a sentence that holds nothing of the text.
    public init(_ text: some StringProtocol) throws(KeyError) {
        let trimmed = text.utf8.drop(while: Self.isBlank).reversed().drop(while: Self.isBlank).reversed()
        let bytes = try Self.content(of: Array(trimmed))
        self = try Self.token(of: bytes)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Returns the bytes of a token whose checksum is right.
    private static func content(of text: [UInt8]) throws(KeyError) -> ArraySlice<UInt8> {
        let family = Array("baton".utf8)
        guard !text.isEmpty else { throw .invalidToken("The token is empty.") }
        guard text.count <= maximumLength else { throw .invalidToken("The text is too long for a token.") }
        guard text.starts(with: prefix.utf8) else {
            let version = text.dropFirst(family.count).prefix { (0x30...0x39).contains($0) }
            let isOther =
                text.starts(with: family) && !version.isEmpty
                && text.dropFirst(family.count + version.count).first == UInt8(ascii: "-")
            guard !isOther else {
                throw KeyError(
                    .otherVersion,
                    "The token was made by another version of Baton, which this version cannot read."
                )
            }
            throw .invalidToken("The text is no token: it does not start with \(prefix).")
        }
        guard let bytes = Base64URL.decoded(text.dropFirst(prefix.utf8.count)) else {
            throw .invalidToken("The token has a character or an ending that no token has; it was not copied as it is.")
        }
        var end = ByteCursor(bytes.suffix(4))
        guard let checksum = end.number(UInt32.self), checksum == CRC32.checksum(of: bytes.dropLast(4)) else {
            throw .invalidToken("The token was not copied whole: its checksum is wrong.")
        }
        return bytes.dropLast(4)
    }

    private static func token(of content: ArraySlice<UInt8>) throws(KeyError) -> JoinToken {
        var cursor = ByteCursor(content)
        guard let server = cursor.bytes(32), let secret = cursor.bytes(32), let role = cursor.number(UInt8.self),
            let nameLength = cursor.number(UInt8.self), let name = cursor.bytes(Int(nameLength)),
            let addressLength = cursor.number(UInt16.self), let address = cursor.bytes(Int(addressLength)),
            cursor.isAtEnd, let serverKey = CurvePublicKey(bytes: server), let secretKey = CurveSecretKey(bytes: secret)
        else { throw .invalidToken("The token's content does not have the length that it says.") }
        guard let knownRole = Role(number: role) else {
            throw KeyError(.otherVersion, "The token has a role that this version of Baton does not know.")
        }
        guard let text = String(validating: name, as: UTF8.self), let keyName = KeyName(text) else {
            throw .invalidToken("The token's name is not valid: \(KeyName.rule).")
        }
        var serverAddress: ServerAddress?
        if !address.isEmpty {
            guard let text = String(validating: address, as: UTF8.self), let valid = ServerAddress(text) else {
                throw .invalidToken("The token's address is not valid: \(ServerAddress.rule).")
            }
            serverAddress = valid
        }
        return JoinToken(
            server: serverKey,
            secretKey: secretKey,
            role: knownRole,
            name: keyName,
            address: serverAddress
        )
    }
}

extension KeyError {
    /// A text that is no token.
    static func invalidToken(_ message: String) -> KeyError { KeyError(.invalidToken, message) }
}
