/// Where a record is: in a file of a host, or in a database of PostgreSQL.
@_spi(Baton) public enum RecordPlace: Hashable, Sendable {
    /// An SQLite file, by its path.
    case file(String)
    /// A schema of a database on one or several servers.
    case server(RecordServer)

    /// Reads the text by which users name a record: a path, or the address of a database.
    ///
    /// - Throws: ``StoreError`` `notAccessible` for an address that is malformed, or of another kind of database.
    public init(_ text: String) throws(StoreError) {
        guard let scheme = Self.scheme(of: text) else {
            self = .file(text)
            return
        }
        guard RecordServer.schemes.contains(scheme) else {
            throw StoreError(
                .notAccessible,
                "There is no record at an address that begins with \(scheme)://. Name a file, or a database of PostgreSQL: "
                    + "\(RecordServer.form)."
            )
        }
        self = .server(try RecordServer(text))
    }

    /// The text for people, which never has a password.
    public var shown: String {
        switch self {
        case .file(let path): path
        case .server(let server): server.description
        }
    }

    /// What stands before `://`; nil for a path.
    private static func scheme(of text: String) -> String? {
        guard let end = text.firstIndex(of: ":"), text[end...].hasPrefix("://") else { return nil }
        let scheme = text[..<end]
        guard let first = scheme.utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first | 0x20 else { return nil }
        let isScheme = scheme.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        return isScheme ? scheme.lowercased() : nil
    }
}
