import CBatonSpawn
import Glibc

/// A control group that limits the memory of the processes in it.
struct MemoryGroup {
    let directory: String
    /// Whether the group belongs to version 2.
    let isUnified: Bool
    /// Whether the kernel ends all processes of the group at once; otherwise it ends a single one.
    let endsTogether: Bool

    /// Makes a group with a limit; nil if the kernel does not let this process do so.
    ///
    /// Memory that is swapped out counts too, where the kernel accounts for it.
    init?(_ directory: String, isUnified: Bool, bytes: Int64) {
        guard mkdir(directory, 0o755) == 0 else { return nil }
        let file = isUnified ? "/memory.max" : "/memory.limit_in_bytes"
        guard KernelFile.write("\(bytes)", to: directory + file) else {
            rmdir(directory)
            return nil
        }
        if isUnified {
            _ = KernelFile.write("0", to: directory + "/memory.swap.max")
            endsTogether = KernelFile.write("1", to: directory + "/memory.oom.group")
        } else {
            _ = KernelFile.write("\(bytes)", to: directory + "/memory.memsw.limit_in_bytes")
            endsTogether = false
        }
        self.directory = directory
        self.isUnified = isUnified
    }

    /// Opens the file by which a process enters the group, for the caller to close.
    ///
    /// - Throws: `LaunchFailure` `resources` if the file cannot be opened.
    func openEntrance() throws(LaunchFailure) -> Int32 {
        let path = directory + "/cgroup.procs"
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code = errno
            throw LaunchFailure(.resources, code: code, "cannot open \"\(path)\": \(systemReason(code))")
        }
        return descriptor
    }

    /// Whether a process can enter the group, as tried with a process that ends at once.
    var isOpen: Bool {
        guard let entrance = try? openEntrance() else { return false }
        defer { close(entrance) }
        return "/".withCString { root in
            // A directory cannot be executed, so the last step fails, and no earlier one.
            let candidates: [UnsafePointer<CChar>?] = [root, nil]
            let arguments = [UnsafeMutablePointer(mutating: root), nil]
            return candidates.withUnsafeBufferPointer { candidates in
                arguments.withUnsafeBufferPointer { arguments in
                    var request = cspawn_request()
                    request.candidates = candidates.baseAddress
                    request.arguments = arguments.baseAddress
                    request.environment = arguments.baseAddress?.advanced(by: 1)
                    request.standard_input = entrance
                    request.standard_output = entrance
                    request.standard_error = entrance
                    request.io_priority = -1
                    request.control_group = entrance
                    request.note_descriptor = -1
                    return cspawn(&request).step == Int32(CSPAWN_EXECUTE.rawValue)
                }
            }
        }
    }

    /// What the kernel has counted for the group.
    var counts: MemoryCounts { MemoryCounts(directory: directory, isUnified: isUnified) }
}
