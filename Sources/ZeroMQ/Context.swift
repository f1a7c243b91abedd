import CBatonZeroMQ
import Synchronization

/// A libzmq context: the I/O threads, and the sockets that share them.
///
/// A context may be used from any thread. Every ``Socket`` keeps its context alive, so a released context lives until
/// its last socket is gone.
@_spi(Baton) public final class Context: Sendable {
    private let handle: Mutex<UnsafeMutableRawPointer?>
    private let monitors = Atomic<Int>(0)

    /// Creates a context; the threads start with the first socket.
    ///
    /// - Parameters:
    ///   - ioThreads: threads that move bytes; libzmq's manual advises one for each gigabyte a second.
    ///   - maximumSockets: the maximum number of open sockets, monitors included (8 bytes each). Connections that a
    ///     bound socket accepts do not count.
    /// - Throws: `ZeroMQError` if a number is out of libzmq's range or no memory is left.
    public init(ioThreads: Int = 1, maximumSockets: Int = 16_384) throws(ZeroMQError) {
        guard let pointer = zmq_ctx_new() else { throw .last("zmq_ctx_new") }
        handle = Mutex(pointer)
        try set(ZMQ_IO_THREADS, ioThreads, "ZMQ_IO_THREADS")
        try set(ZMQ_MAX_SOCKETS, maximumSockets, "ZMQ_MAX_SOCKETS")
        // Otherwise a socket without an explicit linger would hold up the end of the process for ever.
        try set(ZMQ_BLOCKY, 0, "ZMQ_BLOCKY")
    }

    deinit { terminate() }

    /// Makes every call on a socket of this context fail with ``ZeroMQError/Reason/terminated``, at once.
    ///
    /// The call wakes threads that wait in ``Poller/poll(timeout:)``. Each thread still has to close its sockets.
    public func shutDown() {
        handle.withLock { handle in
            if let handle { zmq_ctx_shutdown(handle) }
        }
    }

    /// Shuts down, waits until all sockets are closed and their lingering messages are sent or given up, and frees.
    ///
    /// Close the sockets of the calling thread first: otherwise the thread would wait for itself. A second call
    /// returns at once.
    public func terminate() {
        let taken = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        guard let taken else { return }
        while zmq_ctx_term(taken) == -1, zmq_errno() == EINTR {}
    }

    /// Opens a socket of one of libzmq's types.
    func open(_ type: Int32) throws(ZeroMQError) -> UnsafeMutableRawPointer {
        // Hold the lock, so that the context cannot be freed meanwhile.
        let opened = handle.withLock { handle -> Result<UnsafeMutableRawPointer, ZeroMQError> in
            guard let handle else { return .failure(ZeroMQError(code: ETERM, call: "zmq_socket")) }
            guard let pointer = zmq_socket(handle, type) else { return .failure(.last("zmq_socket")) }
            return .success(pointer)
        }
        return try opened.get()
    }

    /// An unused endpoint inside this context.
    func uniqueMonitorEndpoint() -> String {
        "inproc://monitor-\(monitors.add(1, ordering: .relaxed).newValue)"
    }

    private func set(_ option: Int32, _ value: Int, _ name: String) throws(ZeroMQError) {
        let error = handle.withLock { handle -> ZeroMQError? in
            zmq_ctx_set(handle, option, Int32(clamping: value)) == 0 ? nil : .last("zmq_ctx_set", name)
        }
        if let error { throw error }
    }
}
