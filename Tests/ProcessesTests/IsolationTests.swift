import CBatonSpawn
import Foundation
import Glibc
@_spi(Baton) import BatonProcesses
import Testing

/// Tests of the state that a child inherits from its parent, and of leaks in the parent.
///
/// Tests that look at the state of a whole process run in a separate process, away from the other tests.
@Suite("Isolation of child processes", .timeLimit(.minutes(60)))
struct IsolationTests {
    @Test("A process starts with no signal blocked, ignored or handled")
    func processStartsNoSignal() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_IGN)
            signal(SIGHUP, SIG_IGN)
            signal(SIGCHLD, SIG_IGN)
            signal(__libc_current_sigrtmax(), SIG_IGN)
            signal(SIGUSR1) { _ in }
            var blocked = sigset_t()
            sigfillset(&blocked)
            pthread_sigmask(SIG_BLOCK, &blocked, nil)
            try await withSupervisor { supervisor in
                let status = try await supervisor.output(of: ProcessSpecification("cat", "/proc/self/status"))
                let masks = status.split(separator: "\n").filter { $0.hasPrefix("Sig") && !$0.hasPrefix("SigQ") }
                #expect(masks.count == 4)
                for mask in masks {
                    let signals = try #require(UInt64(mask.suffix(16), radix: 16))
                    // Signals 32 and 33 belong to the C library: spawned processes ignore them, and changes are
                    // rejected.
                    #expect(signals & ~0x1_8000_0000 == 0, "\(mask)")
                }
                // The signal handlers of this process are unchanged.
                var action = sigaction()
                sigaction(SIGUSR1, nil, &action)
                #expect(action.__sigaction_handler.sa_handler != nil)
            }
        }
    }

    @Test("A process inherits no descriptors except its three streams")
    func processInheritsNoDescriptors() async throws {
        // A descriptor without close-on-exec, as careless code opens it.
        let careless = open("/dev/null", O_RDONLY)
        defer { close(careless) }
        try await withSupervisor { supervisor in
            let listing = try await supervisor.output(of: ProcessSpecification("ls", "/proc/self/fd"))
            // The fourth is the directory that ls reads.
            #expect(listing == "0\n1\n2\n3\n")
        }
    }

    @Test("A process gets the limit of open files that its parent had before raising it")
    func processGetsLimitOpen() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 100
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let before = OpenFileLimit.raise()
            #expect(before.count == 100)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #expect(limit.rlim_cur == limit.rlim_max)
            let supervisor = try ProcessSupervisor(openFiles: before)
            defer { supervisor.shutDown() }
            #expect(try await supervisor.output(of: "ulimit -S -n") == "100\n")
            #expect(try await supervisor.output(of: "ulimit -H -n") == "\(limit.rlim_max)\n")
        }
    }

    @Test("The streams of a process work even if its parent has closed its own streams")
    func streamsProcessWorkEven() async {
        await #expect(processExitsWith: .success) {
            try await withTemporaryDirectory { directory in
                let kept = [dup(0), dup(1), dup(2)]
                for descriptor in [0, 1, 2] as [Int32] { close(descriptor) }
                let supervisor = try ProcessSupervisor()
                var specification = ProcessSpecification.shell("cat; echo error >&2")
                specification.standardInput = "/proc/sys/kernel/ostype"
                specification.standardOutput = .file(directory + "/output")
                specification.standardError = .file(directory + "/error")
                let result = await supervisor.run(specification)
                supervisor.shutDown()
                for (number, descriptor) in kept.enumerated() { dup2(descriptor, Int32(number)) }
                #expect(try result.get().end == .exited(0))
                #expect(try String(contentsOfFile: directory + "/output", encoding: .utf8) == "Linux\n")
                #expect(try String(contentsOfFile: directory + "/error", encoding: .utf8) == "error\n")
            }
        }
    }

    @Test("A process leads a group of its own")
    func processLeadsGroupOwn() async throws {
        try await withSupervisor { supervisor in
            let fields = try await supervisor.output(of: "exec cat /proc/self/stat").split(separator: " ")
            #expect(fields[0] == fields[4])
            #expect(fields[4] != "\(getpgrp())")
        }
    }

    @Test("Thousands of launches leave no descriptors and no child processes behind")
    func thousandsLaunchesLeaveNo() async {
        await #expect(processExitsWith: .success) {
            func descriptors() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            }
            // Dispatch and the test library open and close descriptors too. A leak would be one descriptor in each of a
            // thousand launches.
            let tolerance = 10
            try await withTemporaryDirectory { directory in
                let outer = try descriptors()
                try await withSupervisor { supervisor in
                    let before = try descriptors()
                    await withTaskGroup(of: Void.self) { group in
                        for lane in 0..<4 as Range<UInt64> {
                            group.addTask {
                                var good = ProcessSpecification("true")
                                good.standardOutput = .file(directory + "/\(lane)")
                                var bad = good
                                bad.directory = "/none/such"
                                var missing = good
                                missing.arguments = ["nonesuch"]
                                for _ in 0..<250 {
                                    for specification in [good, bad, good, missing] {
                                        _ = await supervisor.run(specification, token: lane)
                                    }
                                }
                            }
                        }
                    }
                    #expect(try descriptors() <= before + tolerance)
                    // No child at all, so no zombie either.
                    let (child, code) = (waitpid(-1, nil, WNOHANG), errno)
                    #expect(child == -1, "child \(child)")
                    #expect(code == ECHILD)
                }
                #expect(try descriptors() <= outer + tolerance)
            }
        }
    }

    @Test("A process dies with the program that started it, even if that is killed")
    func processDiesProgramStarted() async throws {
        let result = await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
            let supervisor = try ProcessSupervisor()
            _ = await supervisor.run(ProcessSpecification("sleep", "1000")) { process in
                let line = Array("process \(process) started\n".utf8)
                _ = write(1, line, line.count)
                kill(getpid(), SIGKILL)
            }
        }
        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        let match = try #require(output.firstMatch(of: /process (\d+) started/))
        await waitUntilGone(try #require(Int32(match.1)))
    }

    @Test("A process that is to outlive its starter goes on after the starter was killed")
    func processOutlivesStarter() async throws {
        let result = await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
            let supervisor = try ProcessSupervisor()
            var specification = ProcessSpecification.shell(
                "while kill -0 $STARTER 2> /dev/null; do sleep 0.01; done; echo went on"
            )
            try specification.set(["STARTER": "\(getpid())"])
            specification.standardOutput = .descriptor(1)
            specification.outlivesStarter = true
            _ = await supervisor.run(specification) { _ in kill(getpid(), SIGKILL) }
        }
        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        #expect(output.contains("went on"))
    }
}
