@_spi(Baton) public import BatonKeys
@_spi(Baton) public import BatonWire

/// The coordinator, as the web interface asks it.
@_spi(Baton) public protocol WebCluster: Sendable {
    /// A new connection, which asks with the rights of a key; nil asks a coordinator without keys.
    func connect(by key: AuthorizedKey?) -> any WebConnection

    /// The address of the web interface of the present leader; nil if this coordinator leads, and if the address is not known.
    var leadersPage: String? { get }
}

@_spi(Baton) extension WebCluster {
    /// Nothing: most coordinators are alone.
    public var leadersPage: String? { nil }
}

/// A connection to the coordinator for one request at a time.
@_spi(Baton) public protocol WebConnection: Sendable {
    /// The number of the newest event in the record, without a question: the answers to later requests know of all events up to
    /// this one.
    var newestEvent: UInt64 { get }

    /// Sends a request, and waits for the answer; nil if the coordinator is ending or the key is revoked.
    func ask(_ request: Request) async -> Reply?

    /// Ends the connection; an open request has no answer.
    func close()
}
