import Foundation
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Workers and their successors")
struct SuccessorTests {
    private static let refusal = Refusal(.incompatible, "Upgrade the worker.")

    @Test(
        "A worker that is refused for its version finishes its operation, and its successor reports the end and the result"
    )
    func upgrade() async throws {
        try await withTemporaryDirectory { directory in
            let coordinator = try FakeCoordinator()
            defer { coordinator.close() }
            let log = Pipe()
            var options = WorkerOptions.forTests(coordinator.endpoint, directory: directory, slots: 1)
            options.logger = Logger(
                label: "worker",
                level: .warning,
                descriptor: log.fileHandleForWriting.fileDescriptor
            )
            let worker = try RunningWorker(options)
            try coordinator.greet()
            let (started, gate) = (try Gate(directory + "/started"), try Gate(directory + "/gate"))
            let attempt = try coordinator.dispatch(
                .shell(
                    "echo out; echo at >'\(started.path)'; read x <'\(gate.path)'; printf it >\"$BATON_RESULT\"; exit 0"
                )
            )
            _ = try started.await()
            let waiting = try coordinator.dispatch(.shell("touch '\(directory)/ran'"))
            try coordinator.send(.refused(Self.refusal))
            var told = ""
            while !told.contains("refuses the worker's version") {
                told += String(decoding: log.fileHandleForReading.availableData, as: UTF8.self)
            }
            try gate.open()
            #expect(throws: WorkerError(.refused, Self.refusal)) { try worker.awaitEnd() }
            let kept = directory + "/worker/kept"
            #expect(FileManager.default.fileExists(atPath: kept))

            let successor = try RunningWorker(.forTests(coordinator.endpoint, directory: directory, slots: 1))
            let hello = try coordinator.greet()
            #expect(hello.attempts.map(\.token) == [attempt.token, waiting.token])
            #expect(hello.attempts.map(\.phase) == [.finished, .waiting])
            let completion = try #require(try coordinator.completions(acknowledging: false).first)
            #expect(completion.token == attempt.token && completion.operation == attempt.operation)
            #expect(completion.result.end == .exited(0))
            #expect(completion.result.result == Array("it".utf8))
            #expect(completion.result.standardOutput.text == "out\n")
            try coordinator.awaitReturned()
            #expect(try coordinator.output(of: attempt)?.bytes == Array("out\n".utf8))
            try coordinator.send(.acknowledge([attempt.token]))
            #expect(!FileManager.default.fileExists(atPath: directory + "/ran"))
            // The answer to a later message; then the worker has read the acknowledgement before it runs the attempt.
            try coordinator.send(.heartbeat(number: .max))
            _ = try coordinator.run(script: ":")
            #expect(!FileManager.default.fileExists(atPath: kept))
            successor.stop()
            try successor.awaitEnd()
            #expect(!FileManager.default.fileExists(atPath: kept))
        }
    }

    @Test("A successor that ends before the acknowledgement leaves everything to the next one")
    func endedSuccessor() async throws {
        try await withTemporaryDirectory { directory in
            let coordinator = try FakeCoordinator()
            defer { coordinator.close() }
            let worker = try RunningWorker(.forTests(coordinator.endpoint, directory: directory))
            try coordinator.greet()
            let attempt = try coordinator.dispatch(.shell("exit 3"))
            _ = try coordinator.completions(acknowledging: false)
            try coordinator.send(.refused(Self.refusal))
            #expect(throws: WorkerError(.refused, Self.refusal)) { try worker.awaitEnd() }
            for isLast in [false, true] {
                let successor = try RunningWorker(.forTests(coordinator.endpoint, directory: directory))
                let hello = try coordinator.greet()
                #expect(hello.attempts.map(\.token) == [attempt.token])
                let completions = try coordinator.completions(acknowledging: isLast)
                #expect(completions.map(\.result.end) == [.exited(3)])
                if isLast { successor.stop() } else { successor.stopNow() }
                var message = try coordinator.next()
                // The worker announces that it leaves if it has not read the acknowledgement yet.
                if case .leaving = message { message = try coordinator.next() }
                guard case .goodbye = message else { throw Unexpected(message: message) }
                try successor.awaitEnd()
            }
            #expect(!FileManager.default.fileExists(atPath: directory + "/worker/kept"))
        }
    }

    @Test("A worker with a damaged file of kept attempts tells it in its log, puts the file aside, and works")
    func damaged() async throws {
        try await withTemporaryDirectory { directory in
            let coordinator = try FakeCoordinator()
            defer { coordinator.close() }
            try FileManager.default.createDirectory(atPath: directory + "/worker", withIntermediateDirectories: true)
            try Data("baton-kept 1 4 0\nabcd".utf8).write(to: URL(filePath: directory + "/worker/kept"))
            let log = try LogFile(directory + "/log")
            var options = WorkerOptions.forTests(coordinator.endpoint, directory: directory)
            options.logger = Logger(label: "worker", level: .warning, descriptor: log.descriptor)
            let worker = try RunningWorker(options)
            #expect(try coordinator.greet().attempts.isEmpty)
            #expect(try coordinator.run(script: "exit 4").end == .exited(4))
            worker.stop()
            try worker.awaitEnd()
            let text = try log.text()
            #expect(text.contains("cannot be used") && text.contains("kept.damaged"), "\(text)")
            #expect(!FileManager.default.fileExists(atPath: directory + "/worker/kept"))
            #expect(FileManager.default.fileExists(atPath: directory + "/worker/kept.damaged"))
        }
    }
}
