import CBatonSpawn
import Foundation
import Glibc
import Testing

@_spi(Baton) @testable import BatonProcesses

@Suite("Limits of memory", .serialized, .timeLimit(.minutes(60)))
struct MemoryLimitTests {
    /// A script that takes so many bytes of memory.
    private static func taking(_ bytes: Int) -> String { "x=$(head -c \(bytes) /dev/zero | tr '\\0' x)" }

    /// A script that takes so many bytes of memory, and does not end.
    private static func holding(_ bytes: Int) -> String { taking(bytes) + "; while :; do sleep 1000; done" }

    private static func limited(_ script: String, to bytes: Int64, number: UInt64 = 1) -> ProcessSpecification {
        var specification = ProcessSpecification.shell(script)
        specification.memoryLimit = MemoryLimit(number: number, bytes: bytes)
        return specification
    }

    @Test("A group that uses more than its limit is killed, also if the leader itself uses little")
    func exceeded() async throws {
        try await withSupervisor { supervisor in
            for script in [Self.holding(100 << 20), "(\(Self.holding(100 << 20))) & wait"] {
                let exit = try await supervisor.run(Self.limited(script, to: 50 << 20)).get()
                #expect(exit.exceededMemory && !exit.terminated && !exit.timedOut, "\(script)")
                #expect(exit.end == .signalled(SIGKILL), "\(script)")
            }
        }
    }

    @Test("Launches of the same limit share it: the memory of one ends the other, too")
    func shared() async throws {
        try await withSupervisor { supervisor in
            let (starts, started) = AsyncStream<Int32>.makeStream()
            let little = Self.limited(Self.holding(1 << 10), to: 50 << 20, number: 7)
            async let small = supervisor.run(little, token: 1, onStart: { started.yield($0) })
            // Otherwise the other may be over before this one starts.
            for await _ in starts { break }
            async let large = supervisor.run(Self.limited(Self.holding(100 << 20), to: 50 << 20, number: 7), token: 2)
            let exits = try await [small.get(), large.get()]
            #expect(exits.allSatisfy { $0.exceededMemory && $0.end == .signalled(SIGKILL) }, "\(exits)")
        }
    }

    @Test("A group within its limit runs to its end, and a request to end it is no excess")
    func within() async throws {
        try await withSupervisor { supervisor in
            let exit = try await supervisor.run(Self.limited(Self.taking(1 << 20) + "; exit 3", to: 1 << 30)).get()
            #expect(exit.end == .exited(3) && !exit.exceededMemory)
            let ended = try await supervisor.run(Self.limited(Self.holding(1), to: 1 << 30)) { _ in
                supervisor.terminate(1, grace: .zero)
            }.get()
            #expect(ended.terminated && !ended.exceededMemory)
        }
    }

    @Test("Nothing is looked at without a limit, or after the last launch with one")
    func looks() throws {
        var memory = LimitedMemory(groups: nil)
        #expect(memory.lookAt == nil)
        let limit = MemoryLimit(number: 3, bytes: 1 << 40)
        memory.expect(limit)
        memory.expect(limit)
        #expect(memory.lookAt == nil)
        memory.add(getpid(), to: limit)
        #expect(memory.lookAt != nil)
        #expect(memory.look() == [] && memory.lookAt != nil)
        memory.remove(getpid(), from: limit)
        #expect(memory.look() == [] && memory.lookAt == nil)
        memory.remove(nil, from: limit)
        memory.add(getpid(), to: limit)
        #expect(memory.lookAt == nil, "the limit is forgotten")
    }

    @Test("Memory that processes share counts once")
    func sharedMemory() async throws {
        try await withTemporaryDirectory { directory in
            try await withSupervisor { supervisor in
                let pipe = try LinePipe()
                try #require(mkfifo(directory + "/end", 0o600) == 0)
                var specification = ProcessSpecification.shell(
                    """
                    \(Self.taking(40 << 20))
                    for i in 1 2 3 4; do (read y < '\(directory)/end') & done
                    echo; wait
                    """
                )
                specification.standardOutput = .descriptor(pipe.writingEnd)
                let group = await withCheckedContinuation { started in
                    supervisor.launch(specification, token: 1, onStart: { started.resume(returning: $0) }) { _ in }
                }
                _ = await pipe.readLine()
                let members = try #require(ProcessTable.livingProcesses()).filter { $0.group == group }.map(\.process)
                #expect(members.count == 5)
                #expect(members.reduce(0) { $0 + ResidentMemory.whole(of: $1) } > 5 * 38 << 20)
                #expect(members.reduce(0) { $0 + ResidentMemory.part(of: $1) } < 4 * 40 << 20)
            }
        }
    }

    @Test("A process that does not exist uses nothing")
    func absent() {
        #expect(ResidentMemory.whole(of: .max) == 0 && ResidentMemory.part(of: .max) == 0)
    }
}

@Suite("Control groups for limits of memory", .serialized, .timeLimit(.minutes(60)))
struct MemoryGroupTests {
    /// Whether tests may make control groups below that of this process, which belongs to whoever runs the tests.
    private static let isAllowed = ProcessInfo.processInfo.environment["BATON_TEST_CONTROL_GROUPS"] == "1"

    @Test("A process writes itself into its control group before it executes anything, and does not run without it")
    func entering() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory + "/cgroup.procs"
            #expect(FileManager.default.createFile(atPath: file, contents: nil))
            let null = open("/dev/null", O_RDWR | O_CLOEXEC)
            defer { close(null) }
            var launcher = Launcher(null: null, openFiles: nil)
            let writable = open(file, O_WRONLY | O_CLOEXEC)
            defer { close(writable) }
            let begun = try launcher.begin(ProcessSpecification("/bin/true")) { $0.control_group = writable }
            // The kernel would end this process too, if the memory of the group were used up.
            #expect(!begun.isUnderWay)
            let started = try begun.settled()
            close(started.descriptor)
            waitpid(started.process, nil, 0)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "0")
            let readable = open(file, O_RDONLY | O_CLOEXEC)
            defer { close(readable) }
            do throws(LaunchFailure) {
                _ = try launcher.begin(ProcessSpecification("/bin/true")) { $0.control_group = readable }.settled()
                Issue.record("It was started.")
            } catch {
                #expect(error.isHostFault && error.description.contains("into a control group"), "\(error)")
            }
        }
    }

    @Test("A directory without the files of a control group is not used, and nothing is left in it")
    func noGroup() async throws {
        try await withTemporaryDirectory { directory in
            for isUnified in [true, false] {
                let path = directory + "/baton-1"
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                let groups = MemoryGroups(directory: path, isUnified: isUnified)
                #expect(groups.make(number: 1, bytes: 1 << 30) == nil)
                let left = try FileManager.default.contentsOfDirectory(atPath: path)
                #expect(left.isEmpty)
                groups.removeAll()
                #expect(access(path, F_OK) != 0)
            }
        }
    }

    @Test("Leftovers are removed as far as nothing is in them")
    func leftovers() async throws {
        try await withTemporaryDirectory { directory in
            let group = directory + "/baton-1"
            for name in ["a-1", "b-2/kept"] {
                try FileManager.default.createDirectory(atPath: "\(group)/\(name)", withIntermediateDirectories: true)
            }
            MemoryGroups.removeLeftovers(of: group)
            #expect(try FileManager.default.contentsOfDirectory(atPath: group) == ["b-2"])
            rmdir(group + "/b-2/kept")
            MemoryGroups.removeLeftovers(of: group)
            #expect(access(group, F_OK) != 0)
            MemoryGroups.removeLeftovers(of: group)
        }
    }

    @Test("The kernel's counts tell whether it has killed or refused because of the limit")
    func counts() async throws {
        try await withTemporaryDirectory { directory in
            func group(isUnified: Bool, _ files: [String: String]) throws -> MemoryCounts {
                let path = directory + "/\(UUID().uuidString)"
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                for (name, text) in files {
                    try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
                }
                return MemoryCounts(directory: path, isUnified: isUnified)
            }
            let calm = try group(isUnified: true, ["memory.events": "low 0\nmax 0\noom 0\noom_kill 0\n"])
            #expect(!calm.hasKilled(.signalled(SIGKILL)) && !calm.hasRefused)
            let full = try group(isUnified: true, ["memory.events": "low 0\nmax 12\noom 1\noom_kill 1\n"])
            #expect(full.hasKilled() && full.hasRefused)
            let split = try group(
                isUnified: false,
                ["memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n", "memory.failcnt": "0\n"]
            )
            #expect(split.hasKilled() && !split.hasRefused)
            let swapping = try group(
                isUnified: false,
                ["memory.failcnt": "0\n", "memory.memsw.failcnt": "2\n"]
            )
            #expect(swapping.hasRefused)
            let old = try group(
                isUnified: false,
                ["memory.oom_control": "oom_kill_disable 0\nunder_oom 0\n", "memory.failcnt": "9\n"]
            )
            #expect(old.hasKilled(.signalled(SIGKILL)) && !old.hasKilled(.exited(1)) && !old.hasKilled())
        }
    }

    @Test("The kernel keeps the limits of control groups, which are removed afterwards", .enabled(if: isAllowed))
    func kernel() throws {
        let groups = try #require(MemoryGroups.make(named: "baton-test-\(getpid())"))
        let processes = try SupervisedProcesses(memoryGroups: groups)
        func end(of script: String, to bytes: Int64, token: UInt64) throws -> ProcessExit {
            var specification = ProcessSpecification.shell(script)
            specification.memoryLimit = MemoryLimit(number: token, bytes: bytes)
            processes.launch(specification, token: token)
            var events = processes.startNext().map { [$0] } ?? []
            while true {
                for case .ended(_, let result) in events { return try result.get() }
                events = processes.takeEvents(waitingAtMost: nil)
            }
        }
        let within = try end(of: "exit 3", to: 1 << 30, token: 1)
        #expect(within.end == .exited(3) && !within.exceededMemory)
        let beyond = try end(of: "exec tail /dev/zero", to: 50 << 20, token: 2)
        #expect(beyond.end == .signalled(SIGKILL) && beyond.exceededMemory)
        let child = try end(of: "tail /dev/zero; while :; do sleep 1000; done", to: 50 << 20, token: 3)
        #expect(child.end == .signalled(SIGKILL) && child.exceededMemory)
        let names = try FileManager.default.contentsOfDirectory(atPath: groups.directory)
        #expect(!names.contains { $0.hasSuffix("-1") || $0.hasSuffix("-2") || $0.hasSuffix("-3") }, "\(names)")
        groups.removeAll()
        #expect(access(groups.directory, F_OK) != 0)
    }

    @Test("A program that does not fit into its limit at all fails for it", .enabled(if: isAllowed))
    func tiny() throws {
        let groups = try #require(MemoryGroups.make(named: "baton-test-tiny-\(getpid())"))
        let processes = try SupervisedProcesses(memoryGroups: groups)
        var specification = ProcessSpecification("/bin/sh", "-c", "exit 3")
        specification.memoryLimit = MemoryLimit(number: 1, bytes: 4096)
        processes.launch(specification, token: 1)
        var events = processes.startNext().map { [$0] } ?? []
        while !events.contains(where: { if case .ended = $0 { true } else { false } }) {
            events = processes.takeEvents(waitingAtMost: nil)
        }
        for case .ended(_, let result) in events {
            switch result {
            case .success(let exit): #expect(exit.exceededMemory, "\(exit)")
            case .failure(let failure): #expect(failure.reason == .memory, "\(failure)")
            }
        }
    }
}
