import Glibc

/// What `/proc` says about the processes of this machine.
enum ProcessTable {
    /// The process groups that have a member which still runs; dead ones that nobody has waited for do not count.
    ///
    /// Costs some microseconds for each process of the machine. `nil` where `/proc` cannot be read.
    static func livingGroups() -> Set<pid_t>? {
        guard let directory = opendir("/proc") else { return nil }
        defer { closedir(directory) }
        var groups: Set<pid_t> = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let process = pid_t(name), let status = status(of: process), status.isAlive else { continue }
            groups.insert(status.group)
        }
        return groups
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
        let descriptor = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let line = [UInt8](unsafeUninitializedCapacity: 1024) { buffer, count in
            count = max(read(descriptor, buffer.baseAddress, buffer.count), 0)
        }
        // The second field is the program's name in parentheses, which may hold spaces and parentheses itself.
        guard let end = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "), maxSplits: 3)
        // The third field of proc_pid_stat(5) is the first here: state, parent, group.
        guard fields.count > 2, let state = fields[0].first,
            let group = pid_t(String(decoding: fields[2], as: UTF8.self))
        else { return nil }
        return Status(state: state, group: group)
    }
}
