@_spi(Baton) import BatonZeroMQ

@_spi(Baton) extension CoordinatorKeys {
    /// The first line; another form has another number.
    private static let header = "baton-coordinator-keys 1"
    private static let serverHead = "server "
    private static let secretHead = "operations "
    private static let tokenHead = "token "
    /// The line before the table.
    private static let tableHead = "table"

    /// The keys as the answer of a coordinator, which is a secret: the header, a line for each secret, and the table behind a line of its
    /// own.
    public func encoded() -> [UInt8] {
        var lines = [
            Self.header, Self.serverHead + key.secretKey.z85, Self.secretHead + Base64URL.encoded(secret.bytes),
        ]
        lines += tokens.map { Self.tokenHead + $0.text }
        lines += [Self.tableHead, table.text]
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// Reads the answer of a coordinator.
    ///
    /// - Throws: `KeyError` with ``KeyError/Code/malformed``, ``KeyError/Code/otherVersion`` or the codes of its parts, and a sentence
    ///   that holds nothing of the answer.
    public init(decoding bytes: [UInt8]) throws(KeyError) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .unreadableAnswer("it is no text") }
        var lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { String($0) ?? "" }[...]
        let first = lines.popFirst() ?? ""
        guard first == Self.header else {
            guard first.hasPrefix("baton-coordinator-keys ") else {
                throw .unreadableAnswer("its first line is another one")
            }
            throw KeyError(
                .otherVersion,
                "The coordinator's keys come from another version of Baton, which this one cannot read."
            )
        }
        guard let server = lines.popFirst(), server.hasPrefix(Self.serverHead),
            let secretKey = CurveSecretKey(z85: String(server.dropFirst(Self.serverHead.count)))
        else { throw .unreadableAnswer("the coordinator's secret key is not valid") }
        guard let operations = lines.popFirst(), operations.hasPrefix(Self.secretHead),
            let secretBytes = Base64URL.decoded(operations.dropFirst(Self.secretHead.count).utf8),
            let secret = OperationSecret(bytes: secretBytes)
        else { throw .unreadableAnswer("the secret of operations is not valid") }
        let key = try CurveKeyPair.completed(secretKey)
        var tokens: [JoinToken] = []
        while let line = lines.first, line.hasPrefix(Self.tokenHead) {
            let token = try JoinToken(line.dropFirst(Self.tokenHead.count))
            guard token.server == key.publicKey else {
                throw .unreadableAnswer("one of its keys is for another coordinator")
            }
            tokens.append(token)
            lines.removeFirst()
        }
        guard lines.popFirst() == Self.tableHead else { throw .unreadableAnswer("it has no table of keys") }
        let table = try KeyTable(text: lines.joined(separator: "\n"), path: "the table of the coordinator's answer")
        self.init(key: key, secret: secret, tokens: tokens, table: table)
    }
}

extension KeyError {
    /// An answer that has not the form of a coordinator's keys.
    fileprivate static func unreadableAnswer(_ what: String) -> KeyError {
        KeyError(.malformed, "The coordinator's answer has no keys that can be read: \(what).")
    }
}
