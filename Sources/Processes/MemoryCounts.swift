import Glibc

/// What the kernel has counted for a control group with a limit of memory.
struct MemoryCounts {
    let directory: String
    /// Whether the group belongs to version 2.
    let isUnified: Bool

    /// Whether the kernel has killed a process of the group because of the limit.
    ///
    /// - Parameter end: how a process of the group has ended, for kernels that do not count.
    func hasKilled(_ end: ProcessEnd? = nil) -> Bool {
        let file = isUnified ? "/memory.events" : "/memory.oom_control"
        if let count = KernelFile.value(of: "oom_kill", in: directory + file) { return count > 0 }
        return end == .signalled(SIGKILL) && hasRefused
    }

    /// Whether the kernel has refused memory to the group because of the limit, if only for a moment.
    var hasRefused: Bool {
        if isUnified { return KernelFile.value(of: "max", in: directory + "/memory.events") ?? 0 > 0 }
        // The kernel asks the limit of memory with swapped-out memory first, if there is one.
        return ["/memory.failcnt", "/memory.memsw.failcnt"].contains { name in
            let text = KernelFile.text(of: directory + name)
            return text.split(whereSeparator: \.isWhitespace).first.flatMap { Int64($0) } ?? 0 > 0
        }
    }
}
