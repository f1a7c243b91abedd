import Synchronization

/// An answer that is written bit by bit, by any thread, for as long as one likes: an endless one, or a large one.
///
/// A stream without bytes costs its connection and no thread. A client that leaves by resetting its connection is noticed at
/// once; one that closes it, only by the reset that the next bytes cause. An endless stream therefore writes something every few
/// seconds. A client that takes nothing of what waits for it loses its connection after ``HTTPLimits/stallTime``.
@_spi(Baton) public final class HTTPStream: Sendable {
    /// How a stream came to its end.
    public enum End: Hashable, Sendable {
        /// All bytes have been handed to the system, behind ``HTTPStream/end()``.
        case finished
        /// The client has left, or takes nothing.
        case clientLeft
        /// The server has stopped, or has never sent the answer.
        case serverStopped
    }

    private struct Waiter {
        var count: Int
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var bytes: [UInt8] = []
        /// How many of the bytes the client has taken.
        var taken = 0
        /// Whether no more bytes come.
        var isComplete = false
        /// Whether the client has left, so that the connection has to be closed.
        var hasFailed = false
        var isStopped = false
        var end: End?
        /// The connection to resume, while it is suspended for lack of bytes.
        var suspended: HTTPConnectionHandle?
        var observers: [@Sendable (End) -> Void] = []
        var waiters: [Waiter] = []

        var pendingCount: Int { bytes.count - taken }

        /// Has the daemon ask for bytes again.
        ///
        /// Under the lock, so that no connection is suspended any more once a stop of the server has held the lock.
        mutating func resume() {
            suspended?.resume()
            suspended = nil
        }

        /// Removes those who wait for the present count.
        mutating func takeWaiters() -> [Waiter] {
            let count = pendingCount
            guard waiters.contains(where: { $0.count >= count }) else { return [] }
            defer { waiters.removeAll { $0.count >= count } }
            return waiters.filter { $0.count >= count }
        }
    }

    private let supply: HTTPStreamSupply
    private let state = Mutex(State())

    init(supply: HTTPStreamSupply) {
        self.supply = supply
    }

    deinit {
        if state.withLock({ $0.end == nil }) { supply.takeBack() }
    }

    /// Adds bytes to those that wait for the client.
    ///
    /// - Returns: false if nobody will get the bytes, because the stream is over or ends.
    @discardableResult
    public func write(_ bytes: some Sequence<UInt8>) -> Bool {
        state.withLock { state in
            guard state.end == nil, !state.isComplete, !state.hasFailed else { return false }
            state.bytes.append(contentsOf: bytes)
            if state.pendingCount > 0 { state.resume() }
            return true
        }
    }

    /// The bytes that were written and not yet handed to the system.
    ///
    /// The system holds up to 128 KiB more for a slow client, besides what the client's own system holds.
    public var pendingByteCount: Int { state.withLock { $0.pendingCount } }

    /// Waits until at most `count` bytes wait for the client, so that a large answer does not lie in memory as a whole.
    ///
    /// - Returns: false if the stream is over.
    public func wait(untilPending count: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state -> Bool? in
                if state.end != nil { return false }
                if state.pendingCount <= count { return true }
                state.waiters.append(Waiter(count: count, continuation: continuation))
                return nil
            }
            if let isOpen { continuation.resume(returning: isOpen) }
        }
    }

    /// Ends the answer behind the bytes written so far; further calls have no effect.
    public func end() {
        state.withLock { state in
            state.isComplete = true
            state.resume()
        }
    }

    /// Calls `body` once, when the stream is over, on any thread; at once if it is over already.
    ///
    /// The body must be fast: the thread may be the one that serves all connections.
    public func whenOver(_ body: @escaping @Sendable (End) -> Void) {
        let end = state.withLock { state in
            if state.end == nil { state.observers.append(body) }
            return state.end
        }
        if let end { body(end) }
    }

    /// Waits until the stream is over.
    public func untilOver() async -> End {
        await withCheckedContinuation { continuation in whenOver { continuation.resume(returning: $0) } }
    }
}

/// What the server does with a stream.
extension HTTPStream {
    /// What the daemon gets when it asks for bytes.
    enum Taken: Hashable {
        case bytes(Int)
        /// The connection was suspended until there are bytes.
        case nothing
        case end
        case failure
    }

    /// Copies the next bytes; without any, suspends the connection.
    func take(into buffer: UnsafeMutableRawBufferPointer, suspending handle: HTTPConnectionHandle) -> Taken {
        let (taken, waiters) = state.withLock { state -> (Taken, [Waiter]) in
            if state.hasFailed { return (.failure, []) }
            let count = min(buffer.count, state.pendingCount)
            guard count > 0 else {
                if state.isComplete { return (.end, []) }
                // Under the lock, so that nobody resumes what is not yet suspended.
                handle.suspend()
                state.suspended = handle
                return (.nothing, [])
            }
            buffer.copyBytes(from: state.bytes[state.taken..<(state.taken + count)])
            state.taken += count
            if state.pendingCount == 0 {
                // The memory is given back, since a stream is idle most of the time.
                (state.bytes, state.taken) = ([], 0)
            } else if state.taken >= max(Self.leastMovedBytes, state.pendingCount) {
                state.bytes.removeFirst(state.taken)
                state.taken = 0
            }
            return (.bytes(count), state.takeWaiters())
        }
        for waiter in waiters { waiter.continuation.resume(returning: true) }
        return taken
    }

    /// How many bytes that the client has taken stay in memory at least, so that a move of those behind is worth it.
    private static var leastMovedBytes: Int { 1 << 16 }

    /// Gives up a client that has left.
    func abandon() {
        state.withLock { state in
            state.hasFailed = true
            state.resume()
        }
    }

    /// Ends the answer because the server stops.
    func stop() {
        state.withLock { state in
            if !state.isComplete { (state.isComplete, state.isStopped) = (true, true) }
            state.resume()
        }
    }

    /// Notes that the answer is over, and whether it was sent in whole; only the first call has an effect.
    func finish(isAnswered: Bool) {
        let final = state.withLock { state -> State? in
            guard state.end == nil else { return nil }
            state.end = state.isStopped ? .serverStopped : isAnswered ? .finished : .clientLeft
            defer { (state.bytes, state.taken, state.observers, state.waiters) = ([], 0, [], []) }
            return state
        }
        guard let final, let end = final.end else { return }
        supply.takeBack()
        for observer in final.observers { observer(end) }
        for waiter in final.waiters { waiter.continuation.resume(returning: false) }
    }

    /// Notes that the answer is never sent.
    func discard() {
        stop()
        finish(isAnswered: false)
    }
}
