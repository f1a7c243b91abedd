/// The address to which spans are posted.
@_spi(Baton) public struct TraceEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// The path of the traces below an endpoint of OTLP.
    public static let path = "/v1/traces"
    /// The endpoint of a collector on this host.
    public static let standard = "http://127.0.0.1:4318"

    /// The name or numerical address of the host, without brackets.
    public let host: String
    /// The port.
    public let port: UInt16
    /// The path and the query, as they stand in the request.
    public let target: String
    /// The host and the port, as they stand in the header `Host`.
    public let authority: String

    /// Reads the address of an endpoint.
    ///
    /// - Parameters:
    ///   - text: the address, such as `http://127.0.0.1:4318`.
    ///   - isWhole: whether the address is used as it is; else ``path`` is appended.
    ///   - source: where the address comes from, such as an option, for the sentence of an error.
    /// - Throws: ``TraceSettingsError`` for an address of another form.
    public init(_ text: String, isWhole: Bool = false, from source: String) throws(TraceSettingsError) {
        func wrong(_ what: String) -> TraceSettingsError {
            // An address may carry a password.
            let shown = text.contains("@") ? "" : " '\(String(text.prefix(200)))'"
            return TraceSettingsError("The address\(shown) in \(source) \(what) Give one such as \(Self.standard).")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw wrong("has white space, or characters outside of ASCII.")
        }
        let lowered = text.lowercased()
        if lowered.hasPrefix("https://") {
            throw TraceSettingsError(
                "The address in \(source) begins with https, and baton sends spans over http alone. Give the address of a collector on "
                    + "this host, which forwards them, or of a proxy that speaks TLS."
            )
        }
        guard lowered.hasPrefix("http://") else { throw wrong("does not begin with http://.") }
        let rest = text.dropFirst("http://".count)
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        var target = String(rest[end...])
        guard !authority.contains("@") else {
            throw wrong("has a user's name: give credentials in OTEL_EXPORTER_OTLP_HEADERS.")
        }
        guard !target.contains("#"), isWhole || !target.contains("?") else { throw wrong("has a query or a fragment.") }
        let (host, port) = try Self.parts(of: authority) { wrong($0) }
        self.host = host
        self.port = port
        self.authority = String(authority)
        if isWhole {
            self.target = target.hasPrefix("/") ? target : "/" + target
        } else {
            while target.hasSuffix("/") { target.removeLast() }
            self.target = target + Self.path
        }
    }

    /// The address in full.
    public var description: String { "http://\(authority)\(target)" }

    private static func parts(
        of authority: Substring,
        _ wrong: (String) -> TraceSettingsError
    ) throws(TraceSettingsError) -> (host: String, port: UInt16) {
        var host = authority
        var port: UInt16 = 80
        let colon = authority.lastIndex(of: ":")
        if let colon, authority.last != "]" {
            let digits = authority[authority.index(after: colon)...]
            guard digits.allSatisfy(\.isASCIIDigit), let number = UInt16(digits), number > 0 else {
                throw wrong("has no port from 1 to 65535 behind the colon.")
            }
            host = authority[..<colon]
            port = number
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(where: { ":[]".contains($0) }) {
            throw wrong("has a host with colons: put an IPv6 address in brackets.")
        }
        guard !host.isEmpty else { throw wrong("has no host.") }
        return (String(host), port)
    }
}

extension Character {
    /// Whether the character is a digit from 0 to 9.
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

/// A setting of the export that cannot be used.
@_spi(Baton) public struct TraceSettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence that names the setting, its fault and a remedy.
    public let description: String

    init(_ description: String) { self.description = description }
}
