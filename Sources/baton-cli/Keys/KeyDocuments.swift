@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations

extension KeyDocument {
    /// Describes a token.
    init(_ token: JoinToken, showsSecret: Bool) {
        self.init(
            name: token.name.text,
            role: token.role.rawValue,
            coordinator: token.address?.text,
            token: showsSecret ? token.text : nil
        )
    }
}

extension KeysDocument.Key {
    /// Describes a key of a table.
    init(_ key: AuthorizedKey) {
        self.init(
            name: key.name.text,
            role: key.role.rawValue,
            publicKey: key.identity.isToken ? nil : key.identity.description,
            authorizedAt: Timestamp(seconds: key.madeAt),
            revokedAt: key.revokedAt.map { Timestamp(seconds: $0) }
        )
    }
}

extension Timestamp {
    /// The moment so many seconds after the start of 1970 in UTC, the unit of key tables.
    init(seconds: Int64) {
        self.init(rawValue: seconds.multipliedReportingOverflow(by: 1_000_000).partialValue)
    }

    /// The whole seconds since the start of 1970 in UTC.
    var seconds: Int64 { rawValue / 1_000_000 }
}
