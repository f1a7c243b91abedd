extension Endpoint {
    /// The reason why a text is no endpoint, as the end of a sentence.
    struct Objection: Error {
        let text: String
        /// Whether the text has the corrected endpoint in it.
        let isCorrection: Bool

        init(_ text: String, isCorrection: Bool = false) {
            self.text = text
            self.isCorrection = isCorrection
        }
    }

    /// The reason why a text is no endpoint, as the end of a sentence; nil for a valid endpoint.
    public static func objection(to text: String, for purpose: Purpose) -> String? {
        guard case .failure(let objection) = parse(text, for: purpose) else { return nil }
        return objection.text
    }

    /// The reason why a text is no endpoint, and the right form, as the end of a text; nil for a valid endpoint.
    public static func advice(on text: String, for purpose: Purpose) -> String? {
        guard case .failure(let objection) = parse(text, for: purpose) else { return nil }
        return objection.isCorrection ? "\(objection.text)." : "\(objection.text). Write it like tcp://127.0.0.1:7461."
    }

    static func parse(_ text: String, for purpose: Purpose) -> Result<Endpoint, Objection> {
        Result { () throws(Objection) in try Endpoint(parsing: text, for: purpose) }
    }

    private init(parsing text: String, for purpose: Purpose) throws(Objection) {
        guard !text.contains(where: \.isWhitespace) else { throw Objection("it has white space in it") }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Objection("it has a character that is not printable ASCII")
        }
        guard text.hasPrefix(Self.scheme) else { throw Objection("it does not begin with tcp://") }
        let rest = text.dropFirst(Self.scheme.count)
        guard !rest.contains("/") else {
            throw Objection(rest.contains("://") ? "it has a second scheme" : "it has a slash after tcp://")
        }
        let (host, port) = try Self.split(rest)
        try Self.check(host, for: purpose)
        try Self.check(port: port, for: purpose)
        // libzmq takes a host to listen at for an interface or an address, and asks nobody for names.
        let isLocal = purpose == .listening && host.lowercased() == "localhost"
        self.init(host: isLocal ? "127.0.0.1" : host, port: port)
    }

    /// Splits the text after the scheme into the host without brackets, and the port.
    private static func split(_ rest: Substring) throws(Objection) -> (host: Substring, port: Substring) {
        guard rest.first == "[" else {
            guard let colon = rest.lastIndex(of: ":") else { throw Objection("the port is missing") }
            let host = rest[..<colon]
            guard !host.contains(":") else { throw objection(toColonsIn: rest, host: host) }
            return (host, rest[rest.index(after: colon)...])
        }
        guard let end = rest.firstIndex(of: "]") else { throw Objection("a closing bracket is missing") }
        let host = rest.dropFirst().prefix { $0 != "]" }
        guard bytesOfIPv6(host) != nil else { throw Objection("the brackets hold no IPv6 address") }
        let tail = rest[rest.index(after: end)...]
        guard tail.first == ":" else { throw Objection("the port is missing after the bracket") }
        return (host, tail.dropFirst())
    }

    /// Explains an IPv6 address without brackets, whose end could be a port as well.
    private static func objection(toColonsIn rest: Substring, host: Substring) -> Objection {
        let port = rest[host.endIndex...].dropFirst()
        let corrected: String? =
            if bytesOfIPv6(host) != nil, !port.isEmpty {
                "[\(host)]:\(port)"
            } else if bytesOfIPv6(rest) != nil {
                "[\(rest)]:7461"
            } else {
                nil
            }
        guard let corrected else { return Objection("the host has a colon in it") }
        return Objection("write an IPv6 address in brackets: \(scheme)\(corrected)", isCorrection: true)
    }

    private static func check(_ host: Substring, for purpose: Purpose) throws(Objection) {
        guard !host.isEmpty else { throw Objection("the host is missing") }
        if host == "*" {
            guard purpose == .listening else {
                throw Objection("* stands for all addresses of a host, and nobody can connect to it")
            }
            return
        }
        if let wrong = host.first(where: { "*[];@\"'".contains($0) }) {
            throw Objection("the host has the character \(wrong) in it")
        }
    }

    private static func check(port: Substring, for purpose: Purpose) throws(Objection) {
        guard !port.isEmpty else { throw Objection("the port is missing") }
        if port == "*" || port == "0" {
            guard purpose == .listening else { throw Objection("it names no port to connect to") }
            return
        }
        // libzmq 4.3.4 takes 99999 for 99999 modulo 65536.
        let isNumber = port.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isNumber, (UInt16(port) ?? 0) > 0 else {
            throw Objection("the port is not a number from 1 to 65535")
        }
    }
}
