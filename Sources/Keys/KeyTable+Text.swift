extension KeyTable {
    /// The first line of a table; another form has another number.
    private static let header = "baton-keys 1"

    /// The largest number that a key may have, so that a next number exists.
    private static let lastNumber = UInt32.max - 1

    /// The table as text: the header, one line a key, and a last line with the next number and the count of keys.
    ///
    /// A key's line has its number, role, name, identity (see ``KeyIdentity``), and the seconds of its authorization and of
    /// its revocation, or `-`, each separated by one space.
    var text: String {
        var lines = [Self.header]
        for key in keys {
            let revokedAt = key.revokedAt.map { "\($0)" } ?? "-"
            lines.append("\(key.number) \(key.role) \(key.name) \(key.identity) \(key.madeAt) \(revokedAt)")
        }
        lines.append("end \(nextNumber) \(keys.count)")
        return lines.joined(separator: "\n") + "\n"
    }

    /// Reads a table.
    ///
    /// - Parameters:
    ///   - text: the content of a file.
    ///   - path: the file, for errors.
    /// - Throws: `KeyError` with ``KeyError/Code/malformed`` and the line.
    init(text: String, path: String) throws(KeyError) {
        self.init()
        var lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { String($0) ?? "" }
        guard lines.popLast()?.isEmpty == true else { throw .malformed(path, "its last line is cut off") }
        guard let first = lines.first else { throw .malformed(path, "it is empty") }
        guard first == Self.header else {
            throw .malformed(
                path,
                line: 1,
                first.hasPrefix("baton-keys ")
                    ? "another version of Baton has written the file" : "it is not \"\(Self.header)\""
            )
        }
        guard lines.count > 1, let last = lines.last, last.hasPrefix("end ") else {
            throw .malformed(path, line: lines.count, "the file ends without a line that begins with \"end\"")
        }
        for (index, line) in lines.dropFirst().dropLast().enumerated() {
            try add(line, path: path, number: index + 2)
        }
        try finish(last, path: path, number: lines.count)
    }

    private mutating func add(_ line: String, path: String, number: Int) throws(KeyError) {
        let fields = Self.fields(of: line)
        guard fields.count == 6 else { throw .malformed(path, line: number, "a key has 6 fields, not \(fields.count)") }
        guard let keyNumber = KeyNumber(fields[0]), keyNumber >= nextNumber, keyNumber.rawValue <= Self.lastNumber
        else {
            throw .malformed(path, line: number, "the key's number is not valid or not above those before it")
        }
        guard let role = Role(rawValue: fields[1]) else {
            throw .malformed(path, line: number, "the role is not known")
        }
        guard let name = KeyName(fields[2]) else { throw .malformed(path, line: number, KeyName.rule) }
        guard let identity = KeyIdentity(fields[3]) else {
            throw .malformed(path, line: number, "the public key or the hash of the token is not valid")
        }
        guard let madeAt = Self.time(fields[4]) else {
            throw .malformed(path, line: number, "the first time is not valid")
        }
        var revokedAt: Int64?
        if fields[5] != "-" {
            guard let time = Self.time(fields[5]) else {
                throw .malformed(path, line: number, "the second time is not valid")
            }
            revokedAt = time
        }
        let key = AuthorizedKey(
            number: keyNumber,
            name: name,
            role: role,
            identity: identity,
            madeAt: madeAt,
            revokedAt: revokedAt
        )
        do {
            try add(key)
        } catch {
            throw .malformed(path, line: number, "the name, the public key or the hash is that of an earlier line")
        }
    }

    private mutating func finish(_ line: String, path: String, number: Int) throws(KeyError) {
        let fields = Self.fields(of: line)
        guard fields.count == 3, let next = KeyNumber(fields[1]), next >= nextNumber else {
            throw .malformed(path, line: number, "the next number is not valid or belongs to a key")
        }
        guard fields[2] == "\(keys.count)" else {
            throw .malformed(path, line: number, "the file has \(keys.count) keys, not the number that this line says")
        }
        skipNumbers(to: next)
    }

    private static func fields(of line: String) -> [String] {
        line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    }

    /// Reads seconds of at most 15 digits.
    private static func time(_ text: String) -> Int64? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}
