import Synchronization

/// A value that threads change and tests wait for, without polling.
final class Observed<Value: Sendable>: Sendable {
    private struct Waiter {
        var isMet: @Sendable (Value) -> Bool
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var value: Value
        var nextWaiter = 0
        var waiters: [Int: Waiter] = [:]
        /// Waiters with tasks that were cancelled before the wait began.
        var cancelled: Set<Int> = []
    }

    private let state: Mutex<State>

    init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    var value: Value { state.withLock { $0.value } }

    /// Changes the value, and releases the waiters whose conditions now hold.
    func update(_ change: (inout Value) -> Void) {
        let released = state.withLock { state -> [Waiter] in
            change(&state.value)
            let met = state.waiters.filter { $0.value.isMet(state.value) }
            for waiter in met.keys { state.waiters[waiter] = nil }
            return Array(met.values)
        }
        for waiter in released { waiter.continuation.resume(returning: true) }
    }

    /// Waits until a condition holds for the value.
    ///
    /// - Throws: `CancellationError` if the test's time is up first.
    func wait(until isMet: @escaping @Sendable (Value) -> Bool) async throws {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let wasMet = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if isMet(state.value) { return true }
                    if state.cancelled.remove(number) != nil { return false }
                    state.waiters[number] = Waiter(isMet: isMet, continuation: continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                if let waiter = state.waiters.removeValue(forKey: number) { return waiter }
                state.cancelled.insert(number)
                return nil
            }
            waiter?.continuation.resume(returning: false)
        }
        guard wasMet else { throw CancellationError() }
    }
}
