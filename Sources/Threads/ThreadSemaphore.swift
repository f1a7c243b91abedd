#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A count that threads wait for, whose waits with a limit go by the monotonic clock.
///
/// The limits of libdispatch's semaphores go by the time of day on Linux: a clock that is set back would prolong a wait.
@_spi(Baton) public final class ThreadSemaphore: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    /// Guarded by the mutex.
    private var count = 0

    /// Makes a semaphore with the count 0.
    public init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
            pthread_cond_init(condition, nil)
        #else
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Adds 1 to the count, and releases one waiting thread.
    public func signal() {
        pthread_mutex_lock(mutex)
        count += 1
        pthread_mutex_unlock(mutex)
        pthread_cond_signal(condition)
    }

    /// Waits until the count is above 0, and takes 1 from it.
    public func wait() {
        pthread_mutex_lock(mutex)
        while count == 0 { pthread_cond_wait(condition, mutex) }
        count -= 1
        pthread_mutex_unlock(mutex)
    }

    /// Waits until the count is above 0, and takes 1 from it; or waits until the time is over.
    ///
    /// - Returns: whether the count was above 0 in time.
    public func wait(for time: Duration) -> Bool {
        let end = ContinuousClock.now + time
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while count == 0 {
            let rest = end - .now
            guard rest > .zero else { return false }
            wait(atMost: rest)
        }
        count -= 1
        return true
    }

    /// Waits for a signal, with the mutex, for a while; may return early.
    private func wait(atMost rest: Duration) {
        // A day at most, so that no sum passes its limits; the caller waits again.
        let (seconds, attoseconds) = min(rest, .seconds(86_400)).components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        #if canImport(Darwin)
            pthread_cond_timedwait_relative_np(condition, mutex, &time)
        #else
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            time.tv_sec += now.tv_sec
            time.tv_nsec += now.tv_nsec
            if time.tv_nsec >= 1_000_000_000 {
                time.tv_sec += 1
                time.tv_nsec -= 1_000_000_000
            }
            pthread_cond_timedwait(condition, mutex, &time)
        #endif
    }
}
