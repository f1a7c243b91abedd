#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The two parts of an endpoint such as `tcp://host:7461`.
///
/// Every address that a user gives is read here. The host's name is not resolved: whether it exists is another matter.
@_spi(Baton) public struct Endpoint: Hashable, Sendable {
    /// What a process does at an endpoint.
    public enum Purpose: Sendable {
        /// Connects to it: the host and the port are definite.
        case connecting
        /// Listens at it: the host may be `*` for all addresses, the port `*` or `0` for any free port.
        case listening
    }

    /// The host: a name, an address without brackets, or `*`.
    public let host: String
    /// The port: a number, or `*`.
    public let port: String

    static let scheme = "tcp://"

    init(host: some StringProtocol, port: some StringProtocol) {
        self.host = String(host)
        self.port = String(port)
    }

    /// Takes an endpoint apart; nil for a malformed one, to which ``objection(to:for:)`` objects.
    public init?(_ text: String, for purpose: Purpose) {
        guard case .success(let endpoint) = Self.parse(text, for: purpose) else { return nil }
        self = endpoint
    }

    /// The endpoint in its usual form.
    public var text: String { Self.scheme + (host.contains(":") ? "[\(host)]" : host) + ":" + port }

    /// Whether the host is an IP address, so that no name has to be resolved.
    public var isNumeric: Bool { addressBytes != nil }

    /// Whether the host is an IPv6 address.
    var isIPv6: Bool { addressBytes?.count == Self.lengthOfIPv6 }

    /// Whether the endpoint stands for all addresses of its host.
    public var isWildcard: Bool { host == "*" || addressBytes?.allSatisfy { $0 == 0 } ?? false }

    /// Whether the endpoint reaches its own host alone.
    public var isLoopback: Bool {
        guard let bytes = addressBytes else { return host.lowercased() == "localhost" }
        if bytes.count == Self.lengthOfIPv6 { return bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 } }
        return bytes.first == 127
    }

    private static let lengthOfIPv6 = 16

    /// The bytes of the IP address; nil for a name.
    private var addressBytes: [UInt8]? { Self.bytes(of: host, AF_INET, 4) ?? Self.bytesOfIPv6(host) }

    /// The bytes of an IPv6 address, whose zone is left out.
    static func bytesOfIPv6(_ host: some StringProtocol) -> [UInt8]? {
        bytes(of: host.prefix { $0 != "%" }, AF_INET6, lengthOfIPv6)
    }

    private static func bytes(of text: some StringProtocol, _ family: Int32, _ length: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: length)
        return inet_pton(family, String(text), &bytes) == 1 ? bytes : nil
    }
}
