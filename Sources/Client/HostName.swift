#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The host in a coordinator's address.
enum HostName {
    /// The host of a `tcp` endpoint, where the system knows no address of that name; nil where it does.
    ///
    /// It asks the resolver, which may take seconds: for the explanation of a failure only.
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
