/// Turns the host of an endpoint into addresses.
@_spi(Baton) public struct NameResolver: Sendable {
    /// The system's resolver, with its files and name servers.
    public static let system = NameResolver { ServerProbe($0).addresses }

    private let resolve: @Sendable (Endpoint) -> [ServerProbe.Address]

    /// Resolves names by a function that may block.
    public init(_ resolve: @escaping @Sendable (Endpoint) -> [ServerProbe.Address]) {
        self.resolve = resolve
    }

    /// The addresses of an endpoint, in the order in which to try them; empty if the host is unknown.
    ///
    /// The call may block for many seconds.
    public func addresses(of endpoint: Endpoint) -> [ServerProbe.Address] { resolve(endpoint) }
}
