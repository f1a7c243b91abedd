@_spi(Baton) import BatonZeroMQ

/// The reach of an address: its own host, or other hosts too.
@_spi(Baton) extension ServerAddress {
    /// Whether the address stands for all addresses of its host, as in `tcp://0.0.0.0:7461`.
    public var isWildcard: Bool { endpoint?.isWildcard ?? false }

    /// Whether the address reaches its own host alone, as in `tcp://127.0.0.1:7461`.
    public var isLoopback: Bool { endpoint?.isLoopback ?? false }

    /// The address by which a process of the same host reaches a server that listens at this address.
    public var fromSameHost: ServerAddress {
        guard let endpoint, endpoint.isWildcard else { return self }
        return ServerAddress("tcp://127.0.0.1:\(endpoint.port)") ?? self
    }

    /// Whether the two have an address in common.
    func sharesAddress(with other: ServerAddress) -> Bool {
        guard self != other else { return true }
        let own = EndpointList(asGiven: text)
        return EndpointList(asGiven: other.text).endpoints.contains { own.contains($0) }
    }

    /// Whether a server that listens at this address may accept connections to another address.
    ///
    /// A server at all addresses of its host may have any name or address there.
    func mayAnswer(at address: ServerAddress) -> Bool {
        guard self != address else { return true }
        guard let endpoint, endpoint.port == address.endpoint?.port else { return false }
        return isWildcard || isLoopback && address.isLoopback
    }

    /// The parts of the address; nil if it has another form.
    private var endpoint: Endpoint? { Endpoint(text, for: .listening) }
}
