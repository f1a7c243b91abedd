@_spi(Baton) extension KeyTable {
    /// Takes over a later table; of a table that does not continue this one, only the revocations of the same keys.
    public mutating func update(to later: KeyTable) {
        guard !later.continues(self) else { return self = later }
        for key in later.keys {
            guard let revokedAt = key.revokedAt, let own = self[key.identity], !own.isRevoked else { continue }
            _ = try? revoke(own.name, at: revokedAt)
        }
    }

    /// Whether the table is an earlier table with later additions and revocations, and no other change.
    public func continues(_ earlier: KeyTable) -> Bool {
        nextNumber >= earlier.nextNumber
            && earlier.keys.allSatisfy { key in
                guard let present = self[key.number] else { return false }
                return present.identity == key.identity && present.role == key.role
                    && (present.isRevoked || !key.isRevoked)
            }
    }
}
