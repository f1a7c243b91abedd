import Foundation
import Testing

extension EndToEndTests {
    @Suite("Leftovers of a killed worker", .timeLimit(.minutes(60)))
    struct LeftoverTests {
        @Test("D3 The leftover processes of a killed worker are ended before its operation runs again as attempt 2")
        func leftovers() async throws {
            try await withCluster { cluster in
                let (left, again) = (try cluster.gate("1"), try cluster.gate("2"))
                // The first attempt has a shell, which dies with its worker, and a process of the group, which ignores
                // TERM, HUP and INT.
                let stubborn =
                    "trap '' TERM HUP INT; echo $$ > '\(cluster.home.path)/stubborn'; \(cluster.waitAtGate("1"))"
                try cluster.write(stubborn, to: "stubborn.sh")
                let job = try await cluster.submit(
                    script: """
                        if test $BATON_ATTEMPT = 1; then sh '\(cluster.home.path)/stubborn.sh' & wait; fi
                        \(cluster.waitAtGate("2"))
                        """
                )
                try await left.arrival()
                let process = cluster.read("stubborn").trimmingCharacters(in: .newlines)
                let worker = try #require(cluster.workers["w1"])
                worker.signal(SIGKILL)
                try await worker.end()
                #expect(isAlive(process))

                try await cluster.startWorker("w1")
                try await again.arrival()
                #expect(!isAlive(process))
                try await again.open()
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.show("\(job)/0").attempt == 2)
            }
        }
    }
}
