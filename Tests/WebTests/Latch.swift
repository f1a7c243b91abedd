import Dispatch
import Synchronization

/// A value that comes once, which threads and tasks wait for.
final class Latch<Value: Sendable>: Sendable {
    struct Late: Error {}

    private struct State {
        var value: Value?
        var waiters: [@Sendable (Value) -> Void] = []
    }

    private let state = Mutex(State())

    /// Sets the value; only the first call has an effect.
    func set(_ value: Value) {
        let waiters = state.withLock { state -> [@Sendable (Value) -> Void] in
            guard state.value == nil else { return [] }
            state.value = value
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter(value) }
    }

    var isSet: Bool { state.withLock { $0.value != nil } }

    private func whenSet(_ body: @escaping @Sendable (Value) -> Void) {
        let value = state.withLock { state in
            if state.value == nil { state.waiters.append(body) }
            return state.value
        }
        if let value { body(value) }
    }

    /// Waits in a task.
    func value() async -> Value {
        await withCheckedContinuation { continuation in whenSet { continuation.resume(returning: $0) } }
    }

    /// Blocks a thread, for a time that no test reaches.
    @discardableResult
    func wait() throws -> Value {
        let semaphore = DispatchSemaphore(value: 0)
        whenSet { _ in semaphore.signal() }
        guard semaphore.wait(timeout: .now() + 3600) == .success, let value = state.withLock({ $0.value }) else {
            throw Late()
        }
        return value
    }
}

extension Latch where Value == Void {
    func open() { set(()) }
}
