#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How many attempts the descriptors of this process suffice for (D9).
struct DescriptorBudget: Equatable {
    /// How many attempts run at once.
    var slots: Int
    /// How many completion hooks run at once beside them.
    var hooks: Int

    /// What one attempt of one command takes at most: two files to print to, each open twice, its standard input, and its pidfd.
    static let perAttempt = 6
    /// What the worker needs for itself beside what it has open before it starts: its threads, its connection and the next one,
    /// files that are read, written and removed.
    static let reserve = 24

    /// Shares descriptors out.
    ///
    /// - Parameters:
    ///   - slots: how many attempts are to run at once.
    ///   - limit: how many descriptors this process may have.
    ///   - open: how many it has.
    init(slots: Int, limit: Int, open: Int) {
        let most = WorkerSession.hooksAtOnce
        let attempts = max(limit - open - Self.reserve, 0) / Self.perAttempt
        // Hooks are few, and have to go on too.
        hooks = min(most, max(1, attempts / 4))
        self.slots = min(slots, max(1, attempts - hooks))
    }

    /// Shares out those of this process.
    init(slots: Int) {
        self.init(slots: slots, limit: Self.limit, open: Self.openCount)
    }

    /// How many descriptors this process may have.
    static var limit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// How many this process has open.
    private static var openCount: Int {
        guard let directory = opendir("/proc/self/fd") else { return 16 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // Itself, and the two entries that every directory has.
        return max(count - 3, 0)
    }
}
