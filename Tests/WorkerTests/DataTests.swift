import Foundation
import Glibc
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Inputs, results and outputs of attempts", .serialized, .timeLimit(.minutes(60)))
struct DataTests {
    @Test("DE20 Inputs arrive as files named after the dependencies, and are removed after the attempt")
    func inputs() async throws {
        try await WorkerTest.run { test in
            let script = "cd \"$BATON_INPUTS\" && ls && cat left 3"
            let item = try test.coordinator.dispatch(.shell(script)) { $0.hasInputs = true }
            guard case .fetchInputs(let session, let token, let operation) = try test.coordinator.next() else {
                Issue.record("inputs are fetched first")
                return
            }
            #expect(session == test.coordinator.session)
            #expect(token == item.token)
            #expect(operation == item.operation)
            let left = Input(name: "left", bytes: Array("L\n".utf8))
            try test.coordinator.send(.inputs(token, [left], isLast: false))
            try test.coordinator.send(.inputs(token, [Input(name: "3", bytes: Array("R\n".utf8))], isLast: false))
            try test.coordinator.send(.inputs(token, [], isLast: true))
            let result = try test.coordinator.completions()[0].result
            #expect(result.end == .exited(0))
            #expect(result.standardOutput.text == "3\nleft\nL\nR\n")
            // The removal comes before the report of the end.
            let rest = try FileManager.default.contentsOfDirectory(atPath: test.directory + "/worker/inputs")
            #expect(rest == [])
        }
    }

    @Test(
        "An input whose name leads out of its directory fails the attempt before it starts",
        arguments: [
            "../evil", "/evil", "..", ".", "a/b",
        ]
    )
    func evilInput(name: String) async throws {
        try await WorkerTest.run { test in
            let item = try test.coordinator.dispatch(.shell("true")) { $0.hasInputs = true }
            guard case .fetchInputs = try test.coordinator.next() else {
                Issue.record("inputs are fetched first")
                return
            }
            let evil = Input(name: name, bytes: [1])
            try test.coordinator.send(.inputs(item.token, [evil], isLast: true))
            guard case .notStarted(let sentence) = try test.coordinator.completions()[0].result.end else {
                Issue.record("it must not start")
                return
            }
            #expect(sentence.contains("\"\(name)\""))
        }
    }

    @Test("The bytes in BATON_RESULT are the result of a successful attempt, and an empty file is no result")
    func result() async throws {
        try await WorkerTest.run { test in
            #expect(try test.coordinator.run(script: "printf 42 >\"$BATON_RESULT\"").result == Array("42".utf8))
            #expect(try test.coordinator.run(script: "printf 7 >\"$BATON_RESULT\"; exit 1").result == nil)
            #expect(try test.coordinator.run(script: ": >\"$BATON_RESULT\"").result == nil)
            let most = try test.coordinator.run(script: "head -c 1048576 /dev/zero >\"$BATON_RESULT\"")
            #expect(most.end == .exited(0))
            #expect(most.result?.count == 1 << 20)
            let rest = try FileManager.default.contentsOfDirectory(atPath: test.directory + "/worker/results")
            #expect(rest == ["none"])
        }
    }

    @Test("DE20 With keepResult always, a failed attempt leaves what it wrote, and its failure stays its end")
    func keptResult() async throws {
        try await WorkerTest.run { test in
            func run(_ script: String) throws -> AttemptResult {
                var work = Work.shell(script)
                work.keepResult = .always
                return try test.coordinator.run(work)
            }
            let failed = try run("printf 7 >\"$BATON_RESULT\"; exit 3")
            #expect(failed.result == Array("7".utf8) && failed.end == .exited(3))
            let killed = try run("printf 8 >\"$BATON_RESULT\"; kill -9 $$")
            #expect(killed.result == Array("8".utf8) && killed.end == .signalled(9))
            #expect(try run("exit 3").result == nil)
            for script in ["head -c 1048577 /dev/zero >\"$BATON_RESULT\"", "mkdir \"$BATON_RESULT\""] {
                let unusable = try run("\(script); exit 3")
                #expect(unusable.result == nil && unusable.end == .exited(3), "\(script)")
            }
            let rest = try FileManager.default.contentsOfDirectory(atPath: test.directory + "/worker/results")
            #expect(rest == ["none"])
        }
    }

    @Test("A result that is too large or no regular file fails the attempt with a sentence")
    func badResult() async throws {
        try await WorkerTest.run { test in
            func sentence(_ script: String) throws -> String {
                let result = try test.coordinator.run(script: script)
                #expect(result.result == nil)
                guard case .unusableResult(let sentence) = result.end else { return "\(result.end)" }
                return sentence
            }
            let large = try sentence("head -c 1048577 /dev/zero >\"$BATON_RESULT\"")
            #expect(large.contains("1048577 bytes"))
            #expect(try sentence("mkdir \"$BATON_RESULT\"").contains("is not a regular file"))
            #expect(try sentence("mkfifo \"$BATON_RESULT\"").contains("is not a regular file"))
            let rest = try FileManager.default.contentsOfDirectory(atPath: test.directory + "/worker/results")
            #expect(rest == ["none"])
        }
    }

    @Test("Inputs take the place of links and pipes of their names, and of a link to a directory")
    func replacedInputs() async throws {
        try await WorkerTest.run { test in
            let target = test.directory + "/target"
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
            try Data("precious".utf8).write(to: URL(filePath: target + "/link"))
            for isWhole in [false, true] {
                let script = "cd \"$BATON_INPUTS\" && test -f pipe && test ! -h link && cat link pipe"
                let item = try test.coordinator.dispatch(.shell(script)) { $0.hasInputs = true }
                guard case .fetchInputs = try test.coordinator.next() else {
                    Issue.record("inputs are fetched first")
                    return
                }
                let inputs = "\(test.directory)/worker/inputs/\(item.token.fileName)"
                if isWhole {
                    try #require(symlink(target, inputs) == 0)
                } else {
                    try FileManager.default.createDirectory(atPath: inputs, withIntermediateDirectories: false)
                    try Intruder.link.put(at: inputs + "/link", target: target + "/link")
                    try Intruder.pipe.put(at: inputs + "/pipe", target: "")
                }
                let values = ["link", "pipe"].map { Input(name: $0, bytes: Array($0.utf8)) }
                try test.coordinator.send(.inputs(item.token, values, isLast: true))
                let result = try test.coordinator.completions()[0].result
                #expect(result.end == .exited(0) && result.standardOutput.text == "linkpipe")
                #expect(try FileManager.default.contentsOfDirectory(atPath: target) == ["link"])
                #expect(try String(contentsOfFile: target + "/link", encoding: .utf8) == "precious")
            }
        }
    }

    @Test(
        "D9 A success whose directory of results was removed or replaced meanwhile is a fault of the worker",
        arguments: [
            "rm -r \"$d\"",
            "rm -r \"$d\"; : >\"$d\"",
            "rm -r \"$d\"; mkfifo \"$d\"",
            "rm -r \"$d\"; mkdir -p \"$d/none\"",
            "rm -rf \"$d.moved\"; mv \"$d\" \"$d.moved\"; ln -s \"$d.moved\" \"$d\"",
        ]
    )
    func lostResults(loss: String) async throws {
        try await WorkerTest.run { test in
            func run(_ script: String) throws -> AttemptResult {
                try test.coordinator.run(script: "d=${BATON_RESULT%/*}; \(script)")
            }
            for before in ["printf 5 >\"$BATON_RESULT\"", ":", "echo printed"] {
                let lost = try run("\(before); \(loss)")
                #expect(lost.result == nil)
                guard case .workerFault(let sentence, hasRun: true) = lost.end else {
                    Issue.record("\(before): \(lost.end)")
                    continue
                }
                #expect(sentence.contains("/worker/results\" was removed or replaced"), "\(sentence)")
                // The directory is there again.
                #expect(try run("printf 6 >\"$BATON_RESULT\"").result == Array("6".utf8))
            }
            // A failure is the operation's own.
            #expect(try run("\(loss); exit 3").end == .exited(3))
            #expect(try run("printf 7 >\"$BATON_RESULT\"").result == Array("7".utf8))
        }
    }

    @Test("D9 A success is a fault of the worker also where its directory of results was made again meanwhile")
    func lostResultsRestored() async throws {
        try await WorkerTest.run(slots: 2) { test in
            let started = try Gate(test.directory + "/started")
            let gate = try Gate(test.directory + "/gate")
            let script = "printf 5 >\"$BATON_RESULT\"; echo >'\(started.path)'; read line <'\(gate.path)'"
            try test.coordinator.dispatch(.shell(script))
            _ = try started.await()
            try FileManager.default.removeItem(atPath: test.directory + "/worker/results")
            #expect(try test.coordinator.run(script: "printf 6 >\"$BATON_RESULT\"").result == Array("6".utf8))
            try gate.open()
            let lost = try test.coordinator.completions()[0].result
            guard case .workerFault(_, hasRun: true) = lost.end else {
                Issue.record("\(lost.end)")
                return
            }
            #expect(lost.result == nil)
        }
    }

    @Test("Output is read in pieces while a command runs and after its end")
    func output() async throws {
        try await WorkerTest.run { test in
            let printed = try Gate(test.directory + "/printed")
            let gate = try Gate(test.directory + "/gate")
            let script = "printf 12345; echo >'\(printed.path)'; read line <'\(gate.path)'; printf 678; echo e >&2"
            let item = try test.coordinator.dispatch(.shell(script))
            _ = try printed.await()
            func piece(_ offset: UInt64, _ text: String, of length: UInt64, _ isComplete: Bool) -> OutputChunk {
                OutputChunk(offset: offset, bytes: Array(text.utf8), totalLength: length, isComplete: isComplete)
            }
            let read = { try test.coordinator.output(of: item, offset: $0, limit: $1) }
            #expect(try read(0, 3) == piece(0, "123", of: 5, false))
            #expect(try read(3, 100) == piece(3, "45", of: 5, false))
            #expect(try read(5, 100) == piece(5, "", of: 5, false))
            #expect(try test.coordinator.output(of: item, .standardError) == piece(0, "", of: 0, false))
            try gate.open()
            _ = try test.coordinator.completions()
            #expect(try read(5, 100) == piece(5, "678", of: 8, true))
            #expect(try read(UInt64.max, 100) == piece(.max, "", of: 8, true))
            #expect(try test.coordinator.output(of: item, .standardError) == piece(0, "e\n", of: 2, true))
        }
    }

    // Whoever asked for the output of a silent attempt at that time was told that its worker does not answer.
    @Test(
        "Output of any length is read whole between the end of an attempt and the acknowledgement",
        arguments: [0, 1, 65_535, 65_536, 65_537, 3 << 20]
    )
    func outputBeforeAcknowledgement(length: Int) async throws {
        try await WorkerTest.run(slots: 1) { test in
            func print(_ letter: String) -> String { "head -c \(length) /dev/zero | tr '\\0' \(letter)" }
            // The second attempt has the files of the first, as far as they are used again.
            for (first, second) in [("a", "b"), ("c", "d")] {
                let script = "\(print(first)); \(print(second)) >&2"
                let item = try test.coordinator.dispatch(.shell(script))
                _ = try test.coordinator.completions(acknowledging: false)
                for (stream, letter) in [(BatonWire.OutputStream.standardOutput, first), (.standardError, second)] {
                    var bytes: [UInt8] = []
                    repeat {
                        let offset = UInt64(bytes.count)
                        let chunk = try #require(try test.coordinator.output(of: item, stream, offset: offset))
                        #expect(chunk.offset == offset && chunk.totalLength == UInt64(length) && chunk.isComplete)
                        try #require(!chunk.bytes.isEmpty || length == 0)
                        bytes += chunk.bytes
                    } while bytes.count < length
                    let isWhole = bytes == Array(String(repeating: letter, count: length).utf8)
                    #expect(isWhole, "\(bytes.count) bytes of \(stream)")
                }
                try test.coordinator.send(.acknowledge([item.token]))
            }
        }
    }

    @Test("A waiting attempt has an empty output, and an unknown attempt has none")
    func noOutput() async throws {
        try await WorkerTest.run(slots: 1) { test in
            let gate = try Gate(test.directory + "/gate")
            try test.coordinator.dispatch(.shell("read line <'\(gate.path)'"))
            var item = try test.coordinator.dispatch(.shell("echo later"))
            let chunk = try test.coordinator.output(of: item)
            #expect(chunk == OutputChunk(offset: 0, bytes: [], totalLength: 0, isComplete: false))
            item.token = AttemptToken(epoch: 9, serial: 9)
            #expect(try test.coordinator.output(of: item) == nil)
            try gate.open()
            _ = try test.coordinator.completions(2)
        }
    }

    @Test("Long outputs survive a restart of the worker, and leftover results and inputs are removed")
    func restart() async throws {
        try await WorkerTest.run { test in
            let item = try test.coordinator.dispatch(.shell("head -c 70000 /dev/zero"))
            _ = try test.coordinator.completions()
            test.worker.stop()
            try test.worker.awaitEnd()
            let directory = test.directory + "/worker"
            try Data().write(to: URL(fileURLWithPath: directory + "/results/1.99"))
            try FileManager.default.createDirectory(
                atPath: directory + "/inputs/1.99",
                withIntermediateDirectories: true
            )

            let coordinator = try FakeCoordinator()
            defer { coordinator.close() }
            let worker = try RunningWorker(.forTests(coordinator.endpoint, directory: test.directory))
            defer {
                worker.stopNow()
                try? worker.awaitEnd()
            }
            try coordinator.greet()
            #expect(try coordinator.output(of: item)?.bytes == [UInt8](repeating: 0, count: 70_000))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory + "/results") == ["none"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory + "/inputs") == [])
        }
    }
}
