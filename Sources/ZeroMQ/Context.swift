import CBatonZeroMQ
import Synchronization

/// A libzmq context: the I/O threads and the sockets that share them.
///
/// A context may be used from any thread. Every ``Socket`` keeps its context alive, so a context that is merely
/// released goes after its last socket.
public final class Context: Sendable {
    private let handle: Mutex<UnsafeMutableRawPointer?>
    private let monitors = Atomic<Int>(0)

    /// Makes a context; its threads start with the first socket.
    ///
    /// - Parameters:
    ///   - ioThreads: threads that move bytes; libzmq's manual advises one for each gigabyte a second.
    ///   - maximumSockets: how many sockets may be open at once, monitors included (8 bytes each).
    ///     Connections that a bound socket accepts do not count.
    /// - Throws: `ZeroMQError` if a number is out of libzmq's range or there is no memory.
    public init(ioThreads: Int = 1, maximumSockets: Int = 16_384) throws(ZeroMQError) {
        guard let pointer = zmq_ctx_new() else { throw .last("zmq_ctx_new") }
        handle = Mutex(pointer)
        try set(ZMQ_IO_THREADS, ioThreads, "ZMQ_IO_THREADS")
        try set(ZMQ_MAX_SOCKETS, maximumSockets, "ZMQ_MAX_SOCKETS")
        // Else a socket without a linger of its own would hold up the end of the process for ever.
        try set(ZMQ_BLOCKY, 0, "ZMQ_BLOCKY")
    }

    deinit { terminate() }

    /// Makes every call on a socket of this context fail with ``ZeroMQError/Reason/terminated``, at once.
    ///
    /// It wakes threads that sit in ``Poller/poll(timeout:)``. The sockets still have to be closed by their threads.
    public func shutDown() {
        handle.withLock { handle in
            if let handle { zmq_ctx_shutdown(handle) }
        }
    }

    /// Shuts down, waits until all sockets are closed and their lingering messages are sent or given up, and frees.
    ///
    /// Close the sockets of the calling thread first: it would wait for itself. A second call returns at once.
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
        // Under the lock, so that the context cannot be freed meanwhile.
        let opened = handle.withLock { handle -> Result<UnsafeMutableRawPointer, ZeroMQError> in
            guard let handle else { return .failure(ZeroMQError(code: ETERM, call: "zmq_socket")) }
            guard let pointer = zmq_socket(handle, type) else { return .failure(.last("zmq_socket")) }
            return .success(pointer)
        }
        return try opened.get()
    }

    /// An endpoint inside this context that nobody else uses.
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
