@_spi(Baton) public import BatonZeroMQ

/// The authorized keys of a coordinator, revoked keys included.
///
/// A revoked key stays in the table, so that its number and its identity are never used again and actions on record keep a
/// name.
@_spi(Baton) public struct KeyTable: Hashable, Sendable {
    /// All keys, in the order of their numbers.
    public private(set) var keys: [AuthorizedKey] = []
    /// The number of the next key.
    public private(set) var nextNumber = KeyNumber(rawValue: 1)

    private var positions: [KeyNumber: Int] = [:]
    private var numbers: [KeyIdentity: KeyNumber] = [:]
    private var names: [KeyName: KeyNumber] = [:]

    /// Makes an empty table.
    public init() {}

    /// The key with a public key, revoked or not.
    public subscript(publicKey: CurvePublicKey) -> AuthorizedKey? { self[.publicKey(publicKey)] }

    /// The key with an identity, revoked or not.
    public subscript(identity: KeyIdentity) -> AuthorizedKey? { numbers[identity].flatMap { self[$0] } }

    /// The key with a number, revoked or not.
    public subscript(number: KeyNumber) -> AuthorizedKey? { positions[number].map { keys[$0] } }

    /// The unrevoked key with a name.
    public subscript(name: KeyName) -> AuthorizedKey? { names[name].flatMap { self[$0] } }

    /// Adds a key under the next number.
    ///
    /// - Parameters:
    ///   - identity: an identity that the table has never had.
    ///   - name: a name that no unrevoked key has.
    ///   - role: what the key's holder may do.
    ///   - time: the present time, in seconds since the start of 1970 in UTC.
    /// - Throws: `KeyError` with ``KeyError/Code/nameInUse``, ``KeyError/Code/keyInUse`` or ``KeyError/Code/tableFull``.
    @discardableResult
    public mutating func authorize(
        _ identity: KeyIdentity,
        name: KeyName,
        role: Role,
        at time: Int64
    ) throws(KeyError) -> AuthorizedKey {
        let key = AuthorizedKey(
            number: nextNumber,
            name: name,
            role: role,
            identity: identity,
            madeAt: AuthorizedKey.nearest(time)
        )
        guard nextNumber.rawValue < .max else { throw KeyError(.tableFull, "The table of keys has no number left.") }
        try add(key)
        return key
    }

    /// Revokes the unrevoked key with a name, and returns it.
    ///
    /// - Parameters:
    ///   - name: the name of an unrevoked key.
    ///   - time: the present time, in seconds since the start of 1970 in UTC.
    /// - Throws: `KeyError` with ``KeyError/Code/unknownKey``.
    @discardableResult
    public mutating func revoke(_ name: KeyName, at time: Int64) throws(KeyError) -> AuthorizedKey {
        guard let number = names.removeValue(forKey: name), let position = positions[number] else {
            throw KeyError(.unknownKey, "There is no key \(name) that could be revoked.")
        }
        keys[position].revokedAt = AuthorizedKey.nearest(time)
        return keys[position]
    }

    /// Adds a key with a given number, at least the next one.
    mutating func add(_ key: AuthorizedKey) throws(KeyError) {
        guard numbers[key.identity] == nil else {
            throw KeyError(.keyInUse, "The key \(key.identity) is in the table already.")
        }
        guard key.isRevoked || names[key.name] == nil else {
            throw KeyError(.nameInUse, "Another key has the name \(key.name).")
        }
        positions[key.number] = keys.count
        numbers[key.identity] = key.number
        if !key.isRevoked { names[key.name] = key.number }
        keys.append(key)
        nextNumber = KeyNumber(rawValue: key.number.rawValue + 1)
    }

    /// Leaves out numbers before a number that is not below the next one.
    mutating func skipNumbers(to number: KeyNumber) {
        nextNumber = max(nextNumber, number)
    }
}
