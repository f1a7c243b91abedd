import Foundation
import Glibc
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Reuse of empty output files", .serialized, .timeLimit(.minutes(60)))
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

    @Test("A process that left its group does not print into the output of a later attempt")
    func escapedWriter() async throws {
        try await WorkerTest.run(slots: 1) { test in
            let gate = try Gate(test.directory + "/gate")
            let escaped = try Gate(test.directory + "/escaped")
            let done = try Gate(test.directory + "/done")
            let second = try Gate(test.directory + "/second")
            let late =
                "echo >'\(escaped.path)'; read line <'\(gate.path)'; echo late; echo late >&2; echo >'\(done.path)'"
            // The attempt ends after the child has its own session, outside of the group's end.
            let script = "setsid sh -c '\(late.replacing("'", with: "\""))' & read line <'\(escaped.path)'"
            let first = try test.coordinator.run(script: script)
            #expect(first.end == .exited(0))
            #expect(first.standardOutput.totalLength == 0)

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

    @Test("A stopped worker leaves only files with output")
    func stopped() async throws {
        try await WorkerTest.run { test in
            let item = try test.coordinator.dispatch(.shell("echo kept"))
            _ = try test.coordinator.completions()
            _ = try test.coordinator.run(script: "true")
            test.worker.stop()
            try test.worker.awaitEnd()
            let kept = "\(item.operation.job).\(item.operation.index).\(item.token).out"
            #expect(try contents(test.directory + "/worker/outputs") == [kept])
        }
    }
}
