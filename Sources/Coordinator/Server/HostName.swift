@_spi(Baton) import BatonZeroMQ

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The name by which people and other coordinators know this host.
enum HostName {
    /// The present name.
    static var present: String {
        // The last byte stays zero, so that the name always has a terminator.
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.isEmpty ? "localhost" : text
    }

    /// The address of a bound socket for others: a host's name stands for all of its addresses.
    static func text(of endpoint: String, at host: String) -> String {
        guard let address = Endpoint(endpoint, for: .listening), address.isWildcard else { return endpoint }
        return "tcp://\(host):\(address.port)"
    }
}
