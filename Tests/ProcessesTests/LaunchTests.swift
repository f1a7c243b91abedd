import Foundation
import Glibc
@_spi(Baton) import BatonProcesses
import Synchronization
import Testing

@Suite("Launches of processes", .timeLimit(.minutes(60)))
struct LaunchTests {
    @Test(
        "A process that exits with any status has that status as its result",
        arguments: [0, 1, 3, 127, 255] as [Int32]
    )
    func processExitsAnyStatus(status: Int32) async throws {
        try await withSupervisor { supervisor in
            let exit = try await supervisor.run(.shell("exit \(status)")).get()
            #expect(exit.end == .exited(status))
            #expect(!exit.timedOut && !exit.terminated)
        }
    }

    @Test(
        "The result of a process that a signal ended has that signal",
        arguments: [SIGKILL, SIGSEGV, SIGTERM, SIGHUP]
    )
    func resultProcessSignalEnded(signal: Int32) async throws {
        try await withSupervisor { supervisor in
            let exit = try await supervisor.run(.shell("ulimit -c 0; kill -\(signal) $$")).get()
            #expect(exit.end == .signalled(signal))
            #expect(!exit.terminated)
        }
    }

    @Test("The start of a process is reported with the process ID")
    func startProcessReportedProcess() async throws {
        try await withSupervisor { supervisor in
            let pipe = try LinePipe()
            var specification = ProcessSpecification.shell("echo $$; read line")
            specification.standardOutput = .descriptor(pipe.writingEnd)
            let started = try LinePipe()
            _ = try await supervisor.run(specification) { process in
                let line = Array("\(process)\n".utf8)
                _ = write(started.writingEnd, line, line.count)
            }.get()
            let told = await started.readLine()
            #expect(await pipe.readLine() == told)
        }
    }

    @Test("The usage of a process counts its processor time and its memory")
    func usageProcessCountsProcessor() async throws {
        try await withSupervisor { supervisor in
            let script = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"
            let usage = try await supervisor.run(.shell(script)).get().usage
            #expect(usage.userTime > .milliseconds(1))
            #expect(usage.maximumResidentBytes > 100_000)
        }
    }

    @Test("A program is found in the PATH that the process is given")
    func programFoundPATHProcess() async throws {
        try await withTemporaryDirectory { directory in
            var specification = ProcessSpecification("only-here")
            let path = "/nonexistent:/etc/passwd:\(directory):/bin"
            specification.environment = try specification.environment.setting(["PATH": path])
            try await withSupervisor { supervisor in
                try await supervisor.write(script: "#!/bin/sh\necho found", to: directory + "/only-here")
                let output = try await supervisor.output(of: specification)
                #expect(output == "found\n")
            }
        }
    }

    @Test("An empty entry of PATH is the working directory of the process")
    func emptyEntryPATHWorking() async throws {
        try await withTemporaryDirectory { directory in
            var specification = ProcessSpecification("only-here")
            specification.environment = try specification.environment.setting(["PATH": "/nonexistent::/bin"])
            specification.directory = directory
            try await withSupervisor { supervisor in
                try await supervisor.write(script: "#!/bin/sh\npwd", to: directory + "/only-here")
                let output = try await supervisor.output(of: specification)
                #expect(output == directory + "\n")
            }
        }
    }

    @Test("A program without a PATH is found in the directories of the system")
    func programWithoutPATHFound() async throws {
        let specification = try ProcessSpecification(arguments: ["env"], environment: ProcessEnvironment([:]))
        try await withSupervisor { supervisor in
            let output = try await supervisor.output(of: specification)
            #expect(output == "")
        }
    }

    @Test("The variables of a launch win over the environment and leave it unchanged")
    func variablesLaunchWinOver() async throws {
        let environment = try ProcessEnvironment(["A": "1", "B": "two words", "C": ""])
        var specification = ProcessSpecification(arguments: ["/usr/bin/env"], environment: environment)
        try specification.set(["B": "ü=2", "D": "4"])
        try await withSupervisor { supervisor in
            let lines = try await supervisor.output(of: specification).split(separator: "\n").sorted()
            #expect(lines == ["A=1", "B=ü=2", "C=", "D=4"])
            specification.variables = LaunchVariables()
            let before = try await supervisor.output(of: specification).split(separator: "\n").sorted()
            #expect(before == ["A=1", "B=two words", "C="])
        }
    }

    @Test("A launch overrides a variable that its environment took from another one")
    func variablesLaunchWinOverLaterSetting() async throws {
        let environment = try ProcessEnvironment(["A": "1", "B": "2"])
        let name = environment.name("B")
        let more = try environment.setting(["B": "3", "C": "4"])
        var specification = ProcessSpecification(arguments: ["/usr/bin/env"], environment: more)
        try specification.variables.set(name, to: "5")
        specification.variables.set(environment.name("D"), toASCII: Array("6".utf8))
        try await withSupervisor { supervisor in
            let lines = try await supervisor.output(of: specification).split(separator: "\n").sorted()
            #expect(lines == ["A=1", "B=5", "C=4", "D=6"])
        }
    }

    @Test("Processes that run at once from one environment have only their own variables")
    func variablesOfManyLaunches() async throws {
        let environment = try ProcessEnvironment(["A": "1", "B": "2"])
        try await withSupervisor { supervisor in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...20 {
                    group.addTask {
                        // Each sets another selection of the variables.
                        let variables = ["B", "C", "D"].enumerated().filter { number & 1 << $0.offset != 0 }
                        var specification = ProcessSpecification(arguments: ["/usr/bin/env"], environment: environment)
                        for (_, name) in variables {
                            try specification.variables.set(environment.name(name), to: "\(name) of \(number)")
                        }
                        let lines = try await supervisor.output(of: specification, token: UInt64(number))
                        var expected = ["A": "1", "B": "2"]
                        for (_, name) in variables { expected[name] = "\(name) of \(number)" }
                        #expect(lines.split(separator: "\n").sorted() == expected.map { "\($0)=\($1)" }.sorted())
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("A process inherits the whole environment of its parent")
    func processInheritsWholeEnvironment() async throws {
        try await withSupervisor { supervisor in
            let output = try await supervisor.output(of: ProcessSpecification("/usr/bin/env", "-0"))
            let expected = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
            #expect(Set(output.split(separator: "\0").map(String.init)) == Set(expected))
        }
    }

    @Test("A process inherits none of the variables that are left out")
    func variablesLeftOut() async throws {
        let all = ProcessInfo.processInfo.environment
        let name = try #require(all.keys.first { $0 != "PATH" })
        let environment = ProcessEnvironment.inherited(except: [name, "MISSING"])
        let specification = ProcessSpecification(arguments: ["/usr/bin/env", "-0"], environment: environment)
        try await withSupervisor { supervisor in
            let output = try await supervisor.output(of: specification)
            let expected = all.filter { $0.key != name }.map { "\($0)=\($1)" }
            #expect(Set(output.split(separator: "\0").map(String.init)) == Set(expected))
        }
    }

    @Test("A process runs in its directory and reads its relative standard input from there")
    func processRunsDirectoryReads() async throws {
        try await withTemporaryDirectory { directory in
            try Data("hello\n".utf8).write(to: URL(fileURLWithPath: directory + "/input"))
            var specification = ProcessSpecification.shell("pwd; cat")
            specification.directory = directory
            specification.standardInput = "input"
            try await withSupervisor { supervisor in
                let output = try await supervisor.output(of: specification)
                #expect(output == directory + "\nhello\n")
            }
        }
    }

    @Test("The standard input of a process is empty unless it is given")
    func standardInputProcessEmpty() async throws {
        try await withSupervisor { supervisor in
            let output = try await supervisor.output(of: "cat; echo end")
            #expect(output == "end\n")
        }
    }

    /// Calls the body with a supervisor, and a program whose standard input is a named pipe without a writer.
    private func withWaitingProgram(
        _ body: (ProcessSpecification, ProcessSupervisor) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            mkfifo(directory + "/pipe", 0o600)
            var specification = ProcessSpecification("cat")
            specification.standardInput = directory + "/pipe"
            try await withSupervisor { try await body(specification, $0) }
        }
    }

    @Test("A process that waits for a writer of its standard input delays no other launch, and can be ended")
    func namedPipeWithoutWriter() async throws {
        try await withWaitingProgram { specification, supervisor in
            let end = await supervisor.run(specification) { _ in
                supervisor.launch(.shell("exit 3"), token: 2) { other in
                    let exit = try? other.get()
                    #expect(exit?.end == .exited(3))
                    supervisor.terminate(1, grace: nil)
                }
            }
            let exit = try end.get()
            #expect(exit.end == .signalled(SIGTERM))
        }
    }

    @Test("A process that waits for a writer of its standard input is ended also right after its start")
    func namedPipeEndedAtOnce() async throws {
        try await withWaitingProgram { specification, supervisor in
            for token in 1...100 as ClosedRange<UInt64> {
                // With a lost signal, the process goes on until the end of the grace period, and the test fails.
                let end = await supervisor.run(specification, token: token) { _ in
                    supervisor.terminate(token, grace: .seconds(3600))
                }
                let exit = try end.get()
                try #require(exit.end == .signalled(SIGTERM))
            }
        }
    }

    @Test(
        "A process that waited for a writer of its standard input and cannot run then fails to start, as without the wait",
        arguments: [
            ("no-such-program-of-any-host", nil), ("/nonexistent/program", nil), ("/etc", nil), ("./missing", "/"),
            ("cat", "/nonexistent"), ("no such && program", nil),
        ] as [(String, String?)]
    )
    func namedPipeOfMissingProgram(program: String, directory: String?) async throws {
        try await withWaitingProgram { specification, supervisor in
            var waiting = specification
            waiting.arguments = [program]
            waiting.directory = directory
            var plain = waiting
            plain.standardInput = nil
            let expected = await supervisor.run(plain)
            // The test holds the descriptor until the end: a writer that has gone before the process comes is not seen.
            let writer = Mutex<Int32>(-1)
            defer { close(writer.withLock { $0 }) }
            let path = try #require(waiting.standardInput)
            let end = await supervisor.run(waiting) { _ in writer.withLock { $0 = open(path, O_RDWR | O_CLOEXEC) } }
            #expect(writer.withLock { $0 } >= 0, "the start is told before")
            let failure = #expect(throws: LaunchFailure.self) { try end.get() }
            let plainFailure = #expect(throws: LaunchFailure.self) { try expected.get() }
            #expect(failure?.reason == plainFailure?.reason)
            #expect(failure?.code == plainFailure?.code)
            #expect(failure?.description == plainFailure?.description)
        }
    }

    @Test("A process that may not open the named pipe of its standard input fails to start with that reason")
    func namedPipeNotOpened() async throws {
        let pipe = try LinePipe()
        var specification = ProcessSpecification("cat")
        // A link to a descriptor of this process, which is not the file of a user.
        specification.standardInput = "/proc/\(getpid())/fd/\(pipe.readingEnd)"
        try await withSupervisor { supervisor in
            let end = await supervisor.run(specification)
            let failure = #expect(throws: LaunchFailure.self) { try end.get() }
            #expect(failure?.reason == .standardInput)
            #expect(failure?.code == ELOOP)
            let path = specification.standardInput ?? ""
            #expect(failure?.description == "cannot read standard input \"\(path)\": \(UserFile.reason(ELOOP))")
        }
    }

    @Test("A token of a process that could not run after its wait can be used again")
    func namedPipeTokenUsedAgain() async throws {
        try await withWaitingProgram { specification, supervisor in
            let path = try #require(specification.standardInput)
            let writer = open(path, O_RDWR | O_CLOEXEC)
            defer { close(writer) }
            var missing = specification
            missing.arguments = ["/nonexistent/program"]
            for _ in 1...20 {
                let end = await supervisor.run(missing)
                #expect(throws: LaunchFailure.self) { try end.get() }
            }
            var reading = specification
            reading.arguments = ["head", "-c", "1"]
            #expect(write(writer, "x", 1) == 1)
            let exit = try await supervisor.run(reading).get()
            #expect(exit.end == .exited(0))
        }
    }

    @Test("Each output stream of a process goes to its file, which is emptied first")
    func eachOutputStreamProcess() async throws {
        try await withTemporaryDirectory { directory in
            try Data("old content\n".utf8).write(to: URL(fileURLWithPath: directory + "/output"))
            var specification = ProcessSpecification.shell("echo out; echo err >&2")
            specification.standardOutput = .file(directory + "/output")
            specification.standardError = .file(directory + "/error")
            try await withSupervisor { supervisor in
                let exit = try await supervisor.run(specification).get()
                #expect(exit.end == .exited(0))
            }
            #expect(try String(contentsOfFile: directory + "/output", encoding: .utf8) == "out\n")
            #expect(try String(contentsOfFile: directory + "/error", encoding: .utf8) == "err\n")
        }
    }

    @Test("A process gets the requested niceness and disk priority")
    func processGetsRequestedNiceness() async throws {
        var specification = ProcessSpecification("cat", "/proc/self/stat")
        // Without privilege, the niceness can only grow.
        let niceness = min(getpriority(__priority_which_t(0), 0) + 7, 19)
        specification.niceness = niceness
        specification.ioPriority = .idle
        try await withSupervisor { supervisor in
            let stat = try await supervisor.output(of: specification)
            #expect(stat.split(separator: " ")[18] == "\(niceness)")
            specification.arguments = ["/usr/bin/ionice"]
            let output = try await supervisor.output(of: specification)
            #expect(output == "idle\n")
        }
    }

    @Test("A token can be used again once its process has ended, and not before")
    func tokenCanUsedAgain() async throws {
        try await withSupervisor { supervisor in
            let pipe = try LinePipe()
            var specification = ProcessSpecification.shell("echo ready; sleep 1000")
            specification.standardOutput = .descriptor(pipe.writingEnd)
            async let first = supervisor.run(specification, token: 7)
            #expect(await pipe.readLine() == "ready")
            let second = await supervisor.run(ProcessSpecification("true"), token: 7)
            #expect(throws: LaunchFailure.self) { try second.get() }
            supervisor.terminate(7, grace: .seconds(3600))
            #expect(try await first.get().end == .signalled(SIGTERM))
            let exit = try await supervisor.run(ProcessSpecification("true"), token: 7).get()
            #expect(exit.end == .exited(0))
        }
    }
}
