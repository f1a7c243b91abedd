import Glibc

/// What `/proc` says about the processes of this machine.
enum ProcessTable {
    /// The process groups that have a member which still runs; dead ones that nobody has waited for do not count.
    ///
    /// Costs some microseconds for each process of the machine. `nil` where `/proc` cannot be read.
    static func livingGroups() -> Set<pid_t>? {
        livingProcesses().map { Set($0.map(\.group)) }
    }

    /// The processes that still run with the groups that they are in, at the same cost.
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

        /// Neither a zombie nor on its way out.
        var isAlive: Bool {
            state != UInt8(ascii: "Z") && state != UInt8(ascii: "X")
        }
    }

    /// The status of one process, or `nil` if there is no such process.
    static func status(of process: pid_t) -> Status? {
        let fields = fields(of: process, upTo: 5)
        // The third field of proc_pid_stat(5) is the first here: state, parent, group.
        guard fields.count > 2, let state = fields[0].first,
            let group = pid_t(String(decoding: fields[2], as: UTF8.self))
        else { return nil }
        return Status(state: state, group: group)
    }

    /// When a process was started, in clock ticks since the machine was; `nil` if there is no such process.
    static func startTime(of process: pid_t) -> Int64? {
        fields(of: process, upTo: 22).last.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }

    /// Whether the environment that a process began with has a text in it; not where this process may not read it.
    static func environment(of process: pid_t, contains text: [UInt8]) -> Bool {
        let descriptor = open("/proc/\(process)/environ", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var environment: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            environment += buffer[..<count]
        }
        return environment.firstRange(of: text) != nil
    }

    /// Fields of `/proc/PID/stat` from the third on, as proc_pid_stat(5) counts them; empty if there is no such process.
    private static func fields(of process: pid_t, upTo last: Int) -> [ArraySlice<UInt8>] {
        let descriptor = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let line = [UInt8](unsafeUninitializedCapacity: 1024) { buffer, count in
            count = max(read(descriptor, buffer.baseAddress, buffer.count), 0)
        }
        // The second field is the program's name in parentheses, which may hold spaces and parentheses itself.
        guard let end = line.lastIndex(of: UInt8(ascii: ")")) else { return [] }
        let count = last - 2
        return Array(line[(end + 1)...].split(separator: UInt8(ascii: " "), maxSplits: count).prefix(count))
    }
}
