import Foundation
import Glibc
@_spi(Baton) import BatonProcesses
import Testing

@Suite("Termination of processes", .timeLimit(.minutes(60)))
struct TerminationTests {
    /// A long time: a test that waits until the end fails by the test's time limit.
    private let ample = Duration.seconds(3600)
    /// The shell commands that run until a trap of the shell ends it.
    ///
    /// A shell that has started `sleep` just after the signal, and does not use `wait`, sees the signal at the end of `sleep`.
    private let awaitSignal = "while :; do sleep 1000 & wait; done"

    @Test("A terminated process gets SIGTERM first and is reported as terminated")
    func terminatedProcessGetsSIGTERM() async throws {
        try await withSupervisor { supervisor in
            let exit = try await supervisor.run(ProcessSpecification("sleep", "1000")) { [ample] _ in
                supervisor.terminate(1, grace: ample)
            }.get()
            #expect(exit.end == .signalled(SIGTERM))
            #expect(exit.terminated && !exit.timedOut)
        }
    }

    @Test("A terminated process that exits by itself keeps its exit status")
    func terminatedProcessExitsItself() async throws {
        try await withSupervisor { supervisor in
            let pipe = try LinePipe()
            var specification = ProcessSpecification.shell(
                "trap 'exit 3' TERM; echo ready; \(awaitSignal)"
            )
            specification.standardOutput = .descriptor(pipe.writingEnd)
            async let result = supervisor.run(specification)
            #expect(await pipe.readLine() == "ready")
            supervisor.terminate(1, grace: ample)
            let exit = try await result.get()
            #expect(exit.end == .exited(3))
            #expect(exit.terminated)
        }
    }

    @Test("The whole group of a terminated process is gone when its end is reported")
    func wholeGroupTerminatedProcess() async throws {
        try await withSupervisor { supervisor in
            let pipe = try LinePipe()
            var specification = ProcessSpecification.shell("sleep 1000 & echo $!; sleep 1000 & echo $!; sleep 1000")
            specification.standardOutput = .descriptor(pipe.writingEnd)
            async let result = supervisor.run(specification)
            let members = [try #require(Int32(await pipe.readLine())), try #require(Int32(await pipe.readLine()))]
            #expect(members.allSatisfy { !isGone($0) })
            supervisor.terminate(1, grace: ample)
            #expect(try await result.get().end == .signalled(SIGTERM))
            #expect(members.allSatisfy { isGone($0) })
        }
    }

    @Test("The processes that are left in a group are killed when its leader ends")
    func processesLeftGroupKilled() async throws {
        try await withSupervisor { supervisor in
            let process = try await supervisor.output(of: "trap '' TERM; sleep 1000 >/dev/null & echo $!")
            #expect(isGone(try #require(Int32(process.dropLast()))))
        }
    }

    @Test("A terminated group may tidy up after its leader has ended")
    func terminatedGroupMayTidy() async throws {
        try await withTemporaryDirectory { directory in
            try await withSupervisor { supervisor in
                let pipe = try LinePipe()
                var specification = ProcessSpecification.shell(
                    """
                    (trap 'rmdir scratch; mkdir tidied; exit' TERM; mkdir scratch; echo ready; \(awaitSignal)) &
                    wait
                    """
                )
                specification.directory = directory
                specification.standardOutput = .descriptor(pipe.writingEnd)
                async let result = supervisor.run(specification)
                #expect(await pipe.readLine() == "ready")
                supervisor.terminate(1, grace: ample)
                #expect(try await result.get().end == .signalled(SIGTERM))
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["tidied"])
            }
        }
    }

    @Test("The rest of a group is killed at the end of the grace period although its leader is gone")
    func restGroupKilledEnd() async throws {
        try await withSupervisor { supervisor in
            var grace = Duration.milliseconds(100)
            var end = ProcessEnd.signalled(SIGKILL)
            // On a busy host, the grace period may be over before the leader has ended by SIGTERM.
            while end == .signalled(SIGKILL) {
                let pipe = try LinePipe()
                var specification = ProcessSpecification.shell("(trap '' TERM; echo ready; sleep 1000) & echo $!; wait")
                specification.standardOutput = .descriptor(pipe.writingEnd)
                async let result = supervisor.run(specification)
                let lines = [await pipe.readLine(), await pipe.readLine()]
                let member = try #require(lines.compactMap { Int32($0) }.first)
                supervisor.terminate(1, grace: grace)
                end = try await result.get().end
                #expect(isGone(member))
                grace *= 2
            }
            #expect(end == .signalled(SIGTERM))
        }
    }

    @Test("A process that ignores SIGTERM is killed at the end of the grace period, and not before")
    func processIgnoresSIGTERMKilled() async throws {
        try await withSupervisor { supervisor in
            let pipe = try LinePipe()
            var specification = ProcessSpecification.shell("trap '' TERM; echo ready; while :; do sleep 1000; done")
            specification.standardOutput = .descriptor(pipe.writingEnd)
            async let result = supervisor.run(specification)
            #expect(await pipe.readLine() == "ready")
            let asked = ContinuousClock.now
            supervisor.terminate(1, grace: .milliseconds(80))
            #expect(try await result.get().end == .signalled(SIGKILL))
            #expect(ContinuousClock.now - asked >= .milliseconds(80))
        }
    }

    @Test("A process with an endless grace period is killed only after a later request without one")
    func processEndlessGracePeriod() async throws {
        try await withSupervisor { supervisor in
            let pipe = try LinePipe()
            var specification = ProcessSpecification.shell(
                "trap 'echo asked' TERM; echo ready; \(awaitSignal)"
            )
            specification.standardOutput = .descriptor(pipe.writingEnd)
            async let result = supervisor.run(specification)
            #expect(await pipe.readLine() == "ready")
            supervisor.terminate(1, grace: nil)
            #expect(await pipe.readLine() == "asked")
            supervisor.terminate(1, grace: nil)
            supervisor.terminate(1, grace: ample)
            supervisor.terminate(1, grace: .zero)
            #expect(try await result.get().end == .signalled(SIGKILL))
        }
    }

    @Test("A second request to terminate a process cannot lengthen its grace period")
    func secondRequestTerminateProcess() async throws {
        try await withSupervisor { supervisor in
            let pipe = try LinePipe()
            var specification = ProcessSpecification.shell("trap '' TERM; echo ready; while :; do sleep 1000; done")
            specification.standardOutput = .descriptor(pipe.writingEnd)
            async let result = supervisor.run(specification)
            #expect(await pipe.readLine() == "ready")
            supervisor.terminate(1, grace: .milliseconds(50))
            supervisor.terminate(1, grace: ample)
            supervisor.terminate(1, grace: nil)
            #expect(try await result.get().end == .signalled(SIGKILL))
        }
    }

    @Test("A stopped process that is terminated ends too")
    func stoppedProcessTerminatedEnds() async throws {
        try await withSupervisor { supervisor in
            let exit = try await supervisor.run(ProcessSpecification("sleep", "1000")) { [ample] process in
                kill(process, SIGSTOP)
                supervisor.terminate(1, grace: ample)
            }.get()
            #expect(exit.end == .signalled(SIGTERM))
        }
    }

    @Test("A launch that is terminated before it is carried out never runs")
    func launchTerminatedBeforeCarried() async throws {
        try await withTemporaryDirectory { directory in
            try await withSupervisor { supervisor in
                let results = AsyncStream<Result<ProcessExit, LaunchFailure>>.makeStream()
                // On the supervisor's thread no event can come between the launch and its end.
                _ = await supervisor.run(ProcessSpecification("true"), token: 1) { [ample] _ in
                    supervisor.launch(ProcessSpecification("touch", directory + "/ran"), token: 2) {
                        results.continuation.yield($0)
                    }
                    supervisor.terminate(2, grace: ample)
                }
                var iterator = results.stream.makeAsyncIterator()
                let result = await iterator.next()
                guard case .failure(let failure) = result else {
                    Issue.record("it ran: \(String(describing: result))")
                    return
                }
                #expect(failure.reason == .terminated)
                #expect(!FileManager.default.fileExists(atPath: directory + "/ran"))
            }
        }
    }

    @Test("Terminating a process that has ended or was never launched has no effect")
    func terminatingProcessHasEnded() async throws {
        try await withSupervisor { supervisor in
            supervisor.terminate(99, grace: .zero)
            _ = await supervisor.run(ProcessSpecification("true"), token: 1)
            supervisor.terminate(1, grace: .zero)
            let exit = try await supervisor.run(ProcessSpecification("true"), token: 2).get()
            #expect(exit.end == .exited(0))
        }
    }

    @Test("A process that overruns its timeout is terminated and reported as timed out")
    func processOverrunsTimeoutTerminated() async throws {
        try await withSupervisor { supervisor in
            var specification = ProcessSpecification("sleep", "1000")
            specification.timeout = .milliseconds(50)
            specification.timeoutGrace = ample
            let started = ContinuousClock.now
            let exit = try await supervisor.run(specification).get()
            #expect(exit.end == .signalled(SIGTERM))
            #expect(exit.timedOut && !exit.terminated)
            #expect(ContinuousClock.now - started >= .milliseconds(50))
        }
    }

    @Test("A process that ignores its timeout is killed at the end of the grace period")
    func processIgnoresTimeoutKilled() async throws {
        try await withTemporaryDirectory { directory in
            try await withSupervisor { supervisor in
                let output = directory + "/output"
                var specification = ProcessSpecification.shell("trap '' TERM; echo ready; while :; do sleep 1000; done")
                specification.standardOutput = .file(output)
                specification.timeoutGrace = .milliseconds(20)
                var timeout = Duration.milliseconds(250)
                var isReady = false
                // On a busy host, the timeout may be over before the shell ignores the signal.
                while !isReady {
                    specification.timeout = timeout
                    let exit = try await supervisor.run(specification).get()
                    #expect(exit.timedOut)
                    isReady = try String(contentsOfFile: output, encoding: .utf8) == "ready\n"
                    if isReady { #expect(exit.end == .signalled(SIGKILL)) }
                    timeout *= 2
                }
            }
        }
    }

    @Test("A process that ends within its timeout is not reported as timed out")
    func processEndsWithinTimeout() async throws {
        try await withSupervisor { supervisor in
            var specification = ProcessSpecification("true")
            specification.timeout = .seconds(100_000_000_000)
            let exit = try await supervisor.run(specification).get()
            #expect(exit.end == .exited(0))
            #expect(!exit.timedOut)
        }
    }

    @Test("Two hundred processes all end when all are terminated at once")
    func twoHundredProcessesAll() async throws {
        try await withSupervisor { supervisor in
            let started = AsyncStream<Int32>.makeStream()
            let ends = await withTaskGroup(of: Result<ProcessExit, LaunchFailure>.self) { group in
                for token in 0..<200 as Range<UInt64> {
                    group.addTask {
                        await supervisor.run(ProcessSpecification("sleep", "1000"), token: token) {
                            started.continuation.yield($0)
                        }
                    }
                }
                var processes: Set<Int32> = []
                for await process in started.stream {
                    processes.insert(process)
                    if processes.count == 200 { break }
                }
                supervisor.terminateAll(grace: ample)
                return await group.reduce(into: [ProcessEnd]()) { ends, result in
                    if case .success(let exit) = result { ends.append(exit.end) }
                }
            }
            #expect(ends.count == 200)
            #expect(ends.allSatisfy { $0 == .signalled(SIGTERM) })
        }
    }

    @Test("The shutdown of a supervisor kills its process, reports the end and refuses new launches")
    func shutdownSupervisorKillsProcess() async throws {
        let supervisor = try ProcessSupervisor()
        let pipe = try LinePipe()
        var specification = ProcessSpecification.shell("trap '' TERM; echo ready; while :; do sleep 1000; done")
        specification.standardOutput = .descriptor(pipe.writingEnd)
        async let result = supervisor.run(specification)
        #expect(await pipe.readLine() == "ready")
        supervisor.terminate(1, grace: nil)
        supervisor.shutDown()
        supervisor.shutDown()
        #expect(try await result.get().end == .signalled(SIGKILL))
        guard case .failure(let failure) = await supervisor.run(ProcessSpecification("true")) else {
            Issue.record("a process ran after the shutting down")
            return
        }
        #expect(failure.reason == .shutDown)
    }

    @Test("The process of a released supervisor is killed or never starts")
    func processReleasedSupervisorKilled() async throws {
        let ended = AsyncStream<ProcessEnd>.makeStream()
        do {
            let supervisor = try ProcessSupervisor()
            supervisor.launch(ProcessSpecification("sleep", "1000"), token: 1) { result in
                if case .success(let exit) = result { ended.continuation.yield(exit.end) }
                ended.continuation.finish()
            }
        }
        var ends: [ProcessEnd] = []
        for await end in ended.stream { ends.append(end) }
        #expect(ends.isEmpty || ends == [.signalled(SIGKILL)])
    }
}
