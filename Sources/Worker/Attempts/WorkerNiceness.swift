@_spi(Baton) import BatonProcesses

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The kind of number that names a process to getpriority(2).
#if canImport(Darwin)
    private let process = PRIO_PROCESS
#else
    private let process = Int32(PRIO_PROCESS.rawValue)
#endif

/// The niceness of the worker's process, to which the niceness of an operation is added.
///
/// It is read from the main thread, since thread pools change the niceness of their threads when they run as root. Somebody may change
/// it with renice(1); attempts that start a second later build on the new one. To ask the system at each start would cost two calls.
struct WorkerNiceness {
    private var latest: Int32 = 0
    /// The time from which on the niceness is read anew; nil before it was read.
    private var readAgainAt: MonotonicTime?
    /// How long a niceness counts once it was read.
    static let lifetime = Duration.seconds(1)

    /// The niceness at a moment.
    ///
    /// - Parameters:
    ///   - now: the present moment.
    ///   - read: asks the system.
    mutating func value(at now: MonotonicTime = .now, reading read: () -> Int32 = Self.ofMainThread) -> Int32 {
        if let readAgainAt, now < readAgainAt { return latest }
        latest = read()
        readAgainAt = now + Self.lifetime
        return latest
    }

    private static func ofMainThread() -> Int32 { getpriority(process, id_t(getpid())) }
}
