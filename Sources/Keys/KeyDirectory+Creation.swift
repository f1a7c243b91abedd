@_spi(Baton) import BatonZeroMQ

extension KeyDirectory {
    /// The roles for which a home makes a key of its own.
    static let localRoles: [Role] = [.client, .worker, .operation]

    /// Reads the keys of a coordinator, and makes the missing keys.
    ///
    /// The table is written last: a creation that a crash has cut off goes on where it ended, and a key is in use only
    /// after its secret is on disk.
    static func complete(_ folder: borrowing KeyFolder, at time: Int64) throws(KeyError) -> ServerKeys {
        let lost = try lostFiles(in: folder)
        let isFirstStart = if lost.isEmpty { try folder.serverKey() == nil } else { false }
        let key = try serverKey(in: folder)
        let secret = try operationSecret(in: folder)
        let found = try folder.table()
        var table = found ?? KeyTable()
        for role in localRoles {
            let token = try localToken(of: role, for: key.publicKey, in: folder, besides: table)
            let publicKey = try token.publicKey()
            // A revoked key stays revoked.
            guard table[publicKey] == nil else { continue }
            let name = table[token.name] == nil ? token.name : freeName(of: role, in: table)
            try table.authorize(.publicKey(publicKey), name: name, role: role, at: time)
        }
        if table != found { try folder.write(table) }
        let transport = try localToken(of: .operation, for: key.publicKey, in: folder, besides: table)
        let operationKeys = OperationKeys(
            server: key.publicKey,
            transportKey: transport.secretKey,
            secret: secret
        )
        return ServerKeys(
            key: key,
            table: table,
            operationKeys: operationKeys,
            lostFiles: lost,
            isFirstStart: isFirstStart
        )
    }

    /// The files that were lost.
    ///
    /// A missing file is lost if a file that is made later exists. The order is: the coordinator's key, the secret of operations, this
    /// home's own keys, the table.
    ///
    /// A first start that was ended just before it wrote the table looks like the loss of the table.
    static func lostFiles(in folder: borrowing KeyFolder) throws(KeyError) -> [LostKeyFile] {
        let server = try folder.serverKey()
        let hasOperations = try folder.operationSecret() != nil
        let hasTable = try folder.table() != nil
        var hasOwnKey = false
        if let server, let last = localRoles.last {
            hasOwnKey = try folder.token(server: server.publicKey, role: last) != nil
        }
        var lost: [LostKeyFile] = []
        if server == nil, hasOperations || hasTable { lost.append(.server) }
        if !hasOperations, hasTable || hasOwnKey { lost.append(.operations) }
        if !hasTable, hasOwnKey { lost.append(.authorized) }
        return lost
    }

    private static func serverKey(in folder: borrowing KeyFolder) throws(KeyError) -> CurveKeyPair {
        if let key = try folder.serverKey() { return key }
        let pair = try CurveKeyPair.made()
        try folder.write(server: pair.secretKey)
        return pair
    }

    private static func operationSecret(in folder: borrowing KeyFolder) throws(KeyError) -> OperationSecret {
        if let secret = try folder.operationSecret() { return secret }
        let secret = OperationSecret.generate()
        try folder.write(operations: secret)
        return secret
    }

    private static func localToken(
        of role: Role,
        for server: CurvePublicKey,
        in folder: borrowing KeyFolder,
        besides table: KeyTable
    ) throws(KeyError) -> JoinToken {
        if let token = try folder.token(server: server, role: role) { return token }
        let secret = try CurveKeyPair.made().secretKey
        let token = JoinToken(server: server, secretKey: secret, role: role, name: freeName(of: role, in: table))
        try folder.write(token)
        return token
    }

    /// The first free name of `local-client`, `local-client-2` and so on.
    private static func freeName(of role: Role, in table: KeyTable) -> KeyName {
        var name = KeyName(localFor: role, 1)
        var number = 1
        while table[name] != nil {
            number += 1
            name = KeyName(localFor: role, number)
        }
        return name
    }
}
