/// The names and addresses under which a server lets itself be asked, as the header `Host` says them.
///
/// A page of somebody else can have its own name lead to this server, and the browser then takes the server's answers for the
/// page's own (DNS rebinding). Such requests name the page's host. Their port says nothing: a container, a tunnel or a firewall may
/// forward any port to this server's, and the page of a name that is the server's own can lead nowhere else.
@_spi(Baton) public struct HostNames: Sendable {
    /// A name that the operator allowed beside the names of the server's own address.
    private struct Allowed {
        var host: String
        var address: NumericalAddress?
        /// The port at which a proxy is asked; nil if none was given.
        var port: Int?

        /// Reads `NAME` or `NAME:PORT`; nil for any other text.
        init?(_ text: String) {
            if let address = NumericalAddress(HostNames.withoutBrackets(text)) {
                (host, self.address, port) = (HostNames.withoutBrackets(text), address, nil)
                return
            }
            guard let (host, port) = HostNames.parts(of: text), port.map({ (1...65535).contains($0) }) ?? true else {
                return nil
            }
            (self.host, self.port, address) = (host.lowercased(), port, NumericalAddress(host))
            let isName =
                (1...253).contains(host.utf8.count)
                && host.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x2D || byte == 0x2E
                        || byte == 0x5F
                }
            guard isName || address != nil else { return nil }
        }

        func matches(_ asked: String) -> Bool {
            if let address { return NumericalAddress(asked) == address }
            return asked.lowercased() == host
        }
    }

    private let address: NumericalAddress?
    private let isLocalhost: Bool
    private let allowed: [Allowed]
    private let host: String
    private let port: Int

    /// Collects the names of a server.
    ///
    /// - Parameters:
    ///   - host: the numerical address that the server is bound to; brackets around an IPv6 address are allowed.
    ///   - port: the port that the server listens at.
    ///   - names: further names and addresses, such as the name of a proxy, each with or without a port; other texts never match.
    public init(boundTo host: String, port: Int, names: [String] = []) {
        address = NumericalAddress(Self.withoutBrackets(host))
        isLocalhost = address.map { $0.isLoopback || $0.isWildcard } ?? false
        allowed = names.compactMap { Allowed($0) }
        self.host = host
        self.port = port
    }

    /// Whether the server is bound to a numerical address, and not to a name.
    public var isNumerical: Bool { address != nil }

    /// Whether a text can be a further name: a name or an address, with a port or without.
    public static func isName(_ text: String) -> Bool { Allowed(text) != nil }

    /// Whether the server can be reached from this host alone.
    public var isLoopback: Bool { address?.isLoopback ?? false }

    /// The host and the port by which programs of this host ask the server.
    ///
    /// A server at all addresses has no address of its own. Programs use the loopback address; with encryption, programs use the first
    /// further name without a port, which is the name in the certificate.
    public func authority(isEncrypted: Bool) -> String {
        guard address?.isWildcard ?? false else { return "\(host):\(port)" }
        let name = allowed.first { isEncrypted && $0.port == nil }.map {
            $0.host.contains(":") ? "[\($0.host)]" : $0.host
        }
        return "\(name ?? (host.contains(":") ? "[::1]" : "127.0.0.1")):\(port)"
    }

    /// The address at which other hosts find the server: by its first further name, else by its own address.
    ///
    /// - Returns: nil for a server that only its own host reaches, for a server at all addresses without a further name, and for a port
    ///   that is not chosen yet.
    public func urlForOthers(isEncrypted: Bool) -> String? {
        guard port != 0, let address, !address.isLoopback else { return nil }
        guard let name = allowed.first else {
            guard !address.isWildcard else { return nil }
            return "\(isEncrypted ? "https" : "http")://\(Self.withBrackets(host)):\(port)/"
        }
        // The standard port of encrypted pages is that of a proxy.
        let scheme = isEncrypted || name.port == 443 ? "https" : "http"
        return "\(scheme)://\(Self.withBrackets(name.host)):\(name.port ?? port)/"
    }

    /// Why a request is refused because of its `Host`; nil if its name is known.
    func failure(of head: HTTPRequestHead) -> HTTPFailure? {
        guard let value = head.headers.only("Host"), let (host, port) = Self.parts(of: value) else {
            return HTTPFailure(400, "The request has no header Host, more than one, or a malformed one.")
        }
        guard isOwn(host) || isAllowed(host, port) else {
            return HTTPFailure(
                421,
                "This server does not answer for \(value). Another name is allowed with the option --http-host."
            )
        }
        return nil
    }

    /// Whether an origin is that of a page of a proxy, whose name was allowed.
    ///
    /// The page of a proxy is encrypted, or else this server's connections are not either.
    ///
    /// - Parameter isEncrypted: whether the connection to this server is.
    func isOrigin(_ origin: String, isEncrypted: Bool) -> Bool {
        for (scheme, port) in [("https://", 443), ("http://", 80)]
        where origin.lowercased().hasPrefix(scheme) && (port == 443 || !isEncrypted) {
            guard let (host, given) = Self.parts(of: String(origin.dropFirst(scheme.count))) else { return false }
            return isAllowedPage(host, given, standard: port)
        }
        return false
    }

    /// Whether a host is a name of the server's own address.
    private func isOwn(_ host: String) -> Bool {
        if isLocalhost && host.lowercased() == "localhost" { return true }
        guard let asked = NumericalAddress(host), let address else { return false }
        // No name is behind an address, so that none can be made to lead here.
        return address.isWildcard || asked == address || address.isLoopback && asked.isLoopback
    }

    /// Whether a host with a port is one that was allowed.
    private func isAllowed(_ host: String, _ port: Int?) -> Bool {
        allowed.contains { name in
            guard name.matches(host) else { return false }
            guard let own = name.port else { return true }
            return port == own || port == nil && [80, 443].contains(own)
        }
    }

    /// Whether a host with a port is that of a page of an allowed name.
    ///
    /// Another server of the same host has pages at another port, which may not act here.
    ///
    /// - Parameter standard: the port that clients leave out.
    private func isAllowedPage(_ host: String, _ port: Int?, standard: Int) -> Bool {
        allowed.contains { name in
            guard name.matches(host) else { return false }
            // Without a port of its own, the name is that of a proxy at a standard port, or of this server itself.
            guard let own = name.port else { return port.map { $0 == self.port || $0 == standard } ?? true }
            return port == own || port == nil && own == standard
        }
    }

    private static func withBrackets(_ host: String) -> String {
        host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
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
