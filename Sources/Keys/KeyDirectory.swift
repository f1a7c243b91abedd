@_spi(Baton) public import BatonZeroMQ

/// The directory of a home's keys, with mode 0700 and files of mode 0600.
///
/// | file | content |
/// | --- | --- |
/// | `lock` | nothing; locked by whoever changes another file |
/// | `server` | the secret key of this home's coordinator |
/// | `operations` | the secret behind the tokens of operations |
/// | `authorized` | the table of keys; see ``KeyTable`` |
/// | `<fingerprint>.<role>` | a ``JoinToken``: this home's own key at a server |
/// | `address` | where this home's coordinator listens |
///
/// Files are replaced whole, and survive a crash at any moment. Several processes may use a directory at once. A file
/// is refused, and never repaired, if other users may read it, if another user owns it, or if its form is wrong.
@_spi(Baton) public struct KeyDirectory: Hashable, Sendable {
    /// The directory's path.
    public let path: String

    /// Names a directory, which need not exist.
    public init(path: String) {
        self.path = path
    }

    /// The directory of a home, `keys` below it.
    public init(home: String) {
        self.init(path: home.hasSuffix("/") ? "\(home)keys" : "\(home)/keys")
    }

    /// Reads what a coordinator needs, and makes what is missing.
    ///
    /// A first start makes the server's key, the secret of operations, and a key for each of the roles client, worker and
    /// operation, named `local-client`, `local-worker` and `local-operation`. A later start makes only files that are
    /// missing. A table that a person has removed begins anew at number 1 with these keys, so that all other keys are
    /// refused; ``ServerKeys/lostFiles`` tells of it, because the file may also have been lost.
    ///
    /// - Parameter time: the present time, in seconds since the start of 1970 in UTC.
    /// - Throws: `KeyError` if a file cannot be read or written, or is refused.
    public func open(at time: Int64) throws(KeyError) -> ServerKeys {
        try changing { folder throws(KeyError) in try Self.complete(folder, at: time) }
    }

    /// The path of the table of keys.
    var tablePath: String { "\(path)/\(KeyFolder.tableName)" }

    /// Reads the table of keys; nil if there is none.
    ///
    /// - Throws: `KeyError` if the file cannot be read or is refused.
    public func table() throws(KeyError) -> KeyTable? {
        guard let folder = try KeyFolder(existing: path) else { return nil }
        return try folder.table()
    }

    /// The files that are missing, although there were keys before: the next ``open(at:)`` or ``authorize(_:role:address:at:)``
    /// makes them anew.
    ///
    /// - Throws: `KeyError` if a file cannot be read or is refused.
    public func lostFiles() throws(KeyError) -> [LostKeyFile] {
        guard let folder = try KeyFolder(existing: path) else { return [] }
        return try Self.lostFiles(in: folder)
    }

    /// The public key of this home's coordinator; nil if the home has none.
    ///
    /// - Throws: `KeyError` if the file cannot be read or is refused.
    public func serverKey() throws(KeyError) -> CurvePublicKey? {
        guard let folder = try KeyFolder(existing: path) else { return nil }
        return try folder.serverKey()?.publicKey
    }

    /// Makes a key for somebody else, adds it to the table, and returns it as a token; nobody else has its secret.
    ///
    /// The coordinator need not run, nor ever have run.
    ///
    /// - Parameters:
    ///   - name: a name that no unrevoked key has.
    ///   - role: what the key's holder may do.
    ///   - address: where the holder will find the coordinator, if known.
    ///   - time: the present time, in seconds since the start of 1970 in UTC.
    /// - Throws: `KeyError` with ``KeyError/Code/nameInUse``, or if a file cannot be read or written, or is refused.
    public func authorize(
        _ name: KeyName,
        role: Role,
        address: ServerAddress?,
        at time: Int64
    ) throws(KeyError) -> JoinToken {
        try changing { folder throws(KeyError) in
            let keys = try Self.complete(folder, at: time)
            let pair = try CurveKeyPair.made()
            var table = keys.table
            try table.authorize(.publicKey(pair.publicKey), name: name, role: role, at: time)
            try folder.write(table)
            return JoinToken(
                server: keys.key.publicKey,
                secretKey: pair.secretKey,
                role: role,
                name: name,
                address: address
            )
        }
    }

    /// Makes a key for HTTP, adds it to the table, and returns its token; nobody else has the token.
    ///
    /// The coordinator need not run, nor ever have run.
    ///
    /// - Parameters:
    ///   - name: a name that no unrevoked key has.
    ///   - role: what the token's holder may do: ``Role/client`` or ``Role/viewer``.
    ///   - time: the present time, in seconds since the start of 1970 in UTC.
    /// - Throws: `KeyError` with ``KeyError/Code/nameInUse``, or if a file cannot be read or written, or is refused.
    public func authorizeToken(_ name: KeyName, role: Role, at time: Int64) throws(KeyError) -> BearerToken {
        try changing { folder throws(KeyError) in
            var table = try Self.complete(folder, at: time).table
            let token = BearerToken.generate()
            try table.authorize(.token(token.hash), name: name, role: role, at: time)
            try folder.write(table)
            return token
        }
    }

    /// Revokes a key in the table, and returns it.
    ///
    /// - Parameters:
    ///   - name: the name of an unrevoked key.
    ///   - time: the present time, in seconds since the start of 1970 in UTC.
    /// - Throws: `KeyError` with ``KeyError/Code/unknownKey``, or if a file cannot be read or written, or is refused.
    @discardableResult
    public func revoke(_ name: KeyName, at time: Int64) throws(KeyError) -> AuthorizedKey {
        try changing { folder throws(KeyError) in
            var table = try folder.table() ?? KeyTable()
            let key = try table.revoke(name, at: time)
            try folder.write(table)
            return key
        }
    }

    /// Runs a body while no other process changes the directory, which is made if it does not exist.
    func changing<Result>(
        _ body: (borrowing KeyFolder) throws(KeyError) -> Result
    ) throws(KeyError) -> Result {
        let folder = try KeyFolder.made(at: path)
        let lock = try KeyLock(of: folder)
        let result = try body(folder)
        _ = consume lock
        return result
    }
}
