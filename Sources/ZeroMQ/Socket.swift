import CBatonZeroMQ

/// A libzmq socket, confined to the thread that made it.
///
/// libzmq's sockets are not thread safe, so this is not `Sendable`: make, use and close it on one thread, and wake
/// that thread from others with a ``Waker`` or a ``Mailbox``. No call on it ever waits; ``Poller`` does the waiting.
public final class Socket {
    /// The types of sockets that there are.
    public enum Kind: Sendable {
        /// Talks to any number of peers, each under its ``RoutingID``.
        case router
        /// Talks to the peers that it connects to, in turn; with one connection, to that one.
        case dealer
        /// Talks to exactly one other pair, inside the process as a rule.
        case pair
    }

    /// Its type.
    public let kind: Kind
    /// The context that it belongs to and keeps alive.
    public let context: Context

    /// Nil once closed; libzmq answers calls with nil by `ENOTSOCK`.
    private(set) var handle: UnsafeMutableRawPointer?
    private let prefersIPv6: Bool

    /// Opens a socket and sets its options.
    ///
    /// - Throws: `ZeroMQError` if the context is terminated or full, no file descriptor is left, or an option has a
    ///   value that libzmq refuses.
    public init(_ kind: Kind, in context: Context, options: SocketOptions = SocketOptions()) throws(ZeroMQError) {
        self.kind = kind
        self.context = context
        prefersIPv6 = options.prefersIPv6
        handle = try context.open(kind.type)
        try options.apply(to: self)
    }

    deinit { close() }

    /// Listens at an endpoint, such as `tcp://*:7461`, `tcp://[::1]:7461` or, for any free port, `tcp://127.0.0.1:*`.
    ///
    /// The host is an address or the name of a network interface, not the name of a host.
    ///
    /// - Throws: `ZeroMQError`, whose `reason` tells an address in use from a wrong one.
    public func bind(_ endpoint: String) throws(ZeroMQError) {
        try prepare(for: endpoint, call: "zmq_bind")
        guard zmq_bind(handle, endpoint) == 0 else { throw .last("zmq_bind", endpoint) }
    }

    /// Connects to an endpoint, and again whenever the connection is lost.
    ///
    /// It returns at once, before there is a connection; a ``SocketMonitor`` tells what becomes of it.
    ///
    /// - Throws: `ZeroMQError` if the endpoint is malformed; not if nobody listens there.
    public func connect(_ endpoint: String) throws(ZeroMQError) {
        try prepare(for: endpoint, call: "zmq_connect")
        guard zmq_connect(handle, endpoint) == 0 else { throw .last("zmq_connect", endpoint) }
    }

    /// The endpoint which was bound or connected last, with the port that the system chose; empty before.
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

    /// Closes it at once; calling it again is harmless, any other call throws from then on.
    ///
    /// Messages that are not sent yet follow ``SocketOptions/linger``.
    public func close() {
        guard let open = handle else { return }
        stopMonitor()
        handle = nil
        zmq_close(open)
    }

    /// Ends the events of a monitor, if there is one, with a last one that says so.
    ///
    /// It has to come before either end closes: libzmq's I/O thread would wait for ever, and all its connections with
    /// it, to send an event to a monitor that has gone.
    func stopMonitor() {
        zmq_socket_monitor(handle, nil, 0)
    }

    /// Checks what libzmq does not, and chooses the family of addresses.
    private func prepare(for endpoint: String, call: String) throws(ZeroMQError) {
        guard Endpoint.hasUsablePort(endpoint, mayBeChosen: call == "zmq_bind") else {
            throw ZeroMQError(code: EINVAL, call: call, subject: endpoint)
        }
        // With the option on, libzmq shows 127.0.0.1 as ::ffff:127.0.0.1 and takes ::1 for localhost.
        let isIPv6 = prefersIPv6 || endpoint.contains("[")
        try set(ZMQ_IPV6, Int32(isIPv6 ? 1 : 0), "ZMQ_IPV6")
    }

    /// Sets an option that is a number.
    func set(_ option: Int32, _ value: some FixedWidthInteger, _ name: String) throws(ZeroMQError) {
        let code = withUnsafeBytes(of: value) { setBytes(option, $0) }
        guard code == 0 else { throw ZeroMQError(code: code, call: "zmq_setsockopt", subject: name) }
    }

    /// Sets an option, and returns 0 or the errno.
    func setBytes(_ option: Int32, _ value: UnsafeRawBufferPointer) -> Int32 {
        zmq_setsockopt(handle, option, value.baseAddress, value.count) == 0 ? 0 : zmq_errno()
    }
}

extension Socket.Kind {
    /// libzmq's number for it.
    fileprivate var type: Int32 {
        switch self {
        case .router: ZMQ_ROUTER
        case .dealer: ZMQ_DEALER
        case .pair: ZMQ_PAIR
        }
    }
}
