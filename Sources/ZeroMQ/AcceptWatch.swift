import CBatonZeroMQ

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Reports the connections that a bound socket accepts, so that the caller can end some of them, and failed handshakes.
///
/// libzmq tries without a pause to accept a connection for which no descriptor is left, and so uses a whole processor:
/// end connections before the descriptors run out. Create the watch before the socket binds, on the socket's thread,
/// and read all arrivals when the watch is readable.
@_spi(Baton) public final class AcceptWatch {
    /// The outcome of an incoming connection.
    public enum Arrival: Equatable, Sendable {
        /// The connection was accepted, and has this descriptor until its end.
        case accepted(descriptor: Int32)
        /// The connection could not be accepted, with this errno.
        case failed(Int32)
        /// An accepted connection has ended in its handshake, or its key was refused; only if asked for.
        ///
        /// The address is an IP address with its port, or nil if the connection ended before the watch was read. A
        /// refusal, `.authentication`, has no address here: ``Authenticator/Request`` has it. `.system` is usually a peer
        /// that went away, a port scanner for instance. A peer of another protocol or of an early ZMTP is not reported:
        /// libzmq has no event for it.
        case handshakeFailed(SocketEvent.HandshakeFailure, peer: String?)
    }

    /// The receiving end; libzmq has the sending end.
    let pair: Socket
    private weak var socket: Socket?
    /// The peers of the accepted connections, if failed handshakes are reported.
    private var peers: PeerAddresses?
    /// A failed handshake, whose connection the next event names.
    private var failure: SocketEvent.HandshakeFailure?

    /// Starts to watch a socket, which must not have a monitor.
    ///
    /// - Parameters:
    ///   - socket: a socket that has not bound yet.
    ///   - reportsHandshakes: whether failed handshakes are reported. The addresses of their peers are right for a context of
    ///     one I/O thread, whose events come in the order of its work.
    /// - Throws: `ZeroMQError` if the socket is closed, the context terminated, or no file descriptor is left.
    public init(of socket: Socket, reportsHandshakes: Bool = false) throws(ZeroMQError) {
        let endpoint = socket.context.uniqueMonitorEndpoint()
        pair = try Socket(.pair, in: socket.context)
        peers = reportsHandshakes ? PeerAddresses() : nil
        let arrivals = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_ACCEPT_FAILED
        let handshakes =
            ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
            | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_DISCONNECTED
        let events = reportsHandshakes ? arrivals | handshakes : arrivals
        guard zmq_socket_monitor(socket.handle, endpoint, events) == 0 else { throw .last("zmq_socket_monitor") }
        self.socket = socket
        try pair.connect(endpoint)
    }

    deinit { close() }

    /// The next arrival, or nil if none waits.
    ///
    /// - Throws: `ZeroMQError` if the watch is closed or the context terminated.
    public func next() throws(ZeroMQError) -> Arrival? {
        while let event = try pair.receiveEvent() {
            if let arrival = arrival(number: event.number, value: event.value) { return arrival }
        }
        peers?.confirm()
        return nil
    }

    /// Ends an accepted connection; libzmq notices, and closes the descriptor.
    ///
    /// If the connection has ended already and another connection has its descriptor, the call ends the new
    /// connection, and its peer connects again.
    public func end(descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Ends the watch; further calls are harmless.
    public func close() {
        socket?.stopMonitor()
        pair.close()
    }

    private func arrival(number: UInt16, value: UInt32) -> Arrival? {
        let descriptor = Int32(truncatingIfNeeded: value)
        switch Int32(number) {
        case ZMQ_EVENT_ACCEPTED:
            peers?.add(descriptor)
            return .accepted(descriptor: descriptor)
        case ZMQ_EVENT_ACCEPT_FAILED:
            return .failed(descriptor)
        case ZMQ_EVENT_DISCONNECTED:
            // libzmq disconnects right after the event of the failure.
            let peer = peers?.remove(descriptor)
            defer { failure = nil }
            return failure.map { .handshakeFailed($0, peer: peer) }
        default:
            guard case .handshakeFailed(let reason) = SocketEvent.Kind(number: number, value: value) else { return nil }
            // The connection of a refused peer lasts until the peer has read the refusal.
            if case .authentication = reason { return .handshakeFailed(reason, peer: nil) }
            failure = reason
            return nil
        }
    }
}
