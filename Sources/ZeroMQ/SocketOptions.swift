/// How a socket behaves; each default is the one that suits long-lived connections among many hosts.
///
/// Named after the options of zmq_setsockopt(3). The heartbeats of libzmq are left out on purpose: in 4.3.4 a full
/// receive queue can make them abort the process.
public struct SocketOptions: Sendable {
    /// How TCP finds out that a silent peer is gone.
    public struct KeepAlive: Sendable {
        /// Silence before the first probe, in whole seconds.
        public var idle: Duration
        /// Time between probes, in whole seconds.
        public var interval: Duration
        /// Unanswered probes after which the connection is given up.
        public var probes: Int

        /// A description of the probes; by default a peer that is gone is noticed after two minutes.
        public init(idle: Duration = .seconds(60), interval: Duration = .seconds(10), probes: Int = 6) {
            self.idle = idle
            self.interval = interval
            self.probes = probes
        }
    }

    /// The address under which a ROUTER shall know this socket (`ZMQ_ROUTING_ID`), or nil for one of its making.
    ///
    /// It must not begin with a zero byte, as the made-up ones do.
    public var routingID: RoutingID?

    /// How long messages that are not sent yet outlive their socket (`ZMQ_LINGER`), or nil for ever.
    ///
    /// The time holds up the end of the context, not ``Socket/close()``.
    public var linger: Duration? = .zero

    /// The longest frame that is received, in bytes (`ZMQ_MAXMSGSIZE`), or nil for any.
    ///
    /// A peer that sends a longer one is disconnected.
    public var maximumMessageSize: Int? = 64 << 20

    /// Messages to a peer that may wait before sending blocks (`ZMQ_SNDHWM`); 0 for no limit.
    public var sendHighWaterMark = 0

    /// Messages from a peer that may wait before it is slowed down (`ZMQ_RCVHWM`); 0 for no limit.
    public var receiveHighWaterMark = 0

    /// Connections that may wait to be accepted (`ZMQ_BACKLOG`); the kernel's own limit applies as well.
    public var backlog = 4_096

    /// TCP's keep-alive probes (`ZMQ_TCP_KEEPALIVE`), or nil for none.
    public var keepAlive: KeepAlive? = KeepAlive()

    /// How long a peer may leave what it is sent unread or unacknowledged before TCP ends the connection
    /// (`ZMQ_TCP_MAXRT`), or nil for as long as the kernel tries; where the kernel knows such a limit.
    public var unreadTimeout: Duration?

    /// The pause before a lost or refused connection is tried again (`ZMQ_RECONNECT_IVL`), at least 1 ms.
    ///
    /// libzmq adds a random part of the same size, so that many peers do not come back at once.
    public var reconnectInterval: Duration = .milliseconds(100)

    /// The most to which the pause grows by doubling (`ZMQ_RECONNECT_IVL_MAX`), or nil if it shall not grow.
    public var maximumReconnectInterval: Duration? = .seconds(5)

    /// How long one attempt to connect may take (`ZMQ_CONNECT_TIMEOUT`), or nil for as long as the kernel tries.
    public var connectTimeout: Duration? = .seconds(10)

    /// How long a new connection may take until both ends have agreed (`ZMQ_HANDSHAKE_IVL`), or nil for ever.
    public var handshakeTimeout: Duration? = .seconds(30)

    /// Whether the name of a host means its IPv6 address first; literal addresses need no option.
    ///
    /// libzmq tries one address of a name only, and `localhost` has two on most hosts: hence not by default.
    public var prefersIPv6 = false

    /// Whether a ROUTER reports a message that it cannot deliver (`ZMQ_ROUTER_MANDATORY`), else it vanishes.
    public var isRouterMandatory = true

    /// Whether a peer that returns takes its address over from its old connection (`ZMQ_ROUTER_HANDOVER`).
    public var isRouterHandover = true

    /// The defaults, to be changed by assignment.
    public init() {}
}
