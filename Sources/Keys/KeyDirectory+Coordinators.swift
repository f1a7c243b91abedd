@_spi(Baton) public import BatonZeroMQ

@_spi(Baton) extension KeyDirectory {
    /// The keys of this home's coordinator, for a second coordinator that stands in for it.
    ///
    /// The directory stays unchanged: the caller, which hands the keys out, revokes the key of the receiver.
    ///
    /// - Parameters:
    ///   - receiver: the name of the key with which the other coordinator asks; the table that is handed out has the key as revoked.
    ///   - time: the present time, in seconds since the start of 1970 in UTC.
    /// - Throws: `KeyError` with ``KeyError/Code/unknownKey`` if the key was revoked, with ``KeyError/Code/noKey`` if a file is missing,
    ///   or if one cannot be read or is refused.
    public func coordinatorKeys(for receiver: KeyName, at time: Int64) throws(KeyError) -> CoordinatorKeys {
        let missing = KeyError(
            .noKey,
            "\(path) lacks a file of the coordinator's keys: start the coordinator again.",
            path: path
        )
        guard let folder = try KeyFolder(existing: path) else { throw missing }
        guard let key = try folder.serverKey(), let secret = try folder.operationSecret(),
            var table = try folder.table()
        else {
            throw missing
        }
        try table.revoke(receiver, at: time)
        var tokens: [JoinToken] = []
        for role in Self.localRoles {
            if let token = try folder.token(server: key.publicKey, role: role) { tokens.append(token) }
        }
        return CoordinatorKeys(key: key, secret: secret, tokens: tokens, table: table)
    }

    /// Makes the directory, and checks before the handover that it can take the keys of a coordinator.
    ///
    /// - Throws: `KeyError` with ``KeyError/Code/otherCoordinator`` if the home has another coordinator's keys, or if the directory or a
    ///   file cannot be written, or is refused.
    public func makeRoom(forCoordinator server: CurvePublicKey) throws(KeyError) {
        try changing { folder throws(KeyError) in try Self.check(folder, server) }
    }

    /// Stores the keys of another coordinator, so that the coordinator of this home can stand in for the other coordinator.
    ///
    /// The server's key is written last. After a crash in between, the coordinator of this home has a different key than the other
    /// coordinators, and refuses to stand by. If the server's key came first, the coordinator would stand by with an incomplete set of
    /// keys. Keys of this home that the other coordinator admits stay, and so do revocations that the other coordinator does not know.
    ///
    /// - Throws: `KeyError` with ``KeyError/Code/otherCoordinator`` if the home has another coordinator's keys, or if a file cannot be
    ///   read or written, or is refused.
    public func take(_ keys: CoordinatorKeys) throws(KeyError) {
        try changing { folder throws(KeyError) in
            try Self.check(folder, keys.server)
            var table = keys.table
            if let own = try folder.table() { table.takeRevocations(of: own) }
            for token in keys.tokens {
                if let own = try folder.token(server: keys.server, role: token.role),
                    let known = try table[own.publicKey()], !known.isRevoked
                {
                    continue
                }
                try folder.write(token)
            }
            try folder.write(operations: keys.secret)
            try folder.write(table)
            try folder.write(server: keys.key.secretKey)
        }
    }

    private static func check(_ folder: borrowing KeyFolder, _ server: CurvePublicKey) throws(KeyError) {
        guard let own = try folder.serverKey()?.publicKey, own != server else { return }
        throw KeyError(
            .otherCoordinator,
            "\(folder.path) has the keys of another coordinator, whose workers and clients would not find it any more.",
            path: folder.path
        )
    }
}
