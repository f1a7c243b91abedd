import Glibc

/// The maximum number of open files, sockets included, of a process (the soft `RLIMIT_NOFILE`).
@_spi(Baton) public struct OpenFileLimit: Sendable, Equatable {
    /// The number.
    public let count: UInt

    /// Raises the limit of this process as far as the system allows (the hard limit).
    ///
    /// The usual limit of 1024 protects programs that use select(2). This process does not use select(2), but the
    /// processes it starts may: pass the result to ``ProcessSupervisor/init(openFiles:groupFile:)``. If the limit
    /// cannot be raised, it stays.
    ///
    /// - Returns: the limit before the call.
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
