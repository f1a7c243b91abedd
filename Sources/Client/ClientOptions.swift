@_spi(Baton) public import BatonKeys
@_spi(Baton) public import BatonZeroMQ

/// The keys and the time limits of a client's connection.
@_spi(Baton) public struct ClientOptions: Sendable {
    /// The version of the client's build, sent in the hello for people to read.
    public var version: String

    /// The protection of the connection, with the client's key, if any.
    public var security: SocketSecurity = .none

    /// The token of the operation that the client acts for; nil for a client with a key of its own, and for one without keys.
    ///
    /// The connection then has the protection of the token; ``init(version:to:)`` sets both.
    public var operationToken: OperationToken?

    /// The place where the key was found; nil without one, and if it is unknown.
    public var keySource: KeyLookup.Finding.Source?

    /// The resolver of the host's name in the coordinator's address.
    public var resolver = NameResolver.system

    /// Whether a coordinator is known to be at the address, so that the client waits for it from the beginning if it is away.
    public var isCoordinatorKnown = false

    /// How long a connection may take before the client concludes that no process listens at the address: over a long distance, some
    /// repeated packets.
    public var connectTimeout: Duration = .seconds(10)

    /// How long the peer may give no sign of life before its welcome until the client concludes that it is no coordinator; longer over
    /// a long distance.
    public var welcomeTimeout: Duration = .seconds(5)

    /// How long the coordinator may be silent, while a request is outstanding, before the client sends a probe.
    public var probeAfter: Duration = .seconds(5)

    /// How long the coordinator may be silent, while a request is outstanding, before the client opens a new connection; moving bytes
    /// of a long message end the silence.
    public var silenceLimit: Duration = .seconds(15)

    /// How long a present coordinator may take to answer a change before the client says that the answer is late.
    public var lateAfter: Duration = .seconds(5)

    /// How long a known coordinator may be away before the outstanding requests fail.
    public var awayLimit: Duration = .seconds(60)

    /// How long the client waits for one that leads, while a coordinator refuses it and others stand by, before the outstanding requests
    /// fail: longer than a takeover.
    public var refusalPatience: Duration = .seconds(5)

    /// The pause before the client reconnects after a lost connection, doubled by each attempt in vain up to a second.
    public var reconnectPause: Duration = .milliseconds(200)

    /// Sets the default limits and no protection, for a build of the given version.
    public init(version: String) {
        self.version = version
    }

    /// Sets the limits to their defaults, and the protection to that of the way to a coordinator.
    public init(version: String, to access: CoordinatorAccess) {
        self.init(version: version)
        security = access.security
        operationToken = access.operationToken
        keySource = access.key?.source
    }
}
