@_spi(Baton) extension KeyTable {
    /// Takes over a later table, and keeps revocations that the later table lacks.
    ///
    /// Of a table that lacks a key, takes over only the revocations of common keys.
    public mutating func update(to later: KeyTable) {
        guard later.hasKeys(of: self) else { return takeRevocations(of: later) }
        let earlier = self
        self = later
        takeRevocations(of: earlier)
    }

    /// Whether the table is an earlier table with later additions and revocations, and no other change.
    public func continues(_ earlier: KeyTable) -> Bool {
        hasKeys(of: earlier)
            && earlier.keys.allSatisfy { key in
                guard key.isRevoked, let present = self[key.number] else { return true }
                return present.isRevoked
            }
    }

    /// Whether the table has all keys of an earlier one under their numbers, whatever was revoked in either.
    private func hasKeys(of earlier: KeyTable) -> Bool {
        nextNumber >= earlier.nextNumber
            && earlier.keys.allSatisfy { key in
                guard let present = self[key.number] else { return false }
                return present.identity == key.identity && present.role == key.role
            }
    }

    /// Revokes the common keys that are revoked in another table.
    mutating func takeRevocations(of other: KeyTable) {
        for key in other.keys {
            guard let revokedAt = key.revokedAt, let own = self[key.identity], !own.isRevoked else { continue }
            _ = try? revoke(own.name, at: revokedAt)
        }
    }
}
