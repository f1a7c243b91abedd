import Synchronization

/// Lets tasks do something one at a time, in the order of their coming, and refuses those that would wait behind too many.
final class Turns: Sendable {
    /// What has become of a wait for a turn.
    enum Outcome: Hashable, Sendable {
        /// It is the task's turn, until ``Turns/end()``.
        case begun
        /// Too many tasks wait.
        case refused
        /// The task was cancelled.
        case cancelled
    }

    private struct Waiter {
        let number: UInt64
        let continuation: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        var isTaken = false
        var waiters: [Waiter] = []
        var newest: UInt64 = 0
    }

    private let mostWaiting: Int
    private let state = Mutex(State())

    /// Makes turns of which none is taken.
    init(mostWaiting: Int) {
        self.mostWaiting = mostWaiting
    }

    /// How many tasks wait.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// Waits for a turn; after ``Outcome/begun``, the caller has to call ``end()``.
    func begin() async -> Outcome {
        let number = state.withLock { state in
            state.newest += 1
            return state.newest
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state -> Outcome? in
                    // A cancellation that comes later than this finds the waiter.
                    if Task.isCancelled { return .cancelled }
                    guard state.isTaken else {
                        state.isTaken = true
                        return .begun
                    }
                    guard state.waiters.count < mostWaiting else { return .refused }
                    state.waiters.append(Waiter(number: number, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: .cancelled)
        }
    }

    /// Ends a turn: the next one begins.
    func end() {
        let next = state.withLock { state in
            state.isTaken = !state.waiters.isEmpty
            return state.waiters.isEmpty ? nil : state.waiters.removeFirst()
        }
        next?.continuation.resume(returning: .begun)
    }
}
