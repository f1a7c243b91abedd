@_spi(Baton) public import BatonZeroMQ

@_spi(Baton) extension KeyDirectory {
    /// This home's own keys at servers, sorted by file name.
    ///
    /// - Parameter role: the only role wanted; nil for all roles.
    /// - Throws: `KeyError` if a file cannot be read or is refused.
    public func tokens(of role: Role? = nil) throws(KeyError) -> [JoinToken] {
        guard let folder = try KeyFolder(existing: path) else { return [] }
        var tokens: [JoinToken] = []
        for name in try folder.names().sorted() where role.map({ name.hasSuffix(".\($0)") }) ?? true {
            if let token = try folder.token(inFile: name) { tokens.append(token) }
        }
        return tokens
    }

    /// This home's own key of a role at a server; nil if there is none.
    ///
    /// - Throws: `KeyError` if the file cannot be read or is refused.
    public func token(server: CurvePublicKey, role: Role) throws(KeyError) -> JoinToken? {
        guard let folder = try KeyFolder(existing: path) else { return nil }
        return try folder.token(server: server, role: role)
    }

    /// Keeps a token as this home's key at the token's server.
    ///
    /// The token replaces the home's key of the same server and role, and of the same role with one of its addresses.
    ///
    /// - Throws: `KeyError` if a file cannot be read or written, or is refused.
    public func join(_ token: JoinToken) throws(KeyError) {
        try changing { folder throws(KeyError) in
            try folder.write(token)
            guard let address = token.address else { return }
            for name in try folder.names() where name != KeyFolder.name(server: token.server, role: token.role) {
                let other = try folder.token(inFile: name)
                if other?.role == token.role, other?.address?.sharesAddress(with: address) ?? false {
                    try folder.remove(name)
                }
            }
        }
    }

    /// Where this home's coordinator listens; nil if it has not said.
    ///
    /// - Throws: `KeyError` if the file cannot be read or is refused.
    public func address() throws(KeyError) -> ServerAddress? {
        guard let folder = try KeyFolder(existing: path) else { return nil }
        return try folder.address()
    }

    /// Notes where this home's coordinator listens.
    ///
    /// - Throws: `KeyError` if the file cannot be read or written, or is refused.
    public func note(_ address: ServerAddress) throws(KeyError) {
        try changing { folder throws(KeyError) in
            if try folder.address() != address { try folder.write(address) }
        }
    }
}
