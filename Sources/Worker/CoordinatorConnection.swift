import Wire
import ZeroMQ

/// One connection life: a socket of its own, so that nothing of an earlier session is delivered late.
struct CoordinatorConnection {
    let socket: Socket
    let monitor: SocketMonitor
    private let poller: Poller
    private let sources: [Poller.Source]

    init(to coordinator: String, in context: Context, poller: Poller) throws(ZeroMQError) {
        var options = SocketOptions()
        options.maximumMessageSize = WireLimits.maximumMessageLength
        options.maximumReconnectInterval = .seconds(2)
        let socket = try Socket(.dealer, in: context, options: options)
        let monitor = try SocketMonitor(of: socket)
        try socket.connect(coordinator)
        self.socket = socket
        self.monitor = monitor
        self.poller = poller
        sources = [poller.add(socket), poller.add(monitor)]
    }

    /// Ends the connection.
    ///
    /// - Parameter linger: how long what was sent last may take to leave; with zero it is dropped.
    func close(lingering linger: Duration = .zero) {
        for source in sources { poller.remove(source) }
        monitor.close()
        socket.close(lingering: linger)
    }
}
