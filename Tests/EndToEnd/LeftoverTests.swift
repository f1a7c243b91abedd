import Foundation
import Testing

extension EndToEndTests {
    @Suite("What a killed worker leaves", .timeLimit(.minutes(15)))
    struct LeftoverTests {
        @Test("Processes that a killed worker has left are gone before what they belonged to runs again")
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
