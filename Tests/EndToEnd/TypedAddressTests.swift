import Foundation
import Testing

extension EndToEndTests {
    @Suite("Addresses that people type", .timeLimit(.minutes(60)))
    struct TypedAddressTests {
        @Test("The word last is the newest job of the key, and a name is the newest job with the name")
        func newest() async throws {
            try await withCluster { cluster in
                #expect(try await cluster.baton("show", "last").status == 66)
                let first = try await cluster.submit("--name", "nightly", "--", "echo", "first")
                let second = try await cluster.submit("--name", "nightly", "--", "echo", "second")
                let other = try await cluster.submit("--name", "写真", "--", "echo", "other")
                #expect(try await cluster.wait(first, "nightly", "last") == 0)
                #expect(try await cluster.baton("log", "nightly").output == "second\n")
                #expect(try await cluster.baton("log", "last/0").output == "other\n")
                #expect(try await cluster.json("show", "写真/写真").operation == "\(other)/0")
                #expect(try await cluster.json("show", "nightly").job.int == Int(second))
                let missing = try await cluster.baton("wait", "weekly")
                #expect(missing.status == 66)
                #expect(missing.errors == "Error: There is no job with the name \"weekly\". See \"baton list\".\n")
                let dated = try await cluster.submit("--open", "--name", "2026-11-28")
                let added = try await cluster.baton("submit", "--job", "2026-11-28", "--", "true")
                #expect(added.line == "\(dated)/0", "\(added)")
                #expect(try await cluster.baton("close", "2026-11-28").status == 0)
                let reserved = try await cluster.baton("submit", "--name", "last", "--", "true")
                #expect(
                    reserved.status == 64 && reserved.errors.contains("Commands take \"last\" for the newest job"),
                    "\(reserved)"
                )
            }
        }

        @Test("Ranges of indices and patterns of names select operations in commands, and not in dependencies")
        func selections() async throws {
            try await withCluster { cluster in
                let operations = ["test-a", "test-b", "build", "test-c"].map { "{ name: '\($0)', command: 'true' }" }
                try cluster.write("{ name: 'ci', operations: [\(operations.joined(separator: ","))] }", to: "ci.json5")
                #expect(try await cluster.baton("queue", "set", "default", "--max-concurrent", "4").status == 0)
                #expect(try await cluster.baton("queue", "suspend", "default").status == 0)
                let job = try await cluster.submit("--file", "ci.json5")
                func held() async throws -> [String] {
                    try await cluster.show(job).operations.elements.map { $0.held == true ? "held" : "free" }
                }
                let hold = try await cluster.baton("hold", "ci/test-*")
                #expect(hold.status == 0 && hold.errors == "Held 3 operations.\n", "\(hold)")
                #expect(try await held() == ["held", "held", "free", "held"])
                #expect(try await cluster.baton("release", "\(job)/[0-1,3]").errors == "Released 3 operations.\n")
                #expect(try await held() == ["free", "free", "free", "free"])
                let beyond = try await cluster.baton("hold", "last/[2-9]")
                #expect(beyond.status == 66)
                #expect(
                    beyond.errors.contains("Job \(job) does not have all operations from \(job)/2 to \(job)/9."),
                    "\(beyond)"
                )
                #expect(try await held() == ["free", "free", "free", "free"])
                let none = try await cluster.baton("cancel", "\(job)/x*")
                #expect(none.status == 66 && none.errors.contains("matches \"x*\""), "\(none)")
                let several = try await cluster.baton("explain", "\(job)/test-?")
                #expect(several.status == 65 && several.errors.contains("stands for several operations"), "\(several)")
                // A name may have a star in it, and a dependency on such a name is no pattern.
                for (dependency, status) in [("last", 64), ("\(job)/[0-1]", 64), ("\(job)/test-*", 65)]
                    as [(String, Int32)]
                {
                    let refused = try await cluster.baton("submit", "--after", dependency, "--", "true")
                    #expect(refused.status == status, "\(refused)")
                }
                #expect(try await cluster.baton("cancel", "\(job)/build").status == 0)
                #expect(try await cluster.baton("queue", "resume", "default").status == 0)
                #expect(try await cluster.wait("\(job)/test-*", "\(job)/[0,1]") == 0)
                #expect(try await cluster.wait(job) == 1)
            }
        }

        @Test("A range and a pattern of a million operations are one part of a request")
        func million() async throws {
            try await withCluster(workers: 0) { cluster in
                let job = try await cluster.submit("--array", "1-1000000", "--name", "sweep", "--", "true")
                let hold = try await cluster.baton("hold", "last/[0-899999]")
                #expect(hold.errors == "Held 900000 operations.\n", "\(hold)")
                let cancel = try await cluster.baton("cancel", "\(job)/s*p")
                #expect(cancel.errors == "Cancelled 1000000 operations.\n", "\(cancel)")
                #expect(try await cluster.wait("\(job)/[0-999999]") == 1)
            }
        }

        @Test("The flag --all cancels the jobs of the key, after a question on a terminal and elsewhere with --yes")
        func all() async throws {
            try await withCluster(workers: 0) { cluster in
                let first = try await cluster.submit("--name", "nightly", "--", "true")
                let second = try await cluster.submit("--array", "1-3", "--", "true")
                let refused = try await cluster.baton("cancel", "--all")
                #expect(refused.status == 64)
                #expect(
                    refused.errors.contains("with 4 unfinished operations: \(second), \(first) (nightly)."),
                    "\(refused)"
                )
                #expect(refused.errors.contains("Give --yes"))
                #expect(try await cluster.show(first).state == "ready")
                for arguments in [
                    ["cancel", "--all", first], ["cancel", "--yes", first], ["cancel", "--everyone", first],
                ] {
                    #expect(try await cluster.baton(arguments).status == 64)
                }
                let done = try await cluster.baton("cancel", "--all", "--yes")
                #expect(done.status == 0 && done.errors == "Cancelled 4 operations.\n", "\(done)")
                let again = try await cluster.baton("cancel", "--all", "--everyone", "--yes")
                #expect(again.status == 0 && again.errors == "Nothing was left to cancel.\n", "\(again)")
                #expect(try await cluster.wait(first, second) == 1)
            }
        }

        @Test("Names stand beside addresses in explain, watch and queue show, and explain tells how an operation ended")
        func names() async throws {
            try await withCluster { cluster in
                try cluster.write(
                    """
                    { operations: [
                      { name: "fetch", command: "exit 3" }, { name: "写真", command: "true", needs: ["fetch"] },
                      { name: "tidy", command: "true", after: ["fetch"] },
                    ] }
                    """,
                    to: "graph.json5"
                )
                #expect(try await cluster.baton("queue", "set", "default", "--max-concurrent", "4").status == 0)
                #expect(try await cluster.baton("queue", "suspend", "default").status == 0)
                let job = try await cluster.submit("--file", "graph.json5")
                let waiting = try await cluster.baton("explain", "\(job)/写真")
                #expect(waiting.output.hasPrefix("\(job)/1 (写真) is pending"), "\(waiting)")
                #expect(waiting.output.contains("\(job)/0 (fetch)"), "\(waiting)")
                let queue = try await cluster.baton("queue", "show", "default")
                #expect(queue.output.hasSuffix("\n\(job)/0 (fetch)\n\(job)/1 (写真)\n\(job)/2 (tidy)\n"), "\(queue)")
                let watch = try cluster.start("watch", "--since", "0", "--job", job)
                #expect(try await cluster.baton("queue", "resume", "default").status == 0)
                #expect(try await cluster.wait(job) == 1)
                let skipped = try await cluster.baton("explain", "\(job)/1").output
                #expect(skipped.hasPrefix("\(job)/1 (写真) is finished: skipped.\n"), "\(skipped)")
                #expect(
                    skipped.contains("- The cause is \(job)/0 (fetch): failed. It exited with status 3.\n"),
                    "\(skipped)"
                )
                #expect(skipped.contains("- It waited for \(job)/0 (fetch) to succeed, which failed."), "\(skipped)")
                let succeeded = try await cluster.baton("explain", "\(job)/tidy").output
                #expect(succeeded.hasPrefix("\(job)/2 (tidy) is finished: succeeded.\n"), "\(succeeded)")
                #expect(succeeded.contains("- It waited for \(job)/0 (fetch) to finish, which failed."), "\(succeeded)")
                #expect(succeeded.contains("for a slot."))
                try await watch.output(containing: "写真 finished: skipped")
                #expect(watch.outputText.contains(" fetch executing on w1"), "\(watch.outputText)")
                watch.signal(SIGTERM)
                _ = try await watch.end()
            }
        }

        @Test("explain tells the attempts of an operation that was lost")
        func lost() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(script: gate.wait, "--restart", "never", "--name", "long")
                try await gate.arrival()
                cluster.workers["w1"]?.signal(SIGKILL)
                try await cluster.workers["w1"]?.end()
                // The worker that comes back says that it no longer has the attempt.
                try await cluster.startWorker("w1")
                #expect(try await cluster.wait(job) == 1)
                let explained = try await cluster.baton("explain", job).output
                #expect(explained.hasPrefix("\(job)/0 (long) is finished: failed.\n"), "\(explained)")
                #expect(explained.contains("lost"), "\(explained)")
            }
        }

        @Test("The command show lists the operations that a pattern selects, in a table and as JSON")
        func shownPattern() async throws {
            try await withCluster(workers: 0) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "test-a", command: "true" }, { name: "build", command: "true" },
                          { name: "test-b", command: "true" }, { name: "test-many", command: "true", array: "0-4" },
                        ] }
                        """
                )
                for (pattern, indices) in [
                    ("test-*", [0, 2, 3, 4, 5, 6, 7]), ("[1,3-4]", [1, 3, 4]), ("test-?", [0, 2]),
                    ("[6-7]", [6, 7]),
                ] {
                    let document = try await cluster.json("show", "\(job)/\(pattern)")
                    #expect(document.operations.elements.map(\.operation) == indices.map { .text("\(job)/\($0)") })
                    #expect("\(document.job.int)" == job && document.counts.ready.int == indices.count)
                    let text = try await cluster.baton("show", "\(job)/\(pattern)", "--columns", "operation")
                    #expect(text.output.hasSuffix(indices.map { "\n\(job)/\($0)" }.joined() + "\n"), "\(text)")
                }
                let limited = try await cluster.baton("show", "\(job)/[0-4]", "--limit", "2")
                #expect(limited.errors == "There are 3 more operations; list more with --limit.\n", "\(limited)")
                for isJSON in [false, true] {
                    let none = try await cluster.baton(["show", "\(job)/[1,6-9]"] + (isJSON ? ["--json"] : []))
                    #expect(none.status == 66 && none.output == "", "\(none)")
                    #expect(none.errors.contains("does not have all operations from \(job)/6 to \(job)/9."), "\(none)")
                }
            }
        }
    }
}
