#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The host name in a coordinator's address.
enum HostName {
    /// The host of a `tcp` endpoint if the host name does not resolve; nil if the name resolves.
    ///
    /// The resolver may take seconds, so call this only to explain a failure.
    static func unresolvable(in endpoint: String) -> String? {
        guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else { return nil }
        let host = endpoint[..<colon].dropFirst("tcp://".count).drop { $0 == "[" }.prefix { $0 != "]" }
        guard !host.isEmpty else { return nil }
        var addresses: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(String(host), nil, nil, &addresses)
        if let addresses { freeaddrinfo(addresses) }
        return code == 0 ? nil : String(host)
    }
}
