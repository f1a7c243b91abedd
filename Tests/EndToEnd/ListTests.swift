import Foundation
import Testing

extension EndToEndTests {
    @Suite("Lists with conditions", .timeLimit(.minutes(60)))
    struct ListTests {
        /// The numbers of the listed jobs.
        private func jobs(_ options: String..., in cluster: TestCluster) async throws -> [String] {
            let result = try await cluster.baton(["list", "--json"] + options)
            try #require(result.status == 0, "\(result)")
            return try JSONValue(parsing: result.output).jobs.elements.map { "\(Int($0.job.number))" }
        }

        /// The indices of the listed operations.
        private func operations(_ options: String..., in cluster: TestCluster) async throws -> [String] {
            let result = try await cluster.baton(["show", "--json"] + options)
            try #require(result.status == 0, "\(result)")
            return try JSONValue(parsing: result.output).operations.elements.map(\.operation.string)
        }

        @Test("The list of jobs takes conditions for state, outcome, name, queue and time, and counts what it omits")
        func list() async throws {
            try await withCluster { cluster in
                let good = try await cluster.submit(script: "true", "--name", "東京-1")
                let bad = try await cluster.submit(script: "exit 3", "--name", "tile-2", "--queue", "images")
                let held = try await cluster.submit(script: "true", "--name", "tile-3", "--hold")
                _ = try await cluster.wait(good, bad)
                #expect(try await jobs(in: cluster) == [held, bad, good])
                #expect(try await jobs("--failed", in: cluster) == [bad])
                #expect(try await jobs("--outcome", "succeeded", "--state", "pending", in: cluster) == [held, good])
                #expect(try await jobs("--name", "tile-*", in: cluster) == [held, bad])
                #expect(try await jobs("--name", "東?-[0-9]", in: cluster) == [good])
                #expect(try await jobs("--queue", "images", in: cluster) == [bad])
                #expect(try await jobs("--since", "1h", in: cluster).count == 3)
                #expect(try await jobs("--since", "2100-01-01 00:00", in: cluster).isEmpty)
                #expect(try await jobs("--name", "tile-*", "--limit", "1", in: cluster) == [held])

                let page = try await cluster.baton("list", "--name", "tile-*", "--limit", "1")
                #expect(page.errors == "There is 1 more job; list more with --limit.\n", "\(page)")
                let newest = try await cluster.baton("list", "--limit", "1")
                #expect(newest.errors == "There are 2 more jobs; list more with --limit.\n", "\(newest)")
                let none = try await cluster.baton("list", "--failed", "--queue", "x")
                #expect(none.errors == "No job meets the conditions.\n")
                let table = try await cluster.baton("list", "--columns", "job,name,state,counts", "--name", "*[12]")
                #expect(
                    table.output == """
                        JOB  NAME    STATE      COUNTS
                          \(bad)  tile-2  failed     1 failed
                          \(good)  東京-1  succeeded  1 succeeded

                        """,
                    "\(table)"
                )
                for wrong in [["--columns", "colour"], ["--since", "soon"], ["--state", "done"]] {
                    #expect(try await cluster.baton(["list"] + wrong).status == 64, "\(wrong)")
                }
            }
        }

        @Test("With --csv, list and failures have a line for each operation: its status, time, command and output")
        func csv() async throws {
            try await withCluster { cluster in
                let script = "echo \"x,{}\"; echo more; exit {}"
                let job = try await cluster.submit("--name", "tile", "--each", "0,3", "--", "sh", "-c", script)
                let silent = try await cluster.submit(script: "echo error >&2; exit 4")
                _ = try await cluster.wait(job, silent)
                let header =
                    "operation,name,item,state,exitStatus,signal,attempt,worker,startedAt,finishedAt,seconds,command,output"
                let list = try await cluster.baton("list", "--csv")
                let lines = list.output.split(separator: "\n").map(String.init)
                try #require(list.status == 0 && lines.count == 4 && lines[0] == header, "\(list)")
                #expect(lines[1].hasPrefix("\(silent)/0,,,failed,4,,1,w1,2") && lines[1].hasSuffix(",error"), "\(list)")
                #expect(lines[2].hasPrefix("\(job)/0,tile,0,succeeded,0,,1,w1,2"), "\(list)")
                #expect(lines[2].hasSuffix("; echo more; exit 0'\",\"x,0\""), "\(list)")
                #expect(lines[3].hasPrefix("\(job)/1,tile,3,failed,3,,1,w1,2"), "\(list)")

                let failures = try await cluster.baton("failures", job, job, "--csv")
                #expect(failures.status == 0 && failures.output == "\(header)\n\(lines[3])\n", "\(failures)")
                for wrong in [["list", "--csv", "--json"], ["list", "--csv", "--columns", "job"]] {
                    #expect(try await cluster.baton(wrong).status == 64, "\(wrong)")
                }
                #expect(try await cluster.baton("failures", job, "--csv", "--json").status == 64)
            }
        }

        @Test("The list shows the command of a job without a name, and not to a viewer")
        func commands() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit("--", "sh", "-c", "true hunter2")
                _ = try await cluster.wait(job)
                #expect(try await cluster.baton("list").output.contains("sh -c 'true hunter2'"))
                let words = Array(repeating: "0123456789", count: 5_000) + ["main.c"]
                let long = try await cluster.baton(["submit", "--", "echo"] + words).line
                _ = try await cluster.wait(long)
                let lines = try await cluster.baton("list").output.split(separator: "\n")
                #expect(lines.allSatisfy { $0.count < 300 })
                #expect(lines.contains { $0.contains("…") && $0.contains("0123456789 main.c ") }, "\(lines)")
                let key = try await cluster.authorize("wall", as: "viewer")
                let seen = try cluster.start(["list", "--json"], environment: ["BATON_KEY": key])
                #expect(try await seen.end() == 0)
                #expect(seen.outputText.contains(#""command":null"#) && !seen.outputText.contains("hunter2"))
            }
        }

        @Test("The operations of a job and of an array can be limited by the same conditions and by worker")
        func show() async throws {
            try await withCluster { cluster in
                try cluster.write(
                    """
                    { operations: [
                      { name: "first", command: "true" },
                      { name: "sweep", command: "exit $((BATON_INDEX % 2))", eachLine: ["a", "b", "c", "d"] },
                      { name: "last", command: "true", hold: true, queue: "images" },
                    ] }
                    """,
                    to: "graph.json"
                )
                let job = try await cluster.baton("submit", "--file", "graph.json").line
                _ = try await cluster.wait("\(job)/first", "\(job)/sweep")
                #expect(try await operations(job, "--failed", in: cluster) == ["\(job)/2", "\(job)/4"])
                #expect(try await operations(job, "--failed", "--limit", "1", in: cluster) == ["\(job)/2"])
                #expect(try await operations(job, "--state", "pending", in: cluster) == ["\(job)/5"])
                #expect(try await operations(job, "--queue", "images", in: cluster) == ["\(job)/5"])
                #expect(try await operations(job, "--name", "*st", in: cluster) == ["\(job)/0", "\(job)/5"])
                #expect(try await operations(job, "--worker", "w1", in: cluster).count == 5)
                #expect(try await operations(job, "--worker", "w2", in: cluster).isEmpty)
                #expect(try await operations(job, "--since", "1h", in: cluster).count == 5)
                #expect(try await operations("\(job)/sweep", "--failed", in: cluster) == ["\(job)/2", "\(job)/4"])

                let limited = try await cluster.baton("show", job, "--limit", "2")
                #expect(limited.errors == "There are 4 more operations; list more with --limit.\n", "\(limited)")
                let failed = try await cluster.baton("show", job, "--failed", "--limit", "1")
                #expect(failed.errors == "There is 1 more operation; list more with --limit.\n", "\(failed)")
                #expect(failed.output.contains("2 failed, 1 pending, 3 succeeded"), "\(failed)")
                let table = try await cluster.baton(
                    "show",
                    "\(job)/sweep",
                    "--outcome",
                    "succeeded",
                    "--columns",
                    "operation,item,state"
                )
                #expect(
                    table.output.hasSuffix(
                        """
                        OPERATION  ITEM  STATE
                        \(job)/1        a     succeeded
                        \(job)/3        c     succeeded

                        """
                    ),
                    "\(table)"
                )
                let none = try await cluster.baton("show", job, "--outcome", "cancelled")
                #expect(none.status == 0 && none.errors == "No operation meets the conditions.\n", "\(none)")
                #expect(try await cluster.baton("show", "\(job)/first", "--failed").status == 64)
            }
        }
    }
}
