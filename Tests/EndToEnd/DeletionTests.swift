import Foundation
import Testing

extension EndToEndTests {
    @Suite("Deletion of jobs", .timeLimit(.minutes(60)))
    struct DeletionTests {
        @Test("A finished job is deleted with its output and result, and its key is free")
        func delete() async throws {
            try await withCluster(coordinator: ["--keep-finished", "forever"]) { cluster in
                let job = try await cluster.submit(
                    script: "echo x; echo y > $BATON_RESULT",
                    "--key",
                    "k",
                    "--name",
                    "a"
                )
                let other = try await cluster.submit(script: "echo z", "--array", "1-3")
                #expect(try await cluster.wait(job, other) == 0)
                let deleted = try await cluster.baton("delete", "a")
                #expect(deleted.status == 0 && deleted.errors == "Deleted one job.\n", "\(deleted)")
                for command in ["show", "log", "result", "export", "delete"] {
                    #expect(try await cluster.baton(command, job).status == 66, "\(command)")
                }
                #expect(try await cluster.json("list").jobs.elements.map { "\($0.job.int)" } == [other])
                try await cluster.restartCoordinator(with: SIGKILL)
                #expect(try await cluster.baton("show", job).status == 66)
                #expect(try await cluster.baton("log", "\(other)/2").output == "z\n")
                let again = try await cluster.submit("--key", "k", "--", "true")
                #expect(Int(again).map { $0 > 2 } == true)
            }
        }

        @Test("An unfinished job, and one on which an unfinished job depends, stays; of several jobs all or none go")
        func refused() async throws {
            try await withCluster { cluster in
                let done = try await cluster.submit("--", "true")
                let needed = try await cluster.submit("--", "true")
                #expect(try await cluster.wait(done, needed) == 0)
                let held = try await cluster.submit("--hold", "--needs", needed, "--", "true")
                for (jobs, sentence) in [
                    ([done, held], "Job \(held) is not finished."), ([done, needed], "Job \(needed) is in use:"),
                ] {
                    let result = try await cluster.baton(["delete"] + jobs)
                    #expect(result.status == 65 && result.errors.contains(sentence), "\(result)")
                }
                #expect(try await cluster.baton("delete", done, "77").status == 66)
                #expect(try await cluster.baton("show", done).status == 0)
                #expect(try await cluster.baton("delete").status == 64)
                #expect(try await cluster.baton("cancel", held).status == 0)
                let all = try await cluster.json("delete", done, needed, held)
                #expect(all.changed == 3, "\(all)")
                #expect(try await cluster.json("list").jobs.elements.isEmpty)
            }
        }
    }
}
