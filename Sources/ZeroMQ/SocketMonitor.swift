import CBatonZeroMQ

/// The events of a socket's connections, read on the thread of the socket.
///
/// Create the monitor before the socket binds or connects, so that no event is missed, and add the monitor to the same
/// ``Poller``. Read all events when the monitor is readable: libzmq keeps events without limit. A monitor does not
/// keep its socket alive.
@_spi(Baton) public final class SocketMonitor {
    /// The receiving end; libzmq has the sending end.
    let pair: Socket
    private weak var socket: Socket?
    /// The present connection of a connecting socket.
    private var connection: TCPConnection?
    private var signs = SignsOfLife()

    /// Starts to monitor a socket, which must not have another monitor.
    ///
    /// - Throws: `ZeroMQError` if the socket is closed, the context terminated, or no file descriptor is left.
    public init(of socket: Socket) throws(ZeroMQError) {
        let endpoint = socket.context.uniqueMonitorEndpoint()
        // The high-water mark of 0 matters: libzmq's I/O thread would wait for a full monitor.
        pair = try Socket(.pair, in: socket.context)
        guard zmq_socket_monitor(socket.handle, endpoint, SocketEvent.Kind.mask) == 0 else {
            throw .last("zmq_socket_monitor")
        }
        self.socket = socket
        try pair.connect(endpoint)
    }

    deinit { close() }

    /// The next event, or nil if none waits.
    ///
    /// - Throws: `ZeroMQError` if the monitor is closed or the context terminated.
    public func next() throws(ZeroMQError) -> SocketEvent? {
        while let event = try pair.receiveEvent() {
            noteConnection(number: event.number, value: event.value)
            guard let kind = SocketEvent.Kind(number: event.number, value: event.value) else { continue }
            return SocketEvent(kind: kind, endpoint: event.endpoint)
        }
        return nil
    }

    /// The latest sign of life of a connecting socket's peer in the bytes of the connection; nil without a connection, or where
    /// the kernel does not tell.
    ///
    /// Call it only when no event waits, a few times while the peer is silent, and not for each message.
    ///
    /// - Complexity: three system calls.
    public func signOfLife() -> SignOfLife? {
        guard let activity = connection?.activity else { return nil }
        return SignOfLife(age: signs.age(in: activity), roundTrip: activity.roundTrip)
    }

    /// Keeps the present connection in mind.
    ///
    /// The descriptor of an event may belong to another connection by the time of the reading. But libzmq reports the end of a
    /// connection before it closes the descriptor, so the end is then among the events that wait, and is read next.
    private func noteConnection(number: UInt16, value: UInt32) {
        switch Int32(number) {
        case ZMQ_EVENT_CONNECTED:
            connection = TCPConnection(descriptor: Int32(truncatingIfNeeded: value))
            signs = SignsOfLife()
        case ZMQ_EVENT_DISCONNECTED: connection = nil
        default: break
        }
    }

    /// Ends the monitoring; further calls are harmless.
    public func close() {
        socket?.stopMonitor()
        pair.close()
    }
}
