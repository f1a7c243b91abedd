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
            guard let kind = SocketEvent.Kind(number: event.number, value: event.value) else { continue }
            return SocketEvent(kind: kind, endpoint: event.endpoint)
        }
        return nil
    }

    /// Ends the monitoring; further calls are harmless.
    public func close() {
        socket?.stopMonitor()
        pair.close()
    }
}
