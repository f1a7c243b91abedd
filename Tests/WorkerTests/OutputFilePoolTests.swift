import Foundation
import Glibc
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
import Synchronization
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Reuse of output files", .serialized, .timeLimit(.minutes(60)))
struct OutputFilePoolTests {
    private let operation = OperationID(job: JobNumber(1), index: 0)

    private func contents(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    private func isBlank(_ name: String) -> Bool { name.hasPrefix(PooledOutputFile.namePrefix) }

    /// The open files of this process below a directory; other suites use other directories.
    private func openFiles(below directory: String) throws -> [String] {
        try contents("/proc/self/fd").compactMap { number in
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)
            return path.flatMap { $0.hasPrefix(directory) ? $0 : nil }
        }
    }

    private func printed(_ token: AttemptToken, in archive: OutputArchive, isOver: Bool) -> String? {
        let request = OutputRequest(
            number: 1,
            token: token,
            operation: operation,
            stream: .standardOutput,
            offset: 0,
            limit: 100
        )
        return archive.read(request, isOver: isOver).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("Two thousand silent attempts in turn leave at most two files and two open descriptors")
    func reuse() async throws {
        try await withTemporaryDirectory { directory in
            // A new process of another test has a copy of the writers for a moment, and counts as one that prints late.
            let archive = OutputArchive(directory: directory, limits: .init(leftFiles: 0))
            defer { archive.removePooledFiles() }
            for serial in 1...2000 {
                let output = try archive.open(token(UInt64(serial)), of: operation)
                output.closeWriters()
                _ = archive.close(output)
            }
            #expect(try contents(directory).count <= 2)
            #expect(try openFiles(below: directory).count <= 2)
            // The files are numbered. The two numbers vary: a new process of another test has a copy of the writers for
            // a moment.
            let last = try archive.open(token(2001), of: operation)
            let number = last.standardOutput.file.path.split(separator: "-").last.map(String.init)
            #expect(try #require(number.flatMap { Int($0) }) < 1000)
            last.closeWriters()
            _ = archive.close(last)
        }
    }

    /// Starts an attempt that prints these bytes, and closes the worker's own writers.
    private func attempt(
        _ serial: UInt64,
        _ printed: [UInt8],
        _ errors: [UInt8] = [],
        in archive: OutputArchive
    ) throws -> BatonWorker.AttemptOutput {
        let output = try archive.open(token(serial), of: operation)
        try #require(write(output.standardOutput.writer, printed, printed.count) == printed.count)
        try #require(write(output.standardError.writer, errors, errors.count) == errors.count)
        output.closeWriters()
        return output
    }

    /// Takes a short output out of its files, once no new process of another test has copies of the writers.
    ///
    /// - Returns: the bytes of both streams; nil if the output stays in its files.
    private func takeShort(_ output: BatonWorker.AttemptOutput, from archive: OutputArchive) -> [[UInt8]]? {
        let files = [output.standardOutput.file, output.standardError.file]
        while files.contains(where: { $0.users == .some }) {}
        guard let tails = archive.closeShort(output) else { return nil }
        for tail in [tails.standardOutput, tails.standardError] {
            #expect(tail.totalLength == UInt64(tail.bytes.count))
        }
        return [tails.standardOutput.bytes, tails.standardError.bytes]
    }

    @Test("Two thousand attempts with short outputs in turn leave two files, and each has its own bytes alone")
    func reuseAfterShortOutputs() async throws {
        try await withTemporaryDirectory { directory in
            let archive = OutputArchive(directory: directory)
            defer { archive.removePooledFiles() }
            let lengths = [65_536, 0, 1, 65_535, 10]
            for serial in UInt64(1)...2000 {
                let printed = [UInt8](repeating: UInt8(serial % 251), count: lengths[Int(serial % 5)])
                let errors = Array("\(serial)".utf8)
                let output = try attempt(serial, printed, errors, in: archive)
                #expect(takeShort(output, from: archive) == [printed, errors])
            }
            #expect(try contents(directory).count == 2)
            #expect(try openFiles(below: directory).count == 2)
            for name in try contents(directory) {
                #expect(try Data(contentsOf: URL(filePath: directory + "/" + name)).isEmpty)
            }
        }
    }

    @Test(
        "Output of at most 64 KiB in each stream needs no file after its attempt, and longer output keeps its files",
        arguments: [0, 1, 65_535, 65_536, 65_537, 3 << 20]
    )
    func lengths(length: Int) async throws {
        try await withTemporaryDirectory { directory in
            let archive = OutputArchive(directory: directory)
            defer { archive.removePooledFiles() }
            let bytes = [UInt8](repeating: 1, count: length)
            let outputs: [(printed: [UInt8], errors: [UInt8])] = [(bytes, []), ([], bytes), (bytes, bytes)]
            for (serial, (printed, errors)) in zip(UInt64(1)..., outputs) {
                let output = try attempt(serial, printed, errors, in: archive)
                let taken = takeShort(output, from: archive)
                let expected: [[UInt8]]? = length <= 65_536 ? [printed, errors] : nil
                #expect(taken == expected)
                guard taken == nil else { continue }
                let tails = archive.close(output)
                #expect(tails.standardOutput.totalLength == UInt64(printed.count))
                #expect(tails.standardError.totalLength == UInt64(errors.count))
            }
            let kept = try contents(directory).filter { !isBlank($0) }
            #expect(kept.count == (length <= 65_536 ? 0 : 4), "\(kept)")
        }
    }

    @Test("Output above a small limit of a stream stays in its files")
    func smallLimit() async throws {
        try await withTemporaryDirectory { directory in
            let archive = OutputArchive(directory: directory, limits: .init(streamBytes: 16_384))
            defer { archive.removePooledFiles() }
            let bytes = [UInt8](repeating: 1, count: 40_000)
            let short = try attempt(1, Array(bytes.prefix(16_384)), in: archive)
            #expect(takeShort(short, from: archive) == [Array(bytes.prefix(16_384)), []])
            let long = try attempt(2, bytes, in: archive)
            #expect(takeShort(long, from: archive) == nil)
            let tail = archive.close(long).standardOutput
            #expect(tail.totalLength == 40_000 && tail.bytes.allSatisfy { $0 == 1 })
        }
    }

    // A process can open a file again that it has open to read, through /proc, and one whose name it knows.
    @Test("A file that a process has open to read serves no other attempt, and one with a known name gets another")
    func remembered() async throws {
        try await withTemporaryDirectory { directory in
            let archive = OutputArchive(directory: directory)
            defer { archive.removePooledFiles() }
            let first = try attempt(1, [1], in: archive)
            let name = first.standardOutput.file.path
            let reader = open(name, O_RDONLY | O_CLOEXEC)
            try #require(reader >= 0)
            #expect(archive.closeShort(first) == nil)
            _ = archive.close(first)
            let second = try attempt(2, [2], in: archive)
            #expect(FileIdentity(of: second.standardOutput.file.reader) != FileIdentity(of: reader))
            close(reader)

            let known = second.standardOutput.file.path
            #expect(takeShort(second, from: archive) == [[2], []])
            let late = open(known, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
            try #require(late >= 0 && write(late, "late", 4) == 4)
            close(late)
            let third = try attempt(3, [3], in: archive)
            #expect(takeShort(third, from: archive) == [[3], []])
        }
    }

    @Test("What a process prints after the end of an attempt with short output comes into no other attempt's output")
    func lateWriter() async throws {
        try await withTemporaryDirectory { directory in
            let archive = OutputArchive(directory: directory)
            defer { archive.removePooledFiles() }
            let first = try archive.open(token(1), of: operation)
            #expect(write(first.standardOutput.writer, "first", 5) == 5)
            let late = fcntl(first.standardOutput.writer, F_DUPFD_CLOEXEC, 0)
            defer { close(late) }
            first.closeWriters()
            let isTaken = archive.closeShort(first) != nil
            #expect(!isTaken)
            #expect(archive.close(first).standardOutput.text == "first")

            let second = try attempt(2, Array("2".utf8), in: archive)
            #expect(write(late, "late", 4) == 4)
            #expect(takeShort(second, from: archive) == [Array("2".utf8), []])
            let third = try attempt(3, [], in: archive)
            #expect(write(late, "late", 4) == 4)
            #expect(takeShort(third, from: archive) == [[], []])
            #expect(printed(token(1), in: archive, isOver: true) == "firstlatelate")
        }
    }

    @Test("The files of an attempt that a reader has open, or will open, are not used again")
    func reader() async throws {
        try await withTemporaryDirectory { directory in
            let archive = OutputArchive(directory: directory)
            defer { archive.removePooledFiles() }
            for serial in UInt64(1)...2 {
                let output = try attempt(serial, Array("\(serial)".utf8), in: archive)
                if serial == 1 {
                    #expect(printed(token(1), in: archive, isOver: false) == "1")
                } else {
                    archive.expectReader(of: output.owner)
                }
                #expect(takeShort(output, from: archive) == nil)
                #expect(archive.close(output).standardOutput.text == "\(serial)")
                #expect(printed(token(serial), in: archive, isOver: true) == "\(serial)")
            }
            // An attempt that is not known has no files that could be used again.
            archive.expectReader(of: OutputOwner(token(3), of: operation))
            let third = try attempt(3, [3], in: archive)
            #expect(takeShort(third, from: archive) == [[3], []])
        }
    }

    @Test("An output of which a part was cut is not taken for a short one")
    func cut() async throws {
        try await withTemporaryDirectory { directory in
            let archive = OutputArchive(directory: directory)
            defer { archive.removePooledFiles() }
            let output = try attempt(1, [1], in: archive)
            archive.state.withLock { state in
                state.running[output.owner]?.spans.standardOutput = StreamSpan(base: 100, start: 100)
                state.cut.insert(output.owner)
            }
            #expect(takeShort(output, from: archive) == nil)
            #expect(archive.close(output).standardOutput.totalLength == 101)
        }
    }

    @Test("The pool keeps no more files than its limit, and none after its removal")
    func limit() async throws {
        try await withTemporaryDirectory { directory in
            let archive = OutputArchive(directory: directory, limits: .init(pooledFiles: 3))
            let outputs = try (1...5).map { try archive.open(token($0), of: operation) }
            #expect(try contents(directory).count == 10)
            for output in outputs {
                output.closeWriters()
                _ = archive.close(output)
            }
            #expect(try contents(directory).count <= 3)
            archive.removePooledFiles()
            #expect(try contents(directory) == [])
            #expect(try openFiles(below: directory) == [])
        }
    }

    @Test("A file that has another writer or was read is removed and not used again")
    func notReused() async throws {
        try await withTemporaryDirectory { directory in
            let archive = OutputArchive(directory: directory)
            defer { archive.removePooledFiles() }
            let first = try archive.open(token(1), of: operation)
            let late = fcntl(first.standardOutput.writer, F_DUPFD_CLOEXEC, 0)
            defer { close(late) }
            first.closeWriters()
            _ = archive.close(first)
            #expect(!FileManager.default.fileExists(atPath: first.standardOutput.file.path))

            let second = try archive.open(token(2), of: operation)
            #expect(write(late, "late", 4) == 4)
            #expect(printed(token(2), in: archive, isOver: false) == "")
            second.closeWriters()
            _ = archive.close(second)
            #expect(!FileManager.default.fileExists(atPath: second.standardOutput.file.path))
            #expect(printed(token(1), in: archive, isOver: true) == nil)
            #expect(printed(token(2), in: archive, isOver: true) == nil)
        }
    }

    @Test("An attempt gets a new file if the pooled files were removed from outside")
    func removed() async throws {
        try await withTemporaryDirectory { directory in
            let archive = OutputArchive(directory: directory)
            defer { archive.removePooledFiles() }
            for serial in 1...3 {
                let output = try archive.open(token(UInt64(serial)), of: operation)
                #expect(write(output.standardOutput.writer, "\(serial)", 1) == 1)
                output.closeWriters()
                _ = archive.close(output)
                #expect(printed(token(UInt64(serial)), in: archive, isOver: true) == "\(serial)")
                for name in try contents(directory) where isBlank(name) {
                    try FileManager.default.removeItem(atPath: directory + "/" + name)
                }
            }
        }
    }

    /// Runs a test in a directory of outputs, beside a file to which links may lead, and which has to stay as it is.
    private func withOutputs(
        _ body: @escaping @Sendable (_ outputs: String, _ target: String) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let (outputs, target) = (directory + "/outputs", directory + "/target")
            try FileManager.default.createDirectory(atPath: outputs, withIntermediateDirectories: true)
            try Data("precious".utf8).write(to: URL(fileURLWithPath: target))
            try body(outputs, target)
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
        }
    }

    @Test(
        "An attempt gets a new file if a link or a pipe is in the place of a pooled file",
        arguments: Intruder.allCases
    )
    func replaced(intruder: Intruder) async throws {
        try await withOutputs { outputs, target in
            let archive = OutputArchive(directory: outputs)
            var ends: [() -> Void] = []
            defer {
                for end in ends { end() }
                archive.removePooledFiles()
            }
            for serial in 1...3 {
                let output = try archive.open(token(UInt64(serial)), of: operation)
                #expect(write(output.standardOutput.writer, "\(serial)", 1) == 1)
                #expect(fcntl(output.standardOutput.writer, F_GETFL) & O_NONBLOCK == 0)
                output.closeWriters()
                _ = archive.close(output)
                #expect(printed(token(UInt64(serial)), in: archive, isOver: true) == "\(serial)")
                for name in try contents(outputs).filter(isBlank) {
                    ends.append(try intruder.replace(outputs + "/" + name, target: target))
                }
            }
        }
    }

    @Test("A new file takes the place of a link or a pipe of its name", arguments: Intruder.allCases)
    func occupiedName(intruder: Intruder) async throws {
        try await withOutputs { outputs, target in
            let path = outputs + "/blank-1"
            try intruder.put(at: path, target: target)
            let (file, writer) = try PooledOutputFile.make(at: path)
            #expect(write(writer, "new", 3) == 3 && file.length == 3)
            close(writer)
            file.remove()
        }
    }

    @Test(
        "What takes the place of an attempt's file while it prints does not become its output, and nobody waits for it",
        arguments: Intruder.allCases
    )
    func replacedMeanwhile(intruder: Intruder) async throws {
        try await withOutputs { outputs, target in
            let archive = OutputArchive(directory: outputs)
            defer { archive.removePooledFiles() }
            let output = try archive.open(token(1), of: operation)
            #expect(write(output.standardOutput.writer, "out", 3) == 3)
            let end = try intruder.replace(output.standardOutput.file.path, target: target)
            defer { end() }
            output.closeWriters()
            #expect(archive.close(output).standardOutput.text == "out")
            #expect(printed(token(1), in: archive, isOver: true) == nil)
            #expect(try contents(outputs).allSatisfy(isBlank))
        }
    }

    @Test(
        "What takes the place of the file of a short output is neither emptied nor used",
        arguments: Intruder.allCases
    )
    func replacedBeforeReuse(intruder: Intruder) async throws {
        try await withOutputs { outputs, target in
            let archive = OutputArchive(directory: outputs)
            defer { archive.removePooledFiles() }
            let first = try attempt(1, Array("first".utf8), in: archive)
            let end = try intruder.replace(first.standardOutput.file.path, target: target)
            defer { end() }
            #expect(takeShort(first, from: archive) == [Array("first".utf8), []])
            let second = try attempt(2, Array("2".utf8), in: archive)
            #expect(takeShort(second, from: archive) == [Array("2".utf8), []])
            #expect(try contents(outputs).allSatisfy(isBlank))
        }
    }

    @Test("A link or a pipe in the place of kept output is not read, nor waited for", arguments: Intruder.allCases)
    func replacedAfterwards(intruder: Intruder) async throws {
        try await withOutputs { outputs, target in
            let path = "\(outputs)/1.0.1.1.out"
            try Data("kept".utf8).write(to: URL(fileURLWithPath: path))
            let first = OutputArchive(directory: outputs)
            #expect(printed(token(1), in: first, isOver: true) == "kept")
            let end = try intruder.replace(path, target: target)
            defer { end() }
            #expect(printed(token(1), in: first, isOver: true) == nil)
            #expect(OutputArchive.attempts(in: outputs).isEmpty)
            #expect(OutputArchive.keptBytes(of: "\(outputs)/1.0.1.1") == 0)
        }
    }

    @Test("Empty and unfinished files of an earlier life are removed, and printed output stays")
    func earlierLife() async throws {
        try await withTemporaryDirectory { directory in
            for (name, text) in [("blank-1", ""), ("blank-2", "half"), ("1.0.1.1.out", ""), ("1.0.1.2.out", "whole")] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/" + name))
            }
            let archive = OutputArchive(directory: directory)
            defer { archive.removePooledFiles() }
            #expect(try contents(directory) == ["1.0.1.2.out"])
            #expect(printed(token(2), in: archive, isOver: true) == "whole")
            let output = try archive.open(token(3), of: operation)
            output.closeWriters()
            _ = archive.close(output)
        }
    }

    @Test("A process that left its group does not print into the output of a later attempt", arguments: ["", "early"])
    func escapedWriter(printed: String) async throws {
        try await WorkerTest.run(slots: 1) { test in
            let gate = try Gate(test.directory + "/gate")
            let escaped = try Gate(test.directory + "/escaped")
            let done = try Gate(test.directory + "/done")
            let second = try Gate(test.directory + "/second")
            let late =
                "echo >'\(escaped.path)'; read line <'\(gate.path)'; echo late; echo late >&2; echo >'\(done.path)'"
            // The attempt ends after the child has its own session, outside of the group's end.
            let process = "setsid sh -c '\(late.replacing("'", with: "\""))'"
            let script = "printf '\(printed)'; \(process) & read line <'\(escaped.path)'"
            let first = try test.coordinator.run(script: script)
            #expect(first.end == .exited(0))
            #expect(first.standardOutput.text == printed)

            let waiting = "printf before; read line <'\(second.path)'; printf after"
            try test.coordinator.dispatch(.shell(waiting))
            try gate.open()
            _ = try done.await()
            try second.open()
            let result = try test.coordinator.completions()[0].result
            #expect(result.standardOutput.text == "beforeafter")
            #expect(result.standardError.totalLength == 0)
            #expect(try test.coordinator.run(script: "true").standardOutput.totalLength == 0)
        }
    }

    @Test("A stopped worker leaves only files with long output")
    func stopped() async throws {
        try await WorkerTest.run { test in
            let item = try test.coordinator.dispatch(.shell("head -c 65537 /dev/zero"))
            _ = try test.coordinator.completions()
            _ = try test.coordinator.run(script: "true")
            test.worker.stop()
            try test.worker.awaitEnd()
            let kept = "\(item.operation.job).\(item.operation.index).\(item.token).out"
            #expect(try contents(test.directory + "/worker/outputs") == [kept])
        }
    }
}
