import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonThreads
import Glibc
import Synchronization
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Attempts on a worker", .serialized, .timeLimit(.minutes(60)))
struct RunningTests {
    @Test("A completion carries the command's exit status, its output and its run time")
    func echo() async throws {
        try await WorkerTest.run { test in
            let start = ContinuousClock.now
            let result = try test.coordinator.run(Work(.commands([["/bin/echo", "hello"]])))
            let elapsed = ContinuousClock.now - start
            #expect(result.end == .exited(0))
            #expect(result.standardOutput == OutputTail(totalLength: 6, bytes: Array("hello\n".utf8)))
            #expect(result.standardError == OutputTail())
            #expect(result.result == nil)
            #expect(result.microseconds > 0 && Duration.microseconds(result.microseconds) <= elapsed)
        }
    }

    @Test("A completion tells standard output, standard error and the exit status apart")
    func streams() async throws {
        try await WorkerTest.run { test in
            let result = try test.coordinator.run(script: "echo out; echo err >&2; exit 3")
            #expect(result.end == .exited(3))
            #expect(result.standardOutput.text == "out\n")
            #expect(result.standardError.text == "err\n")
        }
    }

    @Test("A completion tells the processor time and the memory of the commands and of what they waited for")
    func usage() async throws {
        try await WorkerTest.run { test in
            // The loop runs in a child of the command.
            let loop = "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done"
            let busy = try #require(try test.coordinator.run(script: "sh -c '\(loop)'; exit 3").usage)
            let idle = try #require(try test.coordinator.run(script: "true").usage)
            #expect(busy.processorMicroseconds > idle.processorMicroseconds)
            #expect(idle.processorMicroseconds >= 0 && idle.peakMemory > 10_000)
            let large = "head -c 50000000 /dev/zero | tail -c 40000000 >/dev/null"
            let both = Work(.commands([["sh", "-c", large], ["true"]]))
            let usage = try #require(try test.coordinator.run(both).usage)
            #expect(usage.peakMemory > 40_000_000, "of the larger of both")
        }
    }

    @Test("An operation without work succeeds")
    func noOperation() async throws {
        try await WorkerTest.run { test in
            let result = try test.coordinator.run(Work(.noOperation))
            #expect(result == AttemptResult(end: .exited(0)))
        }
    }

    @Test("A long output is reported with its last 64 KiB and its total length")
    func longOutput() async throws {
        try await WorkerTest.run { test in
            let result = try test.coordinator.run(script: "head -c 100000 /dev/zero; printf end")
            #expect(result.standardOutput.totalLength == 100_003)
            #expect(result.standardOutput.bytes.count == OutputTail.maximumLength)
            #expect(result.standardOutput.bytes.suffix(3) == Array("end".utf8)[...])
        }
    }

    @Test("A command gets the documented BATON variables, its own environment and the worker's")
    func environment() async throws {
        try await WorkerTest.run { test in
            var work = Work.shell("env; ls \"$BATON_INPUTS\"")
            work.environment = ["COLOUR": "blue", "BATON_JOB": "not this"]
            let result = try test.coordinator.run(work) { item in
                item.attempt = 3
                item.name = "sepia"
                item.arrayNumber = 7
                item.arrayItem = "a b"
            }
            let lines = Set(result.standardOutput.text.split(separator: "\n").map(String.init))
            let expected = [
                "COLOUR=blue", "BATON_JOB=12", "BATON_OPERATION=12/1", "BATON_NAME=sepia", "BATON_QUEUE=images",
                "BATON_ATTEMPT=3", "BATON_INDEX=7", "BATON_ITEM=a b", "BATON_COORDINATOR=\(test.coordinator.endpoint)",
            ]
            #expect(lines.isSuperset(of: expected))
            #expect(lines.contains { $0.hasPrefix("PATH=") }, "the worker's own environment")
            #expect(lines.contains { $0.hasPrefix("BATON_INPUTS=\(test.directory)/worker/") })
            #expect(lines.contains { $0.hasPrefix("BATON_RESULT=\(test.directory)/worker/") })
        }
    }

    @Test("Attempts that share works have only their own variables, one after another and at once")
    func ownVariables() async throws {
        try await WorkerTest.run(slots: 4) { test in
            var expected: [AttemptToken: Set<String>] = [:]
            for number in UInt32(1)...24 {
                let kind = number.isMultiple(of: 2) ? "EVEN" : "ODD"
                var work = Work.shell("env | grep -E '^(EVEN|ODD|BATON_(OPERATION|ATTEMPT|NAME|INDEX|ITEM|OUTCOME))='")
                work.environment = [kind: "yes", "BATON_NAME": "not this", "BATON_INDEX": "nor this"]
                let assignment = try test.coordinator.dispatch(work) { item in
                    item.attempt = number
                    if number.isMultiple(of: 3) { item.name = "name \(number)" }
                    if number.isMultiple(of: 4) {
                        item.arrayNumber = Int64(number)
                        item.arrayItem = "item \(number)"
                    }
                }
                var lines: Set = [
                    "\(kind)=yes", "BATON_OPERATION=\(assignment.operation)", "BATON_ATTEMPT=\(number)",
                ]
                if number.isMultiple(of: 3) { lines.insert("BATON_NAME=name \(number)") }
                if number.isMultiple(of: 4) {
                    lines.formUnion(["BATON_INDEX=\(number)", "BATON_ITEM=item \(number)"])
                }
                expected[assignment.token] = lines
            }
            for completion in try test.coordinator.completions(24) {
                let lines = completion.result.standardOutput.text.split(separator: "\n").map(String.init)
                #expect(lines.sorted() == expected[completion.token]?.sorted())
            }
        }
    }

    @Test("Works in more directories than the worker remembers have their own directory and PWD each time")
    func directoriesInTurn() async throws {
        try await WorkerTest.run { test in
            for number in 0..<12 {
                let path = "\(test.directory)/\(number)"
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
            for number in Array(0..<12) + [11, 0, 11, 0, 5, 11] {
                var work = Work(.commands([["printenv", "PWD"]]))
                work.directory = "\(test.directory)/./\(number)"
                let printed = try test.coordinator.run(work).standardOutput.text
                #expect(printed == "\(test.directory)/\(number)\n")
            }
        }
    }

    @Test("Works keep their bytes apart where they only look the same")
    func equalTexts() async throws {
        try await WorkerTest.run { test in
            // An accented letter, as one character and as two, and two marks in both orders.
            let texts = ["\u{E9}", "e\u{301}", "a\u{323}\u{307}", "a\u{307}\u{323}"]
            for text in texts {
                let path = "\(test.directory)/\(text)"
                try #require(mkdir(path, 0o700) == 0)
            }
            for text in texts + texts.reversed() {
                var work = Work(.commands([["printenv", "PWD", "VALUE"]]))
                work.directory = "\(test.directory)/\(text)"
                work.environment = ["VALUE": text, "OTHER": "1"]
                let printed = try test.coordinator.run(work).standardOutput.bytes
                #expect(Array(printed) == Array("\(test.directory)/\(text)\n\(text)\n".utf8))
            }
        }
    }

    @Test("PWD follows a link that changes between two attempts of a work")
    func changedLink() async throws {
        try await WorkerTest.run { test in
            let files = FileManager.default
            var work = Work(.commands([["printenv", "PWD"]]))
            work.directory = "\(test.directory)/link/.."
            for name in ["one", "two"] {
                let parent = "\(test.directory)/\(name)"
                try files.createDirectory(atPath: parent + "/inner", withIntermediateDirectories: true)
                try? files.removeItem(atPath: "\(test.directory)/link")
                try files.createSymbolicLink(atPath: "\(test.directory)/link", withDestinationPath: parent + "/inner")
                let printed = try test.coordinator.run(work).standardOutput.text
                #expect(printed.hasSuffix("/\(name)\n"), "\(printed)")
            }
        }
    }

    @Test("No attempt inherits its worker's own settings, such as a key, and a clean one inherits six variables")
    func settings() throws {
        for name in ["BATON_KEY", "BATON_KEY_FILE", "BATON_TOKEN", "BATON_HOME", "BATON_LATER"] {
            #expect(!ProcessEnvironment.isInherited(name, isClean: false))
            #expect(!ProcessEnvironment.isInherited(name, isClean: true))
        }
        #expect(ProcessEnvironment.isInherited("OTHER", isClean: false))
        #expect(!ProcessEnvironment.isInherited("OTHER", isClean: true))
        let names = try ProcessEnvironment.forAttempts(with: ["MORE": "1"]).names
        #expect(!names.contains { $0.hasPrefix("BATON_") })
        #expect(names.isSuperset(of: ["PATH", "MORE"]))
        let clean = try ProcessEnvironment.forAttempts(with: ["MORE": "1"], isClean: true).names
        #expect(clean.subtracting(["PATH", "HOME", "USER", "SHELL", "LANG", "TMPDIR"]) == ["MORE"])
        let insecure = try ProcessEnvironment.forAttempts(isInsecure: true).names
        #expect(insecure.filter { $0.hasPrefix("BATON_") } == ["BATON_INSECURE"])
    }

    @Test("The bytes of a work are the standard input of each of its commands, and their file is removed at the end")
    func standardInput() async throws {
        try await WorkerTest.run { test in
            let bytes: [UInt8] = Array("a b\n\u{0}é".utf8)
            let work = Work(.commands([["cat"], ["cat"]]), input: bytes)
            let result = try test.coordinator.run(work)
            #expect(result.standardOutput.text == String(decoding: bytes + bytes, as: UTF8.self))
            let inputs = "\(test.directory)/worker/inputs"
            #expect(try FileManager.default.contentsOfDirectory(atPath: inputs).isEmpty)
        }
    }

    @Test("The variables for a missing name, index and item are not set")
    func absentVariables() async throws {
        try await WorkerTest.run { test in
            let result = try test.coordinator.run(script: "echo ${BATON_INDEX-no} ${BATON_ITEM-no} ${BATON_NAME-no}")
            #expect(result.standardOutput.text == "no no no\n")
        }
    }

    @Test("Every {} in a command is replaced by the array's item, and stays without an array")
    func arrayItem() async throws {
        try await WorkerTest.run { test in
            let work = Work(.commands([["/bin/echo", "{}", "x{}y{}"]]))
            let element = try test.coordinator.run(work) { $0.arrayItem = "a b" }
            #expect(element.standardOutput.text == "a b xa bya b\n")
            let single = try test.coordinator.run(work)
            #expect(single.standardOutput.text == "{} x{}y{}\n")
        }
    }

    @Test("A command runs in its directory with its standard input, which is empty without a file")
    func directoryAndInput() async throws {
        try await WorkerTest.run { test in
            try Data("from a file".utf8).write(to: URL(fileURLWithPath: test.directory + "/input"))
            var work = Work.shell("pwd; cat")
            work.directory = test.directory
            work.standardInput = "input"
            let text = try test.coordinator.run(work).standardOutput.text
            #expect(text.hasSuffix("\nfrom a file"))
            #expect(text.contains("baton-worker-"))
            #expect(try test.coordinator.run(script: "cat").standardOutput.text == "", "without one it is empty")
        }
    }

    @Test("A missing program, directory or input fails the attempt with the system's reason")
    func notStarted() async throws {
        try await WorkerTest.run { test in
            func sentence(_ work: Work) throws -> String {
                let end = try test.coordinator.run(work).end
                guard case .notStarted(let sentence) = end else {
                    Issue.record("\(end)")
                    return ""
                }
                return sentence
            }
            let program = try sentence(Work(.commands([["no-such-program"]])))
            #expect(program == "Cannot run \"no-such-program\": no such file in PATH.")
            let directory = try sentence(Work(.commands([["/bin/true"]]), directory: "/no/such/place"))
            #expect(directory.contains("/no/such/place") && directory.contains("No such file or directory"))
            let input = try sentence(Work(.commands([["/bin/true"]]), standardInput: "/no/such/file"))
            #expect(input.contains("/no/such/file") && input.contains("No such file or directory"))
        }
    }

    @Test("BL1 Several commands run at once, share the output, and the first failure in their order decides")
    func severalCommands() async throws {
        try await WorkerTest.run(slots: 1) { test in
            let gate = try Gate(test.directory + "/gate")
            // The first command can end only when the second runs.
            var work = Work(
                .commands([
                    ["/bin/sh", "-c", "read line <'\(gate.path)'; echo first"],
                    ["/bin/sh", "-c", "echo second; echo >'\(gate.path)'"],
                ])
            )
            let both = try test.coordinator.run(work)
            #expect(both.end == .exited(0))
            #expect(both.standardOutput.text.split(separator: "\n").sorted() == ["first", "second"])
            work.kind = .commands([["/bin/true"], ["/bin/sh", "-c", "exit 4"], ["no-such-program"]])
            #expect(try test.coordinator.run(work).end == .exited(4))
            work.kind = .commands([["no-such-program"], ["/bin/sh", "-c", "exit 4"]])
            guard case .notStarted = try test.coordinator.run(work).end else {
                Issue.record("the first command could not be started")
                return
            }
        }
    }

    @Test("D7 As many attempts run as there are slots, in the order of their arrival, and each start is reported")
    func slots() async throws {
        try await WorkerTest.run(slots: 2) { test in
            let started = try Gate(test.directory + "/started")
            let gates = try (0..<4).map { try Gate(test.directory + "/gate\($0)") }
            for (index, gate) in gates.enumerated() {
                let script = "echo \(index) >'\(started.path)'; read line <'\(gate.path)'"
                let item = try test.coordinator.dispatch(.shell(script))
                // The answer shows that the attempt has arrived.
                _ = try test.coordinator.output(of: item)
                // The first two attempts take the slots in their order.
                if index < 2 { #expect(try started.await() == "\(index)") }
            }
            // A third attempt before a free slot would report here, out of turn.
            #expect(test.coordinator.started.map(\.serial) == [1, 2])
            try gates[0].open()
            #expect(try test.coordinator.completions().map(\.operation.index) == [1])
            #expect(try started.await() == "2")
            try gates[1].open()
            #expect(try test.coordinator.completions().map(\.operation.index) == [2])
            #expect(try started.await() == "3")
            try gates[2].open()
            try gates[3].open()
            #expect(Set(try test.coordinator.completions(2).map(\.operation.index)) == [3, 4])
            #expect(test.coordinator.started.map(\.serial) == [1, 2, 3, 4])
        }
    }

    @Test(
        "QO2 The class of quality of service becomes the niceness of a command",
        arguments: [
            (BatonOperations.QualityOfService?.none, 0), (.userInteractive, 0), (.utility, 5), (.background, 15),
        ]
    )
    func niceness(quality: BatonOperations.QualityOfService?, expected: Int) async throws {
        try await WorkerTest.run { test in
            let own = Int(getpriority(__priority_which_t(0), id_t(getpid())))
            let result = try test.coordinator.run(script: "nice") { $0.qualityOfService = quality }
            #expect(result.standardOutput.text == "\(max(own, expected))\n")
        }
    }

    @Test("QO2 The niceness of a command builds on that of the worker's process, not of the thread that starts it")
    func nicenessOfThread() throws {
        let own = getpriority(__priority_which_t(0), id_t(getpid()))
        let found = Mutex<[Int32]>([])
        // The niceness of a thread ends with it.
        let thread = try SystemThread(named: "test") {
            setpriority(__priority_which_t(0), 0, 19)
            let work = Work(.commands([["true"]]))
            var niceness = WorkerNiceness()
            let own = niceness.value()
            found.withLock { $0 = [work.niceness(of: nil, from: own), work.niceness(of: .utility, from: own)] }
        }
        thread.join()
        #expect(found.withLock(\.self) == [own, max(own, 5)])
    }

    @Test("A changed niceness of the worker counts a second later")
    func changedNiceness() {
        var niceness = WorkerNiceness()
        let start = MonotonicTime.now
        let first = niceness.value(at: start) { 3 }
        let kept = niceness.value(at: start + .milliseconds(999)) { 5 }
        let changed = niceness.value(at: start + .seconds(1)) { 5 }
        #expect([first, kept, changed] == [3, 3, 5])
    }

    @Test("A thousand short attempts end once each and leave no output behind")
    func many() async throws {
        try await WorkerTest.run { test in
            for _ in 0..<1000 { try test.coordinator.dispatch(Work(.commands([["/bin/true"]]))) }
            let completions = try test.coordinator.completions(1000)
            #expect(Set(completions.map(\.token)).count == 1000)
            #expect(completions.allSatisfy { $0.result.end == .exited(0) })
            let left = try FileManager.default.contentsOfDirectory(atPath: test.directory + "/worker/outputs")
            // A new process of another test may hold a copy of a writer for a moment, so that an attempt needs new files.
            #expect(
                left.allSatisfy { $0.hasPrefix("blank-") } && left.count <= OutputArchive.Limits().pooledFiles,
                "empty outputs leave no file: \(left)"
            )
        }
    }
}
