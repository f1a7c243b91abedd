import Foundation
import Testing

@_spi(Baton) @testable import baton_cli

@Suite("The earlier attempts of an operation", .timeLimit(.minutes(60)))
struct EarlierAttemptTests {
    @Test("D3 ST7 show lists failed and lost attempts, also those from before a kill of the coordinator")
    func show() async throws {
        try await withCluster { cluster in
            let (lost, last) = (try cluster.gate("2"), try cluster.gate("3"))
            let job = try await cluster.submit(
                script: "test $BATON_ATTEMPT = 1 && exit 7; read x < '\(cluster.home.path)/gate-'$BATON_ATTEMPT; :",
                "--retries",
                "3",
                "--retry-delay",
                "1ms"
            )
            try await lost.arrival()
            #expect(try await cluster.show("\(job)/0").attempts.elements.map(\.exitStatus) == [7])
            try await cluster.restartCoordinator(with: SIGKILL)
            cluster.workers["w1"]?.signal(SIGKILL)
            _ = try await cluster.workers["w1"]?.end()
            try await cluster.startWorker("w1")
            try await last.arrival()
            let operation = try await cluster.show("\(job)/0")
            #expect((operation.state, operation.attempt) == ("executing", 3))
            let attempts = operation.attempts.elements
            #expect(attempts.map(\.attempt) == [1, 2] && attempts.map(\.worker) == ["w1", "w1"])
            #expect(attempts.map(\.reason) == ["exit", "lost"])
            #expect(attempts.map(\.message) == ["It exited with status 7.", "Its worker w1 was lost."])
            let times = [attempts[0].startedAt, attempts[0].endedAt, attempts[1].endedAt].map(\.string)
            #expect(times.sorted() == times && !times[0].isEmpty)
            let lines = try await cluster.baton("show", "\(job)/0").output.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("attempt 1:") && $0.hasSuffix(", w1: It exited with status 7.") })
            #expect(lines.contains { $0.hasPrefix("attempt 2:") && $0.hasSuffix(", w1: Its worker w1 was lost.") })
            #expect(try await cluster.show(job).operations.elements.map(\.attempts) == [nil])
            try await last.open()
            #expect(try await cluster.wait(job) == 0)
            #expect(try await cluster.show("\(job)/0").attempts == operation.attempts)
        }
    }
}
