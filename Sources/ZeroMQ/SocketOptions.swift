/// The behaviour of a socket; the defaults suit long-lived connections among many hosts.
///
/// The names follow the options of zmq_setsockopt(3). The heartbeats of libzmq are left out on purpose: in 4.3.4 a
/// full receive queue can make them abort the process.
@_spi(Baton) public struct SocketOptions: Sendable {
    /// TCP's probes for a silent peer that may be gone.
    public struct KeepAlive: Sendable {
        /// Silence before the first probe, in whole seconds.
        public var idle: Duration = .seconds(60)
        /// Time between probes, in whole seconds.
        public var interval: Duration = .seconds(15)
        /// The number of unanswered probes before the connection is given up.
        public var probes: Int = 4
    }

    /// The address under which a ROUTER shall know this socket (`ZMQ_ROUTING_ID`), or nil for a made-up address.
    ///
    /// The address must not begin with a zero byte, as made-up addresses do.
    public var routingID: RoutingID?

    /// How long unsent messages outlive their socket (`ZMQ_LINGER`), or nil for ever.
    ///
    /// The time holds up the end of the context, not ``Socket/close()``.
    public var linger: Duration? = .zero

    /// The longest frame to receive, in bytes before encryption (`ZMQ_MAXMSGSIZE`), or nil for any length.
    ///
    /// The socket disconnects a peer that sends a longer frame.
    public var maximumMessageSize: Int? = 64 << 20

    /// The number of messages to a peer that may wait before sending blocks (`ZMQ_SNDHWM`); 0 for no limit.
    public var sendHighWaterMark = 0

    /// The number of messages from a peer that may wait before the peer is slowed down (`ZMQ_RCVHWM`); 0 for no limit.
    public var receiveHighWaterMark = 0

    /// The number of connections that may wait for acceptance (`ZMQ_BACKLOG`); the kernel's own limit applies as well.
    public var backlog = 4_096

    /// TCP's keep-alive probes (`ZMQ_TCP_KEEPALIVE`), or nil for none.
    public var keepAlive: KeepAlive? = KeepAlive()

    /// How long a peer may leave data unread or unacknowledged before TCP ends the connection (`ZMQ_TCP_MAXRT`).
    ///
    /// Nil is for as long as the kernel tries. The option has an effect only if the kernel has such a limit.
    public var unreadTimeout: Duration?

    /// The pause before a new attempt at a lost or refused connection (`ZMQ_RECONNECT_IVL`), at least 1 ms.
    ///
    /// libzmq adds a random part of the same size, so that many peers do not come back at once.
    public var reconnectInterval: Duration = .milliseconds(100)

    /// The longest pause that doubling reaches (`ZMQ_RECONNECT_IVL_MAX`), or nil for a constant pause.
    public var maximumReconnectInterval: Duration? = .seconds(5)

    /// How long an attempt to connect may take (`ZMQ_CONNECT_TIMEOUT`), or nil for as long as the kernel tries.
    public var connectTimeout: Duration? = .seconds(10)

    /// How long a new connection may take until both ends have agreed (`ZMQ_HANDSHAKE_IVL`), or nil for ever.
    public var handshakeTimeout: Duration? = .seconds(30)

    /// Whether a ROUTER reports undeliverable messages (`ZMQ_ROUTER_MANDATORY`) instead of dropping them silently.
    public var isRouterMandatory = true

    /// Whether a returning peer takes its address over from its old connection (`ZMQ_ROUTER_HANDOVER`).
    ///
    /// Any peer may claim the address of another peer. Without the handover, a second connection with an address in use
    /// is ignored: the socket reads none of its messages while the first connection lives.
    public var isRouterHandover = true

    /// The protection of the connections (`ZMQ_CURVE_...`, `ZMQ_ZAP_DOMAIN`).
    public var security: SocketSecurity = .none

    /// The defaults, to be changed by assignment.
    public init() {}
}
