@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A connection to the coordinator, with a socket of its own, so that no message of an earlier session arrives late.
struct CoordinatorConnection {
    /// The endpoint, with an IP address in place of a name.
    let place: String
    let socket: Socket
    let monitor: SocketMonitor
    /// The handshakes of the socket.
    var diagnosis = HandshakeDiagnosis()
    /// Whether a process has accepted the latest attempt to connect.
    var isAccepted = false
    /// Whether the coordinator has answered the hello.
    var isWelcomed = false
    /// Whether it has answered like a coordinator at all, possibly as one that does not lead.
    var hasAnswered = false
    private let poller: Poller
    private let socketSource: Poller.Source
    private let monitorSource: Poller.Source

    init(
        to place: String,
        security: SocketSecurity,
        in context: Context,
        poller: Poller
    ) throws(ZeroMQError) {
        var options = SocketOptions()
        options.maximumMessageSize = WireLimits.maximumMessageLength
        // Between broken handshakes; after any other failure, the loop looks for the coordinator again.
        options.maximumReconnectInterval = .seconds(2)
        options.security = security
        let socket = try Socket(.dealer, in: context, options: options)
        let monitor = try SocketMonitor(of: socket)
        try socket.connect(place)
        self.place = place
        self.socket = socket
        self.monitor = monitor
        self.poller = poller
        socketSource = poller.add(socket)
        monitorSource = poller.add(monitor)
    }

    /// Whether the last poll found messages; asking the socket itself costs several system calls.
    var hasMessages: Bool { poller.isReadable(socketSource) }

    /// Whether the last poll found events of the connection.
    var hasEvents: Bool { poller.isReadable(monitorSource) }

    /// Ends the connection.
    ///
    /// - Parameter linger: how long unsent messages may take to leave; zero drops them.
    func close(lingering linger: Duration = .zero) {
        poller.remove(socketSource)
        poller.remove(monitorSource)
        monitor.close()
        socket.close(lingering: linger)
    }
}
