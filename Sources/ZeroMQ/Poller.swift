import CBatonZeroMQ

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Waits until any of its sockets, wakers and file descriptors is readable.
///
/// A poller belongs to the thread of its sockets. A poll allocates no memory. It waits by poll(2) for the descriptors of the sockets,
/// ZMQ_FD: zmq_poll(3) would poll twice, and ask each socket for its state before and afterwards, also those of which that is known.
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
        /// Whether the last poll found the source readable.
        var isReadable = false
    }

    private var slots: [Slot] = []
    /// A descriptor for each slot; -1, which poll(2) passes over, for nothing, and for a socket before its first poll.
    private var items: [pollfd] = []

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

    /// Adds a waker, and keeps the waker alive until its removal; a poll that finds the waker readable also resets the waker.
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
        slots[source.slot] = Slot(origin: .nothing, generation: slots[source.slot].generation + 1)
        items[source.slot] = Self.item(-1)
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
        var count = try prepare()
        var rest = count > 0 ? .zero : timeout
        while true {
            let start = rest == nil || rest == .zero ? nil : ContinuousClock.now
            let signalled = systemPoll(&items, nfds_t(items.count), rest?.milliseconds ?? -1)
            guard signalled >= 0 else {
                guard errno == EINTR else { throw .lastOfSystem("poll") }
                return count
            }
            guard signalled > 0 else { return count }
            count += try takeSignals()
            // A socket is also signalled for news that is no message, such as a new connection.
            guard count == 0 else { return count }
            guard let time = rest, let start else { continue }
            rest = max(.zero, time - (ContinuousClock.now - start))
        }
    }

    /// Finds the sockets that are known to be readable, and the descriptors to wait for.
    ///
    /// - Returns: the number of those sockets.
    private func prepare() throws(ZeroMQError) -> Int {
        var count = 0
        for slot in slots.indices {
            slots[slot].isReadable = false
            guard case .socket(let socket) = slots[slot].origin else { continue }
            // The descriptor of a closed socket may be another's meanwhile.
            guard socket.handle != nil else { throw ZeroMQError(code: ENOTSOCK, call: "zmq_poll") }
            if items[slot].fd < 0 { items[slot].fd = try socket.eventDescriptor() }
            guard !socket.isKnownToBeEmpty, try socket.hasMessage() else { continue }
            slots[slot].isReadable = true
            count += 1
        }
        return count
    }

    /// Takes what poll(2) has found.
    ///
    /// - Returns: the number of sources that have become readable.
    private func takeSignals() throws(ZeroMQError) -> Int {
        var count = 0
        for slot in slots.indices where items[slot].revents != 0 && !slots[slot].isReadable {
            switch slots[slot].origin {
            case .nothing: continue
            case .socket(let socket): guard try socket.hasMessage() else { continue }
            case .waker(let waker): waker.reset()
            case .descriptor: break
            }
            slots[slot].isReadable = true
            count += 1
        }
        return count
    }

    /// Whether the last poll found a source readable, the end of a stream or an error included.
    public func isReadable(_ source: Source) -> Bool {
        isCurrent(source) && slots[source.slot].isReadable
    }

    private static func item(_ descriptor: Int32) -> pollfd {
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    }

    private func isCurrent(_ source: Source) -> Bool {
        slots.indices.contains(source.slot) && slots[source.slot].generation == source.generation
    }

    private func add(_ origin: Origin, descriptor: Int32) -> Source {
        let item = Self.item(descriptor)
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

/// poll(2), whose name the poller's own function hides.
private func systemPoll(_ items: UnsafeMutablePointer<pollfd>, _ count: nfds_t, _ milliseconds: Int32) -> Int32 {
    poll(items, count, milliseconds)
}
