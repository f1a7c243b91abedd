@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A socket, its monitor, and their places in the poller.
struct ClientWire {
    private let socket: Socket
    private let monitor: SocketMonitor
    private let messages: Poller.Source
    private let events: Poller.Source

    init(to endpoint: String, in context: Context, poller: Poller, options: ClientOptions) throws(ZeroMQError) {
        var settings = SocketOptions()
        settings.maximumMessageSize = WireLimits.maximumMessageLength
        settings.connectTimeout = options.connectTimeout
        // Between broken handshakes; after any other failure, the loop looks for the coordinator again.
        settings.maximumReconnectInterval = .seconds(1)
        settings.security = options.security
        socket = try Socket(.dealer, in: context, options: settings)
        monitor = try SocketMonitor(of: socket)
        messages = poller.add(socket)
        events = poller.add(monitor)
        do {
            try socket.connect(endpoint)
        } catch {
            close(poller: poller)
            throw error
        }
    }

    func close(poller: Poller) {
        poller.remove(messages)
        poller.remove(events)
        monitor.close()
        socket.close()
    }

    func sayHello(_ options: ClientOptions) throws(ZeroMQError) {
        let proof = options.operationToken.map { Secret($0.proof.bytes) }
        try send(ClientMessage.hello(.own, version: options.version, proof: proof).encoded())
    }

    /// Sends a message.
    ///
    /// The socket has no high-water mark and a single peer, so the socket accepts every message.
    func send(_ bytes: [UInt8]) throws(ZeroMQError) {
        _ = try socket.send(bytes)
    }

    func receive() throws(ZeroMQError) -> Message? {
        try socket.receive()
    }

    /// The latest sign of life of the coordinator in the bytes of the connection; nil if nobody can tell.
    func signOfLife() -> SignOfLife? {
        monitor.signOfLife()
    }

    func nextEvent() throws(ZeroMQError) -> SocketEvent.Kind? {
        try monitor.next()?.kind
    }
}
