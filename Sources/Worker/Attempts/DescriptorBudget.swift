#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The number of attempts for which the descriptors of this process suffice (D9).
struct DescriptorBudget: Equatable {
    /// The number of attempts that run at once.
    var slots: Int
    /// The number of completion hooks that run at once, beside the attempts.
    var hooks: Int
    /// Whether the descriptors suffice for that many; otherwise, not even for one of each.
    var suffices: Bool
    /// The number of descriptors beyond those of the attempts, the hooks and the worker itself.
    var spare: Int

    /// The most descriptors of an attempt of one command: two output files, each open twice, its standard input, and
    /// its pidfd.
    static let perAttempt = 6
    /// The descriptors that the worker needs beyond the descriptors open before its start: for its threads, the
    /// current and the next connection, that for files, questions about its health, and files to read, write and remove.
    static let reserve = 40

    /// Divides descriptors among slots and hooks.
    ///
    /// - Parameters:
    ///   - slots: the requested number of attempts at once.
    ///   - limit: the maximum number of descriptors of this process.
    ///   - open: the number of descriptors already open.
    init(slots: Int, limit: Int, open: Int) {
        let most = WorkerSession.hooksAtOnce
        let attempts = max(limit - open - Self.reserve, 0) / Self.perAttempt
        // Hooks are few, but have to make progress too.
        hooks = min(most, max(1, attempts / 4))
        self.slots = min(slots, max(1, attempts - hooks))
        suffices = self.slots + hooks <= attempts
        spare = max(limit - open - Self.reserve - (self.slots + hooks) * Self.perAttempt, 0)
    }

    /// Divides the descriptors of this process.
    init(slots: Int) {
        self.init(slots: slots, limit: Self.limit, open: Self.openCount)
    }

    /// The maximum number of descriptors of this process.
    static var limit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// The number of open descriptors of this process.
    private static var openCount: Int {
        guard let directory = opendir("/proc/self/fd") else { return 16 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // The count includes the descriptor of the directory, and the entries `.` and `..`.
        return max(count - 3, 0)
    }
}
