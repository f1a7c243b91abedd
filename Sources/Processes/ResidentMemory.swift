import Glibc

/// The memory of processes that is in the machine's memory, according to `/proc`.
enum ResidentMemory {
    /// The memory of a process in bytes, with all of the memory that it shares with others; 0 if the process does not exist.
    static func whole(of process: pid_t) -> Int64 {
        let fields = KernelFile.text(of: "/proc/\(process)/statm").split(separator: " ")
        guard fields.count > 1, let pages = Int64(fields[1]) else { return 0 }
        return pages * pageSize
    }

    /// The memory of a process in bytes, with its part of the memory that it shares with others.
    ///
    /// The kernel visits all pages of the process for it. If this process may not ask, the memory counts as a whole.
    static func part(of process: pid_t) -> Int64 {
        let lines = KernelFile.text(of: "/proc/\(process)/smaps_rollup").split(separator: "\n")
        let fields = lines.first { $0.hasPrefix("Pss:") }?.split(whereSeparator: \.isWhitespace) ?? []
        guard fields.count == 3, let count = Int64(fields[1]) else { return whole(of: process) }
        return count * 1024
    }

    private static let pageSize = Int64(sysconf(Int32(_SC_PAGESIZE)))
}
