import Glibc

/// How many files, sockets included, a process may have open (the soft `RLIMIT_NOFILE`).
public struct OpenFileLimit: Sendable, Equatable {
    /// The number.
    public let count: UInt

    /// Lets this process have as many open as the system allows it (the hard limit).
    ///
    /// The usual 1024 is there for programs that use select(2), which this one does not; those that it starts may, so give
    /// the result to ``ProcessSupervisor/init(openFiles:)``. Where it cannot be raised it stays.
    ///
    /// - Returns: what the limit was before.
    public static func raise() -> OpenFileLimit {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return OpenFileLimit(count: 1024)
        }
        let before = OpenFileLimit(count: UInt(limit.rlim_cur))
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return before
    }
}
