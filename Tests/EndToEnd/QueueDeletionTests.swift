import Foundation
import Testing

extension EndToEndTests {
    @Suite("Deletion of queues", .timeLimit(.minutes(60)))
    struct QueueDeletionTests {
        @Test("An empty queue is deleted; its finished operations keep its name, and its next use makes it anew")
        func delete() async throws {
            try await withCluster { cluster in
                let limits = ["--max-concurrent", "1", "--qos", "utility"]
                #expect(try await cluster.baton(["queue", "set", "images"] + limits).status == 0)
                let job = try await cluster.submit(script: "echo x", "--queue", "images", "--name", "a")
                #expect(try await cluster.wait(job) == 0)
                let deleted = try await cluster.baton("queue", "delete", "images")
                #expect(deleted.status == 0 && deleted.errors == "Deleted one queue.\n", "\(deleted)")
                #expect(try await cluster.baton("queue", "show", "images").status == 66)
                for isRestarted in [false, true] {
                    if isRestarted { try await cluster.restartCoordinator(with: SIGKILL) }
                    let queues = try await cluster.json("queue", "list").queues.elements.map(\.queue.string)
                    #expect(!queues.contains("images"), "\(queues)")
                    #expect(try await cluster.json("show", "\(job)/a").queue == "images")
                    let listed = try await cluster.json("list", "--queue", "images").jobs.elements
                    #expect(listed.count == 1)
                    #expect(try await cluster.baton("log", job).output == "x\n")
                }
                let again = try await cluster.submit(script: "true", "--queue", "images")
                #expect(try await cluster.wait(again) == 0)
                let queue = try await cluster.json("queue", "show", "images")
                #expect(queue.maxConcurrent == .null && queue.qos == .null, "\(queue)")
            }
        }

        @Test("A queue with unfinished operations, a missing queue and the default queue get a sentence")
        func refused() async throws {
            try await withCluster { cluster in
                let held = try await cluster.submit(script: "true", "--queue", "q", "--hold")
                let busy = try await cluster.baton("queue", "delete", "q")
                #expect(busy.status == 65 && busy.errors.contains("has one unfinished operation"), "\(busy)")
                let missing = try await cluster.baton("queue", "delete", "images")
                #expect(missing.status == 66 && missing.errors.contains("There is no queue \"images\"."), "\(missing)")
                _ = try await cluster.submit(script: "true")
                let standard = try await cluster.baton("queue", "delete", "default")
                #expect(standard.status == 65 && standard.errors.contains("cannot be deleted"), "\(standard)")
                #expect(try await cluster.baton("queue", "delete").status == 64)
                #expect(try await cluster.baton("cancel", held).status == 0)
                #expect(try await cluster.json("queue", "delete", "q", "q").changed == 1)
            }
        }
    }
}
