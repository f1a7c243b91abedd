@_spi(Baton) import BatonZeroMQ

extension KeyFolder {
    /// The file of the table.
    static var tableName: String { "authorized" }

    private static var serverHeader: String { "baton-server-key 1 " }
    private static var operationsHeader: String { "baton-operations-secret 1 " }
    private static var addressHeader: String { "baton-address 1 " }

    /// The coordinator's key; nil if there is none.
    func serverKey() throws(KeyError) -> CurveKeyPair? {
        guard let text = try line("server", after: Self.serverHeader) else { return nil }
        guard let secret = CurveSecretKey(z85: text) else {
            throw .malformed(path(of: "server"), line: 1, "the secret key is not valid")
        }
        return try CurveKeyPair.completed(secret)
    }

    func write(server key: CurveSecretKey) throws(KeyError) {
        try write("server", line: Self.serverHeader + key.z85)
    }

    /// The secret of operations; nil if there is none.
    func operationSecret() throws(KeyError) -> OperationSecret? {
        guard let text = try line("operations", after: Self.operationsHeader) else { return nil }
        guard let bytes = Base64URL.decoded(text.utf8), let secret = OperationSecret(bytes: bytes) else {
            throw .malformed(path(of: "operations"), line: 1, "the secret is not valid")
        }
        return secret
    }

    func write(operations secret: OperationSecret) throws(KeyError) {
        try write("operations", line: Self.operationsHeader + Base64URL.encoded(secret.bytes))
    }

    /// The table of keys; nil if there is none.
    func table() throws(KeyError) -> KeyTable? {
        guard let bytes = try read(Self.tableName) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed(path(of: Self.tableName), "it is no text")
        }
        return try KeyTable(text: text, path: path(of: Self.tableName))
    }

    func write(_ table: KeyTable) throws(KeyError) {
        try write(Self.tableName, Array(table.text.utf8))
    }

    /// This home's key of a role at a server; nil if there is none.
    func token(server: CurvePublicKey, role: Role) throws(KeyError) -> JoinToken? {
        try token(inFile: Self.name(server: server, role: role))
    }

    /// The key in a file of a home's key at a server; nil for a missing file, and for a file of another kind.
    func token(inFile name: String) throws(KeyError) -> JoinToken? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let role = Role(rawValue: String(parts[1])), parts[0].utf8.count == 16 else {
            return nil
        }
        guard let text = try line(name, after: "") else { return nil }
        let token: JoinToken
        do {
            token = try JoinToken(text)
        } catch {
            throw KeyError(
                .malformed,
                "Line 1 of \(path(of: name)) cannot be read: \(error)",
                path: path(of: name),
                line: 1
            )
        }
        guard Self.name(server: token.server, role: token.role) == name, token.role == role else {
            throw .malformed(path(of: name), line: 1, "the key is for another server or role than the file's name says")
        }
        return token
    }

    func write(_ token: JoinToken) throws(KeyError) {
        try write(Self.name(server: token.server, role: token.role), line: token.text)
    }

    /// Where the coordinator listens; nil if it is not known.
    func address() throws(KeyError) -> ServerAddress? {
        guard let text = try line("address", after: Self.addressHeader) else { return nil }
        guard let address = ServerAddress(text) else {
            throw .malformed(path(of: "address"), line: 1, ServerAddress.rule)
        }
        return address
    }

    func write(_ address: ServerAddress) throws(KeyError) {
        try write("address", line: Self.addressHeader + address.text)
    }

    /// The file of a home's key at a server.
    static func name(server: CurvePublicKey, role: Role) -> String { "\(ServerFingerprint(server)).\(role)" }

    /// The single line of a file behind its header; nil if the file does not exist.
    private func line(_ name: String, after header: String) throws(KeyError) -> String? {
        guard let bytes = try read(name) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self), text.utf8.last == 0x0A else {
            throw .malformed(path(of: name), bytes.isEmpty ? "it is empty" : "its line is cut off or is no text")
        }
        let line = text.utf8.dropLast()
        guard !line.contains(0x0A) else { throw .malformed(path(of: name), line: 2, "the file has more than one line") }
        guard line.starts(with: header.utf8) else {
            throw .malformed(path(of: name), line: 1, "it does not begin with \"\(header)\"")
        }
        return String(line.dropFirst(header.utf8.count))
    }

    private func write(_ name: String, line: String) throws(KeyError) {
        try write(name, Array((line + "\n").utf8))
    }
}
