/// The names and addresses under which a server lets itself be asked, as the header `Host` says them.
///
/// A page of somebody else can have its own name lead to this server, and the browser then takes the server's answers for the
/// page's own (DNS rebinding). Such requests name the page's host.
@_spi(Baton) public struct HostNames: Sendable {
    private let address: NumericalAddress?
    private let names: Set<String>
    private let port: Int
    private let usualPort: Int

    /// Collects the names of a server.
    ///
    /// - Parameters:
    ///   - host: the numerical address that the server is bound to; brackets around an IPv6 address are allowed.
    ///   - port: the port that the server listens at.
    ///   - names: further names and addresses, such as those of a proxy, without a port.
    ///   - isEncrypted: whether the server speaks TLS.
    public init(boundTo host: String, port: Int, names: [String] = [], isEncrypted: Bool = false) {
        address = NumericalAddress(Self.withoutBrackets(host))
        var known = Set(names.map { Self.withoutBrackets($0).lowercased() })
        if address.map({ $0.isLoopback || $0.isWildcard }) ?? false { known.insert("localhost") }
        self.names = known
        self.port = port
        usualPort = isEncrypted ? 443 : 80
    }

    /// Whether the server is bound to a numerical address, and not to a name.
    public var isNumerical: Bool { address != nil }

    /// Whether a text can be a further name: a name or an address without a port, since others never match.
    public static func isName(_ text: String) -> Bool {
        let name = withoutBrackets(text)
        if NumericalAddress(name) != nil { return true }
        return (1...253).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x2D || byte == 0x2E
                    || byte == 0x5F
            }
    }

    /// Whether the server can be reached from this host alone.
    public var isLoopback: Bool { address?.isLoopback ?? false }

    /// Why a request is refused because of its `Host`; nil if its name is known.
    func failure(of head: HTTPRequestHead) -> HTTPFailure? {
        guard let value = head.headers.only("Host"), let (host, port) = Self.parts(of: value) else {
            return HTTPFailure(400, "The request has no header Host, more than one, or a malformed one.")
        }
        guard (port ?? usualPort) == self.port, isKnown(host) else {
            return HTTPFailure(
                421,
                "This server does not answer for \(value). Another name is allowed with the option --http-host."
            )
        }
        return nil
    }

    private func isKnown(_ host: String) -> Bool {
        if names.contains(host.lowercased()) { return true }
        guard let asked = NumericalAddress(host), let address else { return false }
        // No name is behind an address, so that none can be made to lead here.
        return address.isWildcard || asked == address || address.isLoopback && asked.isLoopback
            || names.contains { NumericalAddress($0) == asked }
    }

    private static func withoutBrackets(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// The host, without brackets, and the port of a header's value; nil for a malformed value.
    private static func parts(of value: String) -> (host: String, port: Int?)? {
        var host = value[...]
        var port: Int?
        let colon = value.lastIndex(of: ":")
        if let colon, value[colon...].firstIndex(of: "]") == nil,
            value.hasPrefix("[") || value.firstIndex(of: ":") == colon
        {
            let digits = value[value.index(after: colon)...]
            guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(digits)
            else { return nil }
            port = number
            host = value[..<colon]
        }
        if host.hasPrefix("[") {
            guard host.hasSuffix("]") else { return nil }
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        return host.isEmpty ? nil : (String(host), port)
    }
}
