import Foundation
import Testing

@_spi(Baton) @testable import BatonProcesses

@Suite("Available processors")
struct AvailableProcessorsTests {
    @Test("This process may use at least one processor, and no more than the host has")
    func thisProcess() {
        let available = AvailableProcessors()
        #expect((1...sysconf(Int32(_SC_NPROCESSORS_CONF))).contains(available.count))
        #expect(available.thousandths >= 1)
    }

    @Test("Without control groups, the affinity counts, of the processors that the host has")
    func affinity() throws {
        let root = try FakeRoot(mounts: [FakeRoot.disk], groups: [])
        #expect(try root.processors(affinity: 3).thousandths == 3_000)
        #expect(try root.processors(affinity: 64).count == 16)
        try root.write("/proc/self/status", "Cpus_allowed_list:\t0,2-4,9,300-301\n")
        #expect(AvailableProcessors(root: root.directory.path).count == 5)
        for damaged in ["", "x", "4-2", "1-2-3", "99999999", "100-120"] {
            try root.write("/proc/self/status", "Cpus_allowed_list:\t\(damaged)\n")
            #expect(AvailableProcessors(root: root.directory.path).count == sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        }
        #expect(AvailableProcessors(root: "/nowhere").count == sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    @Test(
        "Version 2: the lowest quota of the group and its parents counts, in whole processors rounded down, at least one"
    )
    func unifiedQuota() throws {
        let root = try FakeRoot(mounts: [FakeRoot.disk, FakeRoot.unified()], groups: ["0::/a.slice/b.service"])
        #expect(try root.processors(affinity: 8).thousandths == 8_000)
        try root.write("/sys/fs/cgroup/a.slice/b.service/cpu.max", "max 100000\n")
        #expect(try root.processors(affinity: 8).thousandths == 8_000)
        try root.write("/sys/fs/cgroup/a.slice/cpu.max", "290000 100000\n")
        #expect(try root.processors(affinity: 8).thousandths == 2_900)
        #expect(try root.processors(affinity: 8).count == 2)
        #expect(try root.processors(affinity: 2).thousandths == 2_000)
        try root.write("/sys/fs/cgroup/a.slice/b.service/cpu.max", "5000 10000\n")
        #expect(try root.processors(affinity: 8).thousandths == 500)
        #expect(try root.processors(affinity: 8).count == 1)
    }

    @Test("A container sees its own group as the root of the mount, under either name")
    func container() throws {
        for group in ["0::/", "0::/docker/5d4a", "0::/../../x"] {
            let root = try FakeRoot(
                mounts: [FakeRoot.unified(root: group == "0::/docker/5d4a" ? "/docker/5d4a" : "/")],
                groups: [group]
            )
            try root.write("/sys/fs/cgroup/cpu.max", "150000 100000\n")
            #expect(try root.processors(affinity: 4).thousandths == 1_500, "\(group)")
        }
    }

    @Test("Version 1, also beside version 2: the quota is that of the controller's hierarchy")
    func splitQuota() throws {
        let groups = ["4:memory:/m", "3:cpu,cpuacct:/docker/5d4a/inner", "1:name=systemd:/init", "0::/ignored"]
        let mounts = [
            FakeRoot.disk, FakeRoot.unified(at: "/sys/fs/cgroup/unified"), FakeRoot.split("memory"),
            FakeRoot.split("cpu,cpuacct"),
        ]
        let root = try FakeRoot(mounts: mounts, groups: groups)
        try root.write("/sys/fs/cgroup/memory/m/cpu.cfs_quota_us", "1000\n")
        try root.write("/sys/fs/cgroup/memory/m/cpu.cfs_period_us", "100000\n")
        #expect(try root.processors(affinity: 4).thousandths == 4_000)
        try root.write("/sys/fs/cgroup/cpu,cpuacct/docker/5d4a/inner/cpu.cfs_quota_us", "-1\n")
        try root.write("/sys/fs/cgroup/cpu,cpuacct/docker/5d4a/inner/cpu.cfs_period_us", "100000\n")
        #expect(try root.processors(affinity: 4).thousandths == 4_000)
        try root.write("/sys/fs/cgroup/cpu,cpuacct/docker/5d4a/cpu.cfs_quota_us", "300000\n")
        try root.write("/sys/fs/cgroup/cpu,cpuacct/docker/5d4a/cpu.cfs_period_us", "100000\n")
        #expect(try root.processors(affinity: 4).thousandths == 3_000)
    }

    @Test("Damaged files set no limit, and no value makes the number 0")
    func damaged() throws {
        let root = try FakeRoot(
            mounts: [FakeRoot.unified(at: "/a\\040b"), "nonsense", "1 2 - cgroup2"],
            groups: ["0::/", "x", "::"]
        )
        for text in ["", "max", "abc 1", "5", "-5 100000", "5 0", "9223372036854775807 100000", "1 2 3"] {
            try root.write("/a b/cpu.max", text)
            #expect(try root.processors(affinity: 4).thousandths == 4_000, "\(text)")
        }
        try root.write("/a b/cpu.max", "1 100000000")
        #expect(try root.processors(affinity: 4).thousandths == 1)
    }
}

extension FakeRoot {
    /// What a process may use that may run on the first processors of a host with 16.
    fileprivate func processors(affinity count: Int) throws -> AvailableProcessors {
        try write("/proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-\(count - 1)\nThreads:\t1\n")
        try write("/sys/devices/system/cpu/online", "0-15\n")
        return AvailableProcessors(root: directory.path)
    }
}
