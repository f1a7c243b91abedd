import CBatonZeroMQ

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Reports the connections that a bound socket accepts, so that the caller can end some of them.
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
    }

    /// The receiving end; libzmq has the sending end.
    let pair: Socket
    private weak var socket: Socket?

    /// Starts to watch a socket, which must not have a monitor.
    ///
    /// - Throws: `ZeroMQError` if the socket is closed, the context terminated, or no file descriptor is left.
    public init(of socket: Socket) throws(ZeroMQError) {
        let endpoint = socket.context.uniqueMonitorEndpoint()
        pair = try Socket(.pair, in: socket.context)
        let events = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_ACCEPT_FAILED
        guard zmq_socket_monitor(socket.handle, endpoint, events) == 0 else { throw .last("zmq_socket_monitor") }
        self.socket = socket
        try pair.connect(endpoint)
    }

    deinit { close() }

    /// The next arrival, or nil if none waits.
    ///
    /// - Throws: `ZeroMQError` if the watch is closed or the context terminated.
    public func next() throws(ZeroMQError) -> Arrival? {
        while let head = try pair.receiveFrame() {
            // A 16-bit number and a 32-bit value in the host's order, then a frame with the endpoint.
            let event = head.withUnsafeBytes { bytes -> (number: UInt16, value: Int32)? in
                guard bytes.count >= 6 else { return nil }
                return (
                    bytes.loadUnaligned(as: UInt16.self), bytes.loadUnaligned(fromByteOffset: 2, as: Int32.self)
                )
            }
            guard head.hasMore, try pair.receiveFrame() != nil, let event else { continue }
            switch Int32(event.number) {
            case ZMQ_EVENT_ACCEPTED: return .accepted(descriptor: event.value)
            case ZMQ_EVENT_ACCEPT_FAILED: return .failed(event.value)
            default: continue
            }
        }
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
}
