import Glibc

/// The processes of this machine according to `/proc`.
enum ProcessTable {
    /// The process groups with a member that still runs; dead members without a waiting parent do not count.
    ///
    /// The cost is some microseconds for each process of the machine. `nil` if `/proc` cannot be read.
    static func livingGroups() -> Set<pid_t>? {
        livingProcesses().map { Set($0.map(\.group)) }
    }

    /// The running processes with their groups, at the same cost.
    static func livingProcesses() -> [(process: pid_t, group: pid_t)]? {
        statuses()?.compactMap { process, status in status.isAlive ? (process, status.group) : nil }
    }

    /// The processes that have ended, and that a parent has not reaped.
    static func zombies(of parent: pid_t) -> [(process: pid_t, status: Status)] {
        (statuses() ?? []).filter { $0.status.parent == parent && $0.status.state == UInt8(ascii: "Z") }
    }

    /// The process groups with a stopped member, each with the signal that has stopped it; the leader's goes before those of others.
    ///
    /// SIGSTOP stands for a signal that the kernel does not tell. At the same cost as ``livingGroups()``.
    static func stops() -> [pid_t: Int32] {
        var stopped: [pid_t: pid_t] = [:]
        for (process, status) in statuses() ?? [] where status.state == UInt8(ascii: "T") {
            let other = stopped[status.group]
            let goesBefore = other.map { process == status.group || $0 != status.group && process < $0 } ?? true
            if goesBefore { stopped[status.group] = process }
        }
        return stopped.mapValues { signalOfStop(of: $0) ?? SIGSTOP }
    }

    /// The signal that has stopped a process; nil if the kernel does not tell.
    private static func signalOfStop(of process: pid_t) -> Int32? {
        // "The thread's exit status in the form reported by waitpid(2)", which is that of the stop while there is none of an end.
        let last = 52
        let fields = fields(of: process, upTo: last)
        guard fields.count == last - 2, let field = fields.last?.prefix(while: { $0 != UInt8(ascii: "\n") }),
            let code = Int32(String(decoding: field, as: UTF8.self))
        else { return nil }
        // Without the form's mark of a stop on some kernels.
        let signal = code & 0xFF == 0x7F ? code >> 8 & 0xFF : code & 0x7F
        return signal == 0 ? nil : signal
    }

    /// All processes, with their lines of `/proc/PID/stat`.
    private static func statuses() -> [(process: pid_t, status: Status)]? {
        guard let directory = opendir("/proc") else { return nil }
        defer { closedir(directory) }
        var processes: [(process: pid_t, status: Status)] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let process = pid_t(name), let status = status(of: process) else { continue }
            processes.append((process, status))
        }
        return processes
    }

    /// One line of `/proc/PID/stat`.
    struct Status {
        var state: UInt8
        var parent: pid_t
        var group: pid_t

        /// Whether the process is neither a zombie nor exiting.
        var isAlive: Bool {
            state != UInt8(ascii: "Z") && state != UInt8(ascii: "X")
        }
    }

    /// The status of a process; `nil` if the process does not exist.
    static func status(of process: pid_t) -> Status? {
        let fields = fields(of: process, upTo: 5)
        // The third field of proc_pid_stat(5) is the first here: state, parent, group.
        let numbers = fields.dropFirst().compactMap { pid_t(String(decoding: $0, as: UTF8.self)) }
        guard let state = fields.first?.first, numbers.count == 2 else { return nil }
        return Status(state: state, parent: numbers[0], group: numbers[1])
    }

    /// The start time of a process, in clock ticks since the machine's boot; `nil` if the process does not exist.
    static func startTime(of process: pid_t) -> Int64? {
        fields(of: process, upTo: 22).last.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }

    /// Whether the initial environment of a process contains a text; false if this process may not read the
    /// environment.
    static func environment(of process: pid_t, contains text: [UInt8]) -> Bool {
        KernelFile.bytes(of: "/proc/\(process)/environ")?.firstRange(of: text) != nil
    }

    /// Fields of `/proc/PID/stat` from the third on, as counted in proc_pid_stat(5); empty if the process does not
    /// exist.
    private static func fields(of process: pid_t, upTo last: Int) -> [ArraySlice<UInt8>] {
        let descriptor = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let line = [UInt8](unsafeUninitializedCapacity: 1024) { buffer, count in
            count = max(read(descriptor, buffer.baseAddress, buffer.count), 0)
        }
        // The second field is the program's name in parentheses, and may itself contain spaces and parentheses.
        guard let end = line.lastIndex(of: UInt8(ascii: ")")) else { return [] }
        let count = last - 2
        return Array(line[(end + 1)...].split(separator: UInt8(ascii: " "), maxSplits: count).prefix(count))
    }
}
