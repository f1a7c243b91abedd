import Dispatch
import Synchronization

/// A value that one thread gives once and any number of threads wait for.
final class OneShot<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    /// Gives the value and releases all who wait; only the first call counts.
    func set(_ new: Value) {
        let isFirst = value.withLock { value in
            defer { value = value ?? new }
            return value == nil
        }
        if isFirst { semaphore.signal() }
    }

    /// Blocks the thread until the value is there.
    func wait() -> Value {
        while true {
            semaphore.wait()
            // Each one who was released releases the next.
            semaphore.signal()
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}
