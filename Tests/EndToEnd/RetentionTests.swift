import Foundation
import Testing

/// The removal of finished jobs by a coordinator with a retention.
@Suite("The retention of finished jobs", .timeLimit(.minutes(60)))
struct RetentionTests {
    @Test("The oldest finished jobs are removed unless a job depends on them, and their keys become free")
    func count() async throws {
        try await withCluster(coordinator: ["--keep-finished", "2", "--keep-finished", "7d"]) { cluster in
            let first = try await cluster.submit("--key", "k", "--", "sh", "-c", "echo out; echo r > $BATON_RESULT")
            #expect(try await cluster.wait(first) == 0)
            let needed = try await cluster.submit(script: "echo needed > $BATON_RESULT")
            let dependent = try await cluster.submit(script: "cat $BATON_INPUTS/*", "--needs", needed, "--hold")
            #expect(try await cluster.wait(needed) == 0)
            var last = dependent
            for _ in 0..<10 {
                last = try await cluster.submit("--", "true")
                #expect(try await cluster.wait(last) == 0)
            }

            for command in [
                ["show", first], ["log", first], ["result", first], ["wait", first], ["cancel", "\(first)/0"],
            ] {
                let result = try await cluster.baton(command)
                #expect(result.status == 66, "\(command): \(result)")
                #expect(result.errors.contains("There is no "), "\(command): \(result)")
            }
            let late = try await cluster.baton("submit", "--after", first, "--", "true")
            #expect(late.status == 65 && late.errors.contains("does not exist (any more)"), "\(late)")
            for _ in 0..<2 {
                let jobs = try await cluster.json("list").jobs.elements.map { "\($0.job.int)" }
                #expect(!jobs.contains(first) && [needed, dependent, last].allSatisfy(jobs.contains), "\(jobs)")
                #expect(try await cluster.json("status").counts.succeeded == 12, "removed ones count as before")
                try await cluster.restartCoordinator(with: SIGKILL)
            }
            let again = try await cluster.submit("--key", "k", "--", "true")
            #expect(again == "14")
            try await cluster.change("release", dependent, count: 1)
            #expect(try await cluster.wait(again, dependent) == 0)
            #expect(try await cluster.baton("log", dependent).output == "needed\n")
        }
    }

    @Test("A retry of a job that depends on a removed job is refused with the reason")
    func retry() async throws {
        try await withCluster(coordinator: ["--keep-finished", "2"]) { cluster in
            let needed = try await cluster.submit("--", "true")
            let failing = try await cluster.submit(script: "exit 3", "--needs", needed)
            #expect(try await cluster.wait(failing) == 1)
            _ = try await cluster.baton("run", "--", "true")
            while try await cluster.baton("show", needed).status == 0 {}
            let result = try await cluster.baton("retry", failing)
            #expect(result.status == 65, "\(result)")
            #expect(result.errors.contains("it depends on job \(needed), which was removed"), "\(result)")
            #expect(try await cluster.json("list").jobs.elements.contains { $0.job.int == Int(failing) })
        }
    }

    @Test("An invalid or repeated limit of --keep-finished is refused")
    func refused() async throws {
        try await withCluster(workers: nil) { cluster in
            for limits in [["0"], ["soon"], [""], ["-1"], ["0s"], ["7d", "8d"], ["1", "2"], ["forever", "7d"]] {
                let options = limits.flatMap { ["--keep-finished", $0] }
                let result = try await cluster.baton(["coordinator", "--listen", "tcp://127.0.0.1:*"] + options)
                #expect(result.status == 64, "\(limits): \(result)")
                #expect(result.errors.contains("--keep-finished"), "\(limits): \(result)")
            }
        }
    }
}
