@_spi(Baton) import BatonThreads
import Synchronization

/// Counts what a stop of the server waits for: answers that are being made or sent, or connections.
final class HTTPPendingCount: Sendable {
    private struct State {
        var count = 0
        var isAwaited = false
    }

    private let state = Mutex(State())
    private let none = ThreadSemaphore()

    func begin() { state.withLock { $0.count += 1 } }

    func end() {
        let isLast = state.withLock { state in
            state.count -= 1
            return state.isAwaited && state.count == 0
        }
        if isLast { none.signal() }
    }

    /// Blocks until nothing is left to wait for, or the time is over.
    func waitUntilNone(for time: Duration) {
        let isBusy = state.withLock { state in
            state.isAwaited = true
            return state.count > 0
        }
        if isBusy { _ = none.wait(for: time) }
    }
}
