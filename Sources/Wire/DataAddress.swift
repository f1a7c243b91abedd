/// The address at which a worker sends its files to other workers directly.
@_spi(Baton) public struct DataAddress: Hashable, Sendable {
    /// The most bytes of an endpoint: the longest name of a host, and a port.
    public static let maximumEndpointLength = 300
    /// The number of bytes of a public key.
    public static let keyLength = 32
    /// How an endpoint begins: nothing else than TCP leads to another host.
    static let scheme = "tcp://"

    /// The endpoint, such as `tcp://10.0.0.2:7463`.
    public let endpoint: String
    /// The public key of the process that listens there; nil for a process without keys.
    public let publicKey: [UInt8]?

    /// Takes an address over; nil if the endpoint is not one of TCP, has other signs than an address, or the key has another length.
    public init?(endpoint: String, publicKey: [UInt8]?) {
        guard (Self.scheme.utf8.count + 1...Self.maximumEndpointLength).contains(endpoint.utf8.count),
            endpoint.hasPrefix(Self.scheme), endpoint.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            publicKey.map({ $0.count == Self.keyLength }) ?? true
        else { return nil }
        self.endpoint = endpoint
        self.publicKey = publicKey
    }
}
