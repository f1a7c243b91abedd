import CBatonZeroMQ

/// A libzmq socket, confined to the thread that created it.
///
/// libzmq's sockets are not thread safe, so this class is not `Sendable`: create, use and close a socket on a single
/// thread, and wake the thread from others with a ``Waker`` or a ``PolledMailbox``. No call on a socket ever waits;
/// ``Poller`` does the waiting.
@_spi(Baton) public final class Socket {
    /// The types of sockets.
    public enum Kind: Sendable {
        /// Talks to any number of peers, each with a ``RoutingID``.
        case router
        /// Talks to its connected peers in turn; with a single connection, to a single peer.
        case dealer
        /// Talks to a single other pair, usually inside the process.
        case pair
    }

    /// The type of the socket.
    public let kind: Kind
    /// The context of the socket, which the socket keeps alive.
    public let context: Context

    /// Nil once closed; libzmq answers calls with nil by `ENOTSOCK`.
    private(set) var handle: UnsafeMutableRawPointer?
    /// Whether no message waits, and whatever comes from now on makes ``eventDescriptor()`` readable.
    ///
    /// libzmq's manual of ZMQ_FD: each call on a socket may take the signal of a message that waits then.
    private(set) var isKnownToBeEmpty = false

    /// Opens a socket and sets its options.
    ///
    /// - Throws: `ZeroMQError` if the context is terminated or full, no file descriptor is left, or libzmq refuses an
    ///   option's value.
    public init(_ kind: Kind, in context: Context, options: SocketOptions = SocketOptions()) throws(ZeroMQError) {
        self.kind = kind
        self.context = context
        handle = try context.open(kind.type)
        try options.apply(to: self)
    }

    deinit { close() }

    /// Listens at an endpoint, such as `tcp://*:7461`, `tcp://[::1]:7461` or, for any free port, `tcp://127.0.0.1:*`.
    ///
    /// The host is an address, the name of a network interface, or `localhost`, not the name of another host. All addresses, `*`, are those of
    /// IPv4 and IPv6, or those of IPv4 alone on a host without IPv6.
    ///
    /// - Throws: `ZeroMQError`, whose `reason` distinguishes an address in use from a wrong address.
    public func bind(_ endpoint: String) throws(ZeroMQError) {
        noteCall()
        try prepare(for: endpoint, .listening, call: "zmq_bind")
        let parsed = Endpoint(endpoint, for: .listening)
        guard zmq_bind(handle, parsed?.text ?? endpoint) != 0 else { return }
        let error = ZeroMQError.last("zmq_bind", endpoint)
        guard error.reason != .addressInUse, parsed?.host == "*" else { throw error }
        try setIPv6(false)
        guard zmq_bind(handle, endpoint) == 0 else { throw .last("zmq_bind", endpoint) }
    }

    /// Gives up an endpoint inside the process at once; of no effect on a closed socket.
    func unbind(_ endpoint: String) {
        noteCall()
        zmq_unbind(handle, endpoint)
    }

    /// Connects to an endpoint, and again whenever the connection is lost.
    ///
    /// The call returns at once, before the connection exists; a ``SocketMonitor`` reports the progress.
    ///
    /// - Throws: `ZeroMQError` if the endpoint is malformed; not if no process listens at the endpoint.
    public func connect(_ endpoint: String) throws(ZeroMQError) {
        noteCall()
        try prepare(for: endpoint, .connecting, call: "zmq_connect")
        guard zmq_connect(handle, endpoint) == 0 else { throw .last("zmq_connect", endpoint) }
    }

    /// The last endpoint to be bound or connected, with the port that the system chose; empty before.
    public var lastEndpoint: String {
        get throws(ZeroMQError) {
            var length = 1_024
            let (code, text) = withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { buffer in
                guard zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, buffer.baseAddress, &length) == 0 else {
                    return (zmq_errno(), "")
                }
                return (0, String(decoding: buffer.prefix(max(0, length - 1)), as: UTF8.self))
            }
            guard code == 0 else { throw ZeroMQError(code: code, call: "zmq_getsockopt") }
            return text
        }
    }

    /// Closes the socket at once; a second call is harmless, any other call throws from then on.
    ///
    /// Unsent messages follow ``SocketOptions/linger``.
    public func close() {
        guard let open = handle else { return }
        stopMonitor()
        handle = nil
        zmq_close(open)
    }

    /// Ends the events of the socket's monitor, if any, with a last event that tells of the end.
    ///
    /// The call has to come before either end closes: otherwise libzmq's I/O thread, and all its connections, would
    /// wait for ever to send an event to a monitor that has gone.
    func stopMonitor() {
        noteCall()
        zmq_socket_monitor(handle, nil, 0)
    }

    /// Checks the form of a TCP endpoint, more strictly than libzmq, and chooses the family of addresses.
    private func prepare(
        for endpoint: String,
        _ purpose: Endpoint.Purpose,
        call: String
    ) throws(ZeroMQError) {
        guard endpoint.hasPrefix(Endpoint.scheme) else { return }
        guard let parts = Endpoint(endpoint, for: purpose) else {
            throw ZeroMQError(code: EINVAL, call: call, subject: endpoint)
        }
        // With the option on, libzmq shows 127.0.0.1 as ::ffff:127.0.0.1 and takes ::1 for localhost.
        try setIPv6(parts.isIPv6 || parts.host == "*")
    }

    private func setIPv6(_ isIPv6: Bool) throws(ZeroMQError) {
        try set(ZMQ_IPV6, Int32(isIPv6 ? 1 : 0), "ZMQ_IPV6")
    }

    /// Sets a numeric option.
    func set(_ option: Int32, _ value: some FixedWidthInteger, _ name: String) throws(ZeroMQError) {
        let code = withUnsafeBytes(of: value) { setBytes(option, $0) }
        guard code == 0 else { throw ZeroMQError(code: code, call: "zmq_setsockopt", subject: name) }
    }

    /// Sets an option, and returns 0 or the errno.
    func setBytes(_ option: Int32, _ value: UnsafeRawBufferPointer) -> Int32 {
        noteCall()
        return zmq_setsockopt(handle, option, value.baseAddress, value.count) == 0 ? 0 : zmq_errno()
    }

    /// Notes a call that may have taken the signal of a message.
    func noteCall() { isKnownToBeEmpty = false }

    /// Notes that the last call has found no message.
    func noteEmpty() { isKnownToBeEmpty = true }
}

extension Socket.Kind {
    /// libzmq's number for the type.
    fileprivate var type: Int32 {
        switch self {
        case .router: ZMQ_ROUTER
        case .dealer: ZMQ_DEALER
        case .pair: ZMQ_PAIR
        }
    }
}
