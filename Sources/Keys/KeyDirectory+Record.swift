@_spi(Baton) import BatonZeroMQ

/// What a key directory did with the table of keys in the record.
@_spi(Baton) public enum KeyTableAdoption: Hashable, Sendable {
    /// The directory has the same table.
    case same
    /// The table in the record continues that of the directory, and has taken its place.
    case adopted
    /// The table of the directory has keys or revocations that the record does not have yet, and keeps them; the table includes all changes
    /// of the record.
    case ahead
    /// Keys were authorized on two hosts: each table has a key that the other table lacks. The revocations count, and nothing else is
    /// changed.
    case diverged
    /// The table in the record was not sealed by these coordinators, or cannot be read, and is ignored.
    case refused
}

@_spi(Baton) extension KeyDirectory {
    /// Takes over the table of keys in the record, in which the coordinator that leads keeps it.
    ///
    /// - Parameter text: the sealed table; see ``KeyTableSeal``.
    /// - Throws: `KeyError` with ``KeyError/Code/noKey`` if the directory or the coordinator's key is away, neither of which is made, or if
    ///   a file cannot be read or written, or is refused.
    public func adopt(sealedTable text: String) throws(KeyError) -> KeyTableAdoption {
        guard try serverKey() != nil else {
            throw KeyError(.noKey, "\(path) has no key of a coordinator: put the directory back.", path: path)
        }
        return try changing { folder throws(KeyError) -> KeyTableAdoption in
            guard let key = try folder.serverKey(), let theirs = KeyTableSeal(of: key.secretKey).table(in: text) else {
                return .refused
            }
            var own = try folder.table() ?? KeyTable()
            if theirs == own { return .same }
            // A table that was put back changes nothing, not even a time.
            if own.continues(theirs), !theirs.continues(own) { return .ahead }
            let before = own
            own.update(to: theirs)
            if own != before { try folder.write(own) }
            if own == theirs { return .adopted }
            return own.continues(theirs) ? .ahead : .diverged
        }
    }
}
