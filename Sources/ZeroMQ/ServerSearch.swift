@_spi(Baton) public import BatonThreads

/// Looks for an address of an endpoint at which a server accepts connections.
///
/// libzmq itself would resolve a name on its I/O thread, which serves all its connections, and would try one address alone.
@_spi(Baton) public struct ServerSearch: Sendable {
    /// What a search has found.
    public enum Finding: Hashable, Sendable {
        /// A process accepts connections at this endpoint, which has an IP address in place of the name.
        case server(String)
        /// The host's name has no address, or no name server answers.
        case unknownHost
        /// No process listens at any of the addresses.
        case refused
        /// Nothing has answered in time: the host is away, or a firewall drops the packets.
        case silent
        /// The system's reason in words.
        case failed(String)
    }

    private let endpoint: Endpoint
    private let resolver: NameResolver
    private let patience: Duration

    /// Describes a search.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint that a user has given.
    ///   - resolver: the resolver of the host's name.
    ///   - patience: how long the addresses may take to accept a connection, once they are known.
    public init(for endpoint: Endpoint, resolver: NameResolver, patience: Duration) {
        self.endpoint = endpoint
        self.resolver = resolver
        self.patience = patience
    }

    /// Searches on a thread of its own, and hands the finding over there.
    ///
    /// - Parameters:
    ///   - last: the endpoints to try after all others, since they were of no use before.
    ///   - deliver: called once.
    /// - Throws: `ThreadFailure` if the system has no room for a thread.
    public func start(
        trying last: Set<String> = [],
        _ deliver: @escaping @Sendable (Finding) -> Void
    ) throws(ThreadFailure) {
        try SystemThread.detach(named: "search") { deliver(finding(trying: last)) }
    }

    /// Searches, and blocks until the end.
    func finding(trying last: Set<String> = []) -> Finding {
        let addresses = resolver.addresses(of: endpoint)
        guard !addresses.isEmpty else { return .unknownHost }
        let ordered = addresses.filter { !last.contains($0.endpoint) } + addresses.filter { last.contains($0.endpoint) }
        var race = ConnectionRace(ordered, until: .now + patience)
        return race.run()
    }
}
