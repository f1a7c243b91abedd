/// IPv4 addresses as a socket of both families shows them.
enum MappedAddress {
    private static let prefix = "::ffff:"

    /// The IPv4 address in an IPv4-mapped IPv6 address such as `::ffff:192.0.2.1`; any other address as it is.
    static func plain(_ address: String) -> String {
        guard address.hasPrefix(prefix) else { return address }
        let rest = String(address.dropFirst(prefix.count))
        return rest.contains(".") ? rest : address
    }
}
