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
        guard let directory = opendir("/proc") else { return nil }
        defer { closedir(directory) }
        var processes: [(process: pid_t, group: pid_t)] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let process = pid_t(name), let status = status(of: process), status.isAlive else { continue }
            processes.append((process, status.group))
        }
        return processes
    }

    /// One line of `/proc/PID/stat`.
    struct Status {
        var state: UInt8
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
        guard fields.count > 2, let state = fields[0].first,
            let group = pid_t(String(decoding: fields[2], as: UTF8.self))
        else { return nil }
        return Status(state: state, group: group)
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
