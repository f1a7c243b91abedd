#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The address of a record on PostgreSQL: the servers, one of which accepts changes, a database, and a schema of the database.
///
/// The form is libpq's, with the further parameter `schema`. The address is read here, so that nothing of libpq has to be loaded to
/// name a record. ``description`` never has the password.
@_spi(Baton) public struct RecordServer: Hashable, Sendable, CustomStringConvertible {
    /// The names of hosts, or directories with sockets (they begin with `/`); empty for libpq's own.
    public let hosts: [String]
    /// The port at each host.
    public let ports: [UInt16]
    /// The role: that of the address, of `PGUSER`, or the name of the system's user.
    public let user: String
    /// The database: that of the address, of `PGDATABASE`, or the role's name.
    public let database: String
    /// The schema with the tables of the record.
    public let schema: String
    /// The password in the address; nil to leave it to `PGPASSWORD`, `PGPASSFILE` and `~/.pgpass`.
    public let password: String?
    /// The other parameters of the connection, by libpq's names.
    public let parameters: [String: String]

    /// What addresses begin with, before `://`.
    static let schemes = ["postgres", "postgresql"]
    /// The form of an address, for people.
    static let form = "postgres://USER@HOST:PORT/DATABASE"
    /// The schema of an address that names none.
    static let defaultSchema = "baton"
    /// The port of an address that names none.
    static let defaultPort: UInt16 = 5432

    /// Reads an address.
    ///
    /// - Throws: ``StoreError`` `notAccessible` for a malformed address, in a sentence that repeats nothing of what may be a password.
    public init(_ text: String) throws(StoreError) {
        guard let begin = text.firstIndex(of: ":"), text[begin...].hasPrefix("://") else {
            throw .malformedServer("it does not begin with postgres://")
        }
        var rest = text[begin...].dropFirst(3)
        var query: Substring = ""
        if let mark = rest.firstIndex(of: "?") {
            query = rest[mark...].dropFirst()
            rest = rest[..<mark]
        }
        var path: Substring = ""
        if let slash = rest.firstIndex(of: "/") {
            path = rest[slash...].dropFirst()
            rest = rest[..<slash]
        }
        // Such a password would be read as the name of a host, and be shown.
        guard !path.contains("@") else { throw .malformedServer("a / in a user or password has to be written as %2F") }
        var user: String?
        var password: String?
        if let at = rest.lastIndex(of: "@") {
            let own = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = own.first.flatMap { $0.isEmpty ? nil : $0 }.map(String.init)
            password = own.count > 1 ? String(own[1]) : nil
            rest = rest[at...].dropFirst()
        }
        user = try user.map { text throws(StoreError) in try Self.decoded(text[...], "the user") }
        password = try password.map { text throws(StoreError) in try Self.decoded(text[...], "the password") }
        var (hosts, ports) = try Self.places(rest)
        var database = path.isEmpty ? nil : try Self.decoded(path, "the name of the database")
        var schema: String?
        var parameters: [String: String] = [:]
        for item in query.split(separator: "&") {
            guard let equals = item.firstIndex(of: "="), equals != item.startIndex else {
                throw .malformedServer("each parameter behind the ? has the form NAME=VALUE")
            }
            let name = String(item[..<equals])
            let value = try Self.decoded(item[equals...].dropFirst(), "a parameter")
            switch name {
            case "schema": schema = value
            case "user": user = value
            case "password": password = value
            case "dbname": database = value
            case "host": hosts = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            case "port": ports = try Self.numbers(value)
            default:
                guard name.utf8.allSatisfy({ Self.isLetter($0) || $0 == UInt8(ascii: "_") }) else {
                    throw .malformedServer("the names of parameters are letters and _")
                }
                parameters[name] = value
            }
        }
        if ports.count == 1, hosts.count > 1 { ports = Array(repeating: ports[0], count: hosts.count) }
        if ports.isEmpty { ports = Array(repeating: Self.defaultPort, count: hosts.count) }
        guard hosts.isEmpty && ports.count <= 1 || hosts.count == ports.count else {
            throw .malformedServer("it has \(hosts.count) hosts and \(ports.count) ports")
        }
        let role = user ?? Self.variable("PGUSER") ?? Self.systemUser
        self.hosts = hosts
        self.ports = ports
        self.user = role
        self.database = database ?? Self.variable("PGDATABASE") ?? role
        self.schema = schema ?? Self.defaultSchema
        self.password = password
        self.parameters = parameters
        guard Self.isSchema(self.schema) else {
            throw .malformedServer(
                "the name of a schema is made of the letters a to z, digits and _, at most 51 of them, and begins with no digit"
            )
        }
        // libpq takes the bytes up to the first NUL.
        let values = [role, self.database, password ?? ""] + hosts + Array(parameters.values)
        guard values.allSatisfy({ !$0.utf8.contains(0) }) else { throw .malformedServer("it has a byte that is 0") }
    }

    /// The address for people, without the password and without parameters that only concern the connection.
    public var description: String {
        let places = zip(hosts, ports).map { host, port in
            (host.contains(":") ? "[\(host)]" : Self.encoded(host)) + ":\(port)"
        }
        let port = hosts.isEmpty ? ports.first.map { ":\($0)" } ?? "" : ""
        let end = schema == Self.defaultSchema ? "" : "?schema=\(schema)"
        let place = places.joined(separator: ",") + port
        return "postgres://\(Self.encoded(user))@\(place)/\(Self.encoded(database))\(end)"
    }

    /// The parameters with which libpq connects, in the order of libpq's own list where the order matters.
    ///
    /// Short times detect a host that is gone; the parameters of the address take precedence.
    ///
    /// - Parameters:
    ///   - lease: how long a leader may be silent; nil for a connection that does not lead.
    ///   - name: the name of this host, which the server shows.
    ///   - place: the place of the only host to try; nil for all of them.
    func connectionParameters(
        lease: Duration?,
        host name: String,
        place: Int? = nil
    ) -> [(name: String, value: String)] {
        var values: [(name: String, value: String)] = []
        if let place {
            values += [("host", hosts[place]), ("port", String(ports[place]))]
        } else {
            if hosts.contains(where: { !$0.isEmpty }) { values.append(("host", hosts.joined(separator: ","))) }
            if !ports.isEmpty { values.append(("port", ports.map(String.init).joined(separator: ","))) }
        }
        values.append(("user", user))
        values.append(("dbname", database))
        if let password { values.append(("password", password)) }
        var ours = [
            ("connect_timeout", "2"), ("keepalives_idle", "1"), ("keepalives_interval", "1"), ("keepalives_count", "2"),
            ("application_name", "baton \(name)"), ("target_session_attrs", "read-write"),
        ]
        if let lease {
            let (seconds, attoseconds) = lease.components
            ours.append(("tcp_user_timeout", String(seconds * 1000 + attoseconds / 1_000_000_000_000_000)))
        }
        for (name, value) in ours where parameters[name] == nil { values.append((name, value)) }
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) where name != "client_encoding" {
            values.append((name, value))
        }
        values.append(("client_encoding", "UTF8"))
        return values
    }

    /// A text in which neither the password of the address nor that of `PGPASSWORD` stands, in any spelling known here.
    func withoutPassword(_ text: String) -> String {
        var text = text
        for secret in [password, Self.variable("PGPASSWORD"), parameters["sslpassword"]] {
            guard let secret, !secret.isEmpty else { continue }
            for spelling in [Self.encoded(secret), secret] { text = Self.replacing(spelling, in: text) }
        }
        return text
    }

    private static func replacing(_ secret: String, in text: String) -> String {
        let (wanted, bytes) = (Array(secret.utf8), Array(text.utf8))
        var result: [UInt8] = []
        var position = 0
        while position < bytes.count {
            if bytes[position...].starts(with: wanted) {
                result += Array("***".utf8)
                position += wanted.count
            } else {
                result.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    // MARK: The parts of the text

    /// The hosts with their ports between the user and the database.
    private static func places(_ text: Substring) throws(StoreError) -> (hosts: [String], ports: [UInt16]) {
        guard !text.isEmpty else { return ([], []) }
        var (hosts, ports): ([String], [UInt16]) = ([], [])
        for place in text.split(separator: ",", omittingEmptySubsequences: false) {
            var (host, rest) = (place, Substring())
            if place.hasPrefix("[") {
                guard let end = place.firstIndex(of: "]") else { throw .malformedServer("a [ has no ]") }
                host = place[..<end].dropFirst()
                rest = place[end...].dropFirst()
            } else if let colon = place.lastIndex(of: ":") {
                host = place[..<colon]
                rest = place[colon...]
            }
            guard rest.isEmpty || rest.hasPrefix(":") else { throw .malformedServer("what follows a ] is no port") }
            hosts.append(try decoded(host, "the name of a host"))
            ports.append(try rest.count > 1 ? port(rest.dropFirst()) : defaultPort)
        }
        // A port alone is for libpq's own host.
        return hosts == [""] ? ([], ports) : (hosts, ports)
    }

    private static func numbers(_ text: String) throws(StoreError) -> [UInt16] {
        var ports: [UInt16] = []
        for number in text.split(separator: ",", omittingEmptySubsequences: false) { ports.append(try port(number)) }
        return ports
    }

    private static func port(_ text: Substring) throws(StoreError) -> UInt16 {
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let port = UInt16(text), port > 0
        else {
            throw .malformedServer(
                "a port is a number from 1 to 65535; a : or @ in a password has to be written as %3A or %40"
            )
        }
        return port
    }

    private static func isSchema(_ name: String) -> Bool {
        guard let first = name.utf8.first, first == UInt8(ascii: "_") || isLetter(first), name.utf8.count <= 51 else {
            return false
        }
        return name.utf8.allSatisfy { byte in
            isLetter(byte) || byte == UInt8(ascii: "_") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }

    /// A text with each byte that is neither a letter, a digit nor one of `-._~` as % and two hexadecimal digits.
    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    private static func decoded(_ text: Substring, _ part: String) throws(StoreError) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            else { throw .malformedServer("a % in \(part) is not followed by two hexadecimal digits") }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let result = String(validating: bytes, as: UTF8.self) else {
            throw .malformedServer("\(part) is not in UTF-8")
        }
        return result
    }

    // MARK: The surroundings

    /// The value of an environment variable; nil for an empty one.
    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// The name of the user of this process.
    private static var systemUser: String {
        guard let entry = getpwuid(geteuid()), let name = entry.pointee.pw_name else { return "\(geteuid())" }
        return String(cString: name)
    }
}

extension StoreError {
    /// The address of a database cannot be understood.
    fileprivate static func malformedServer(_ why: String) -> StoreError {
        StoreError(.notAccessible, "The address of the record is malformed: \(why). Its form is \(RecordServer.form).")
    }
}
