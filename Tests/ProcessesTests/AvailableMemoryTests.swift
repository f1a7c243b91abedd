import Foundation
import Testing

@_spi(Baton) @testable import BatonProcesses

@Suite("Available memory")
struct AvailableMemoryTests {
    /// What a process may use on a host with 16 GiB.
    private func memory(in root: FakeRoot) throws -> Int64 {
        try root.write("/proc/meminfo", "MemTotal:       16777216 kB\nMemFree:         1024 kB\n")
        return AvailableMemory(root: root.directory.path).bytes
    }

    @Test("This process may use some memory, and no more than the host has")
    func thisProcess() {
        #expect((1...Int64(ProcessInfo.processInfo.physicalMemory)).contains(AvailableMemory().bytes))
    }

    @Test("Without control groups, the host's memory counts")
    func host() throws {
        #expect(try memory(in: FakeRoot(mounts: [FakeRoot.disk], groups: [])) == 16 << 30)
        #expect(AvailableMemory(root: "/nowhere").bytes == .max)
    }

    @Test("Version 2: the lowest limit of the group and its parents counts")
    func unifiedLimit() throws {
        let root = try FakeRoot(mounts: [FakeRoot.disk, FakeRoot.unified()], groups: ["0::/a.slice/b.service"])
        try root.write("/sys/fs/cgroup/a.slice/b.service/memory.max", "max\n")
        #expect(try memory(in: root) == 16 << 30)
        #expect(!AvailableMemory(root: root.directory.path).isLimited)
        try root.write("/sys/fs/cgroup/a.slice/memory.max", "4294967296\n")
        #expect(try memory(in: root) == 4 << 30)
        #expect(AvailableMemory(root: root.directory.path).isLimited)
        try root.write("/sys/fs/cgroup/a.slice/b.service/memory.max", "1073741824\n")
        #expect(try memory(in: root) == 1 << 30)
        // What lxcfs tells as the host's memory is the limit itself.
        try root.write("/proc/meminfo", "MemTotal:       1048576 kB\n")
        #expect(AvailableMemory(root: root.directory.path) == AvailableMemory(bytes: 1 << 30, isLimited: true))
    }

    @Test("Version 1: the limit is that of the controller's hierarchy, and the largest number is none")
    func splitLimit() throws {
        let root = try FakeRoot(
            mounts: [FakeRoot.split("cpu"), FakeRoot.split("memory")],
            groups: ["4:memory:/docker/5d4a", "3:cpu:/other"]
        )
        try root.write("/sys/fs/cgroup/cpu/other/memory.limit_in_bytes", "1000\n")
        try root.write("/sys/fs/cgroup/memory/docker/5d4a/memory.limit_in_bytes", "9223372036854771712\n")
        #expect(try memory(in: root) == 16 << 30)
        #expect(!AvailableMemory(root: root.directory.path).isLimited)
        try root.write("/sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "536870912\n")
        #expect(try memory(in: root) == 512 << 20)
    }

    @Test("Damaged files set no limit")
    func damaged() throws {
        let root = try FakeRoot(mounts: [FakeRoot.unified()], groups: ["0::/"])
        for text in ["", "x", "-1", "0", "99999999999999999999"] {
            try root.write("/sys/fs/cgroup/memory.max", text)
            #expect(try memory(in: root) == 16 << 30, "\(text)")
        }
    }

    @Test("The own group is that of the hierarchy with the controller, with its parent as far as it is in sight")
    func own() throws {
        let root = try FakeRoot(
            mounts: [FakeRoot.unified(at: "/sys/fs/cgroup/unified"), FakeRoot.split("memory")],
            groups: ["4:memory:/a/b", "0::/"]
        )
        let place = root.directory.path + "/sys/fs/cgroup"
        let groups = ControlGroups(root: root.directory.path)
        #expect(
            groups.own(of: "memory")
                == ControlGroups.Own(directory: place + "/memory/a/b", parent: place + "/memory/a", isUnified: false)
        )
        #expect(groups.own(of: "pids") == nil)
        try root.write("/sys/fs/cgroup/unified/cgroup.controllers", "cpu pids\n")
        #expect(
            groups.own(of: "pids") == ControlGroups.Own(directory: place + "/unified", parent: nil, isUnified: true)
        )
    }
}
