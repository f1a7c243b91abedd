@_spi(Baton) import BatonThreads
import Synchronization

/// A value that one thread sets once and any number of threads wait for.
final class OneShot<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let semaphore = ThreadSemaphore()

    /// Sets the value and releases all waiting threads; only the first call has an effect.
    func set(_ new: Value) {
        let isFirst = value.withLock { value in
            defer { value = value ?? new }
            return value == nil
        }
        if isFirst { semaphore.signal() }
    }

    /// Blocks the thread until the value is set.
    func wait() -> Value {
        while true {
            semaphore.wait()
            // Each released thread releases the next thread.
            semaphore.signal()
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}
