import Synchronization

/// Wakes tasks that wait for a condition which only others can bring about.
///
/// Owns the waiting tasks. A task reads ``strokes``, checks its condition, and waits for a stroke after those: no stroke in between
/// is missed.
final class Bell: Sendable {
    private struct State {
        var strokes: UInt64 = 0
        var nextTicket: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// The number of strokes so far.
    var strokes: UInt64 { state.withLock(\.strokes) }

    /// Wakes all waiting tasks.
    func ring() {
        let woken = state.withLock { state in
            state.strokes += 1
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in woken.values { continuation.resume() }
    }

    /// Waits until there were more strokes than a number, or the task is cancelled.
    func wait(after strokes: UInt64) async {
        let ticket = state.withLock { state in
            defer { state.nextTicket += 1 }
            return state.nextTicket
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayWait = state.withLock { state in
                    guard state.strokes == strokes, !Task.isCancelled else { return false }
                    state.waiting[ticket] = continuation
                    return true
                }
                if !mayWait { continuation.resume() }
            }
        } onCancel: {
            // A task that is cancelled before it waits finds itself cancelled under the lock, or is found here.
            state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
        }
    }
}
