import CBatonZeroMQ

/// Waits until any of its sockets, wakers and file descriptors is readable.
///
/// A poller belongs to the thread of its sockets. A poll allocates no memory itself, but libzmq does above 16 sources:
/// gather many descriptors behind a single epoll(7) descriptor.
@_spi(Baton) public final class Poller {
    /// A name for an added source, until its removal.
    public struct Source: Hashable, Sendable {
        fileprivate let slot: Int
        fileprivate let generation: Int
    }

    private enum Origin {
        case nothing
        case socket(Socket)
        case waker(Waker)
        case descriptor
    }

    private struct Slot {
        var origin: Origin
        var generation: Int
    }

    private var slots: [Slot] = []
    private var items: [zmq_pollitem_t] = []

    /// Makes a poller without sources.
    public init() {}

    /// Adds a socket, and keeps the socket alive until its removal; remove the socket before closing it.
    public func add(_ socket: Socket) -> Source {
        add(.socket(socket), descriptor: -1)
    }

    /// Adds a monitor, readable after its next event.
    public func add(_ monitor: SocketMonitor) -> Source {
        add(monitor.pair)
    }

    /// Adds a watch over accepted connections, readable after the next connection.
    public func add(_ watch: AcceptWatch) -> Source {
        add(watch.pair)
    }

    /// Adds an authenticator, readable while a peer waits for its verdict.
    public func add(_ authenticator: Authenticator) -> Source {
        add(authenticator.socket)
    }

    /// Adds a waker, and keeps the waker alive until its removal; a poll that finds the waker readable also resets it.
    public func add(_ waker: Waker) -> Source {
        add(.waker(waker), descriptor: waker.descriptor)
    }

    /// Adds a file descriptor of the caller, to stay open until its removal.
    public func add(fileDescriptor: Int32) -> Source {
        add(.descriptor, descriptor: fileDescriptor)
    }

    /// Removes a source; harmless after an earlier removal.
    public func remove(_ source: Source) {
        guard isCurrent(source) else { return }
        slots[source.slot].origin = .nothing
        slots[source.slot].generation += 1
        // poll(2) passes over a negative descriptor.
        items[source.slot] = zmq_pollitem_t(socket: nil, fd: -1, events: 0, revents: 0)
    }

    /// Waits until something is readable or the time is up, and returns the number of readable sources.
    ///
    /// The time is rounded up to milliseconds; nil is for ever, zero does not wait. A signal may end the wait early,
    /// with 0.
    ///
    /// - Throws: `ZeroMQError` with ``ZeroMQError/Reason/terminated`` if the context of a socket is shut down, and
    ///   with ``ZeroMQError/Reason/closed`` if a socket was closed without being removed.
    @discardableResult
    public func poll(timeout: Duration? = nil) throws(ZeroMQError) -> Int {
        try Self.prepare(&items, for: slots)
        let milliseconds = timeout.map { Int($0.milliseconds) } ?? -1
        let ready = zmq_poll(&items, Int32(items.count), milliseconds)
        guard ready >= 0 else {
            let code = zmq_errno()
            guard code == EINTR else { throw ZeroMQError(code: code, call: "zmq_poll") }
            return 0
        }
        if ready > 0 { Self.resetWakers(of: slots, in: items) }
        return Int(ready)
    }

    private static func prepare(_ items: inout [zmq_pollitem_t], for slots: [Slot]) throws(ZeroMQError) {
        for slot in slots.indices {
            items[slot].revents = 0
            guard case .socket(let socket) = slots[slot].origin else { continue }
            // libzmq would follow the pointer of a closed socket.
            guard let handle = socket.handle else { throw ZeroMQError(code: ENOTSOCK, call: "zmq_poll") }
            items[slot].socket = handle
        }
    }

    private static func resetWakers(of slots: [Slot], in items: [zmq_pollitem_t]) {
        for slot in slots.indices where items[slot].revents != 0 {
            if case .waker(let waker) = slots[slot].origin { waker.reset() }
        }
    }

    /// Whether the last poll found a source readable, the end of a stream or an error included.
    public func isReadable(_ source: Source) -> Bool {
        isCurrent(source) && items[source.slot].revents != 0
    }

    private func isCurrent(_ source: Source) -> Bool {
        slots.indices.contains(source.slot) && slots[source.slot].generation == source.generation
    }

    private func add(_ origin: Origin, descriptor: Int32) -> Source {
        let item = zmq_pollitem_t(socket: nil, fd: descriptor, events: Int16(ZMQ_POLLIN), revents: 0)
        let free = slots.firstIndex { slot in
            if case .nothing = slot.origin { true } else { false }
        }
        guard let free else {
            slots.append(Slot(origin: origin, generation: 0))
            items.append(item)
            return Source(slot: slots.count - 1, generation: 0)
        }
        slots[free].origin = origin
        items[free] = item
        return Source(slot: free, generation: slots[free].generation)
    }
}
