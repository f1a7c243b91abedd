import Foundation
import Testing

extension EndToEndTests {
    @Suite("Limits of open files", .timeLimit(.minutes(60)))
    struct OpenFilesTests {
        @Test("A worker with a low limit of open files uses all its slots, and its commands begin with that limit")
        func manySlots() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startWorker("w1", slots: 101, openFiles: 64)
                for name in ["here", "go"] { try #require(mkfifo(cluster.home.appending(path: name).path, 0o600) == 0) }
                // All operations open both pipes for reading and writing, so that no line is lost. No operation goes on
                // before all have arrived.
                let meet = "cd '\(cluster.home.path)'; exec 3<>here 4<>go"
                let all = try await cluster.submit(
                    script: "\(meet); echo >&3; read x <&4; test $(ulimit -S -n) = 64",
                    "--array",
                    "1-100"
                )
                let last = try await cluster.submit(
                    script: """
                        \(meet)
                        for i in $(seq 100); do read x <&3; done
                        for i in $(seq 100); do echo >&4; done
                        """
                )
                #expect(try await cluster.wait(all, last) == 0)
            }
        }
    }
}
