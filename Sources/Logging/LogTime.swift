#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The time of a line of the log.
struct LogTime {
    /// The seconds since 1970.
    var seconds: time_t
    /// The part of a second, 0...999.
    var milliseconds: Int

    static var now: LogTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return LogTime(seconds: time.tv_sec, milliseconds: Int(time.tv_nsec) / 1_000_000)
    }
}
