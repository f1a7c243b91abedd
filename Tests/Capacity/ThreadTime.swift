#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The processor time of the present thread, which the load of other processes hardly changes.
enum ThreadTime {
    /// The time so far.
    static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
