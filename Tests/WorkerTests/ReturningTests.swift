@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("A coordinator that comes back", .serialized, .timeLimit(.minutes(60)))
struct ReturningTests {
    @Test("A returning coordinator gets a hello with all attempts, and each completion without an acknowledgement")
    func comesBack() async throws {
        try await WorkerTest.run { test in
            let gates = try (0..<2).map { try Gate(test.directory + "/gate\($0)") }
            let finished = try test.coordinator.dispatch(.shell("echo done"))
            _ = try test.coordinator.completions(acknowledging: false)
            let running = try gates.map { try test.coordinator.dispatch(.shell("read line <'\($0.path)'")) }
            let waiting = try test.coordinator.dispatch(.shell("true"))
            // The answer follows the dispatches on the same connection, so the dispatches have arrived.
            _ = try test.coordinator.output(of: waiting)
            test.coordinator.close()

            let second = try FakeCoordinator(at: test.coordinator.endpoint, epoch: 2)
            defer {
                // Its goodbye needs the coordinator.
                test.worker.stopNow()
                try? test.worker.awaitEnd()
                second.close()
            }
            let hello = try second.greet()
            #expect(hello.attempts.map(\.token) == [finished.token] + running.map(\.token) + [waiting.token])
            #expect(hello.attempts.map(\.phase) == [.finished, .running, .running, .waiting])
            let again = try second.completions()
            #expect(again.map(\.token) == [finished.token])
            #expect(again[0].result.standardOutput.text == "done\n")

            // Attempts went on meanwhile, and go on.
            for gate in gates { try gate.open() }
            #expect(Set(try second.completions(3).map(\.token)) == Set(running.map(\.token) + [waiting.token]))
            #expect(try second.run(Work(.noOperation)).end == .exited(0))
        }
    }

    @Test("A worker that is asked for a hello sends its attempts and completions again in a new session")
    func sayHello() async throws {
        try await WorkerTest.run { test in
            let before = test.coordinator.session
            let item = try test.coordinator.dispatch(.shell("true"))
            _ = try test.coordinator.completions(acknowledging: false)
            try test.coordinator.send(.sayHello)
            let hello = try test.coordinator.greet()
            #expect(hello.session != before)
            #expect(hello.attempts.map(\.token) == [item.token])
            #expect(try test.coordinator.completions().map(\.token) == [item.token])
        }
    }

    @Test("A worker says its hellos over a connection with the number that the coordinator wants to see")
    func challenge() async throws {
        try await WorkerTest.run { test in
            let item = try test.coordinator.dispatch(.shell("true"))
            _ = try test.coordinator.completions(acknowledging: false)
            for number: UInt64 in [7, 0, .max] {
                for call in [CoordinatorMessage.challenge(number), .sayHello] {
                    try test.coordinator.send(call)
                    let hello = try test.coordinator.greet()
                    #expect(hello.echo == number)
                    #expect(hello.attempts.map(\.token) == [item.token])
                    #expect(try test.coordinator.completions(acknowledging: false).map(\.token) == [item.token])
                }
            }
            try test.coordinator.send(.sayHello)
            #expect(try test.coordinator.greet().echo == UInt64.max)
            #expect(try test.coordinator.completions().map(\.token) == [item.token])
        }
    }

    @Test("Bytes that are no message do not keep a worker from running the next attempt")
    func garbage() async throws {
        try await WorkerTest.run { test in
            for bytes: [UInt8] in [[], [0], [0xBA], [0xBA, 0x25, 0xFF, 0xFF], Array("GET / HTTP/1.1".utf8)] {
                try test.coordinator.send(bytes: bytes)
            }
            #expect(try test.coordinator.run(script: "true").end == .exited(0))
        }
    }
}
