import Foundation

/// A directory in place of `/`, with the files that tell of control groups.
final class FakeRoot {
    let directory = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")

    init(mounts: [String], groups: [String]) throws {
        try write("/proc/self/mountinfo", mounts.joined(separator: "\n") + "\n")
        try write("/proc/self/cgroup", groups.joined(separator: "\n") + "\n")
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func write(_ path: String, _ content: String) throws {
        let file = directory.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content.utf8).write(to: file)
    }

    /// The mount of a disk.
    static let disk = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw"

    /// The mount of version 2.
    static func unified(root: String = "/", at point: String = "/sys/fs/cgroup") -> String {
        "30 22 0:26 \(root) \(point) rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate"
    }

    /// The mount of controllers of version 1.
    static func split(root: String = "/", _ controllers: String) -> String {
        "31 22 0:29 \(root) /sys/fs/cgroup/\(controllers) rw,relatime - cgroup cgroup rw,\(controllers)"
    }
}
