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
        while let head = try pair.receiveFrame() {
            // A 16-bit number and a 32-bit value in the host's order, then a frame with the endpoint.
            let kind = head.withUnsafeBytes { bytes -> SocketEvent.Kind? in
                guard bytes.count >= 6 else { return nil }
                return SocketEvent.Kind(
                    number: bytes.loadUnaligned(as: UInt16.self),
                    value: bytes.loadUnaligned(fromByteOffset: 2, as: UInt32.self)
                )
            }
            guard head.hasMore, let tail = try pair.receiveFrame(), let kind else { continue }
            let endpoint = tail.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            return SocketEvent(kind: kind, endpoint: endpoint)
        }
        return nil
    }

    /// Ends the monitoring; further calls are harmless.
    public func close() {
        socket?.stopMonitor()
        pair.close()
    }
}
