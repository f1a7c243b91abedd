import Foundation
import Testing

extension EndToEndTests {
    @Suite("Groups of failures", .timeLimit(.minutes(60)))
    struct FailureGroupTests {
        /// Submits an array whose elements fail in three ways: two of five with status 3, one with SIGSEGV, one with status 4.
        private func submitSweep(to cluster: TestCluster) async throws -> String {
            let script = """
                case $BATON_INDEX in
                1|3) echo "reading $BATON_ITEM" >&2; echo "row $BATON_INDEX is bad" >&2; exit 3;;
                2) kill -SEGV $$;;
                4) exit 4;;
                esac
                """
            try cluster.write("東京/一\n東京/二\nthree\n東京/四\nfive\n", to: "items")
            let file = cluster.home.appending(path: "items").path
            return try await cluster.submit(script: script, "--name", "sweep", "--each-line", file)
        }

        @Test("The command failures shows groups of alike failures, and retry --group retries one of them")
        func groups() async throws {
            try await withCluster { cluster in
                let job = try await submitSweep(to: cluster)
                let waited = try await cluster.baton("wait", job)
                #expect(waited.status == 1)
                #expect(waited.errors.contains("See \"baton failures \(job)\""), "\(waited)")
                #expect(waited.errors.contains("\(job)/4 (sweep, item five): It exited with status 4.\n"), "\(waited)")
                let shown = try await cluster.baton("failures", job)
                #expect(shown.status == 0 && shown.errors.isEmpty)
                #expect(
                    shown.output == """
                        4 of 5 operations of job \(job) (sweep) failed in 3 ways.

                        1. 2 operations exited with status 3
                           \(job)/1 (東京/二), \(job)/3 (東京/四)
                             reading 東京/二
                             row 1 is bad
                           Retry: baton retry \(job) --group 1

                        2. 1 operation was ended by signal 11 (SIGSEGV)
                           \(job)/2 (three)
                           Retry: baton retry \(job) --group 2

                        3. 1 operation exited with status 4
                           \(job)/4 (five)
                           Retry: baton retry \(job) --group 3

                        After one retry of job \(job), the next one needs --again.

                        """,
                    "\(shown)"
                )
                for name in ["last", "sweep"] {
                    #expect(try await cluster.baton("failures", name).output == shown.output)
                }
                let document = try await cluster.json("failures", job, "--limit", "1")
                #expect(document.failures.elements.count == 1 && document.more == 2)
                let group = document.failures.elements[0]
                #expect(group.operations.elements == [.text("\(job)/1"), .text("\(job)/3")])
                #expect(group.items.elements == ["東京/二", "東京/四"])
                #expect(group.line == "row # is bad" && group.reason == "exit" && group.exitStatus == 3)
                let limited = try await cluster.baton("failures", job, "--limit", "2")
                #expect(limited.errors == "There is 1 more group; list more with --limit.\n", "\(limited)")

                let retry = try await cluster.baton("retry", job, "--group", "2", "--group", "3")
                #expect(retry.status == 0, "\(retry)")
                _ = try await cluster.wait(retry.line)
                let items = try await cluster.show(retry.line).operations.elements.map(\.item.string)
                #expect(items == ["three", "five"])
                let retried = try await cluster.baton("failures", job).output
                #expect(retried.contains("Retry: baton retry \(job) --group 1 --again\n"), "\(retried)")
                #expect(!retried.contains("After one retry"))
            }
        }

        @Test("D11 Failures of several jobs are shown together, and a tag and a time choose jobs of failures and retry")
        func several() async throws {
            try await withCluster { cluster in
                let script = "echo \"row $BATON_JOB is bad\" >&2; exit 3"
                let first = try await cluster.submit(script: script, "--tag", "rule=count")
                let other = try await cluster.submit(script: "exit 4", "--tag", "rule=other")
                let second = try await cluster.submit(script: script, "--tag", "rule=count")
                let good = try await cluster.submit("--tag", "rule=count", "--", "true")
                _ = try await cluster.wait(first, other, second, good)
                let chosen = ["--tag", "rule=count", "--since", "1h"]
                let shown = try await cluster.baton(["failures"] + chosen)
                #expect(
                    shown.output == """
                        2 operations of 2 jobs failed, all alike.

                        1. 2 operations exited with status 3
                           \(first)/0, \(second)/0
                             row \(first) is bad

                        Retry: baton retry \(first) \(second)

                        """,
                    "\(shown)"
                )
                let all = try await cluster.baton("failures", first, other, second, good)
                #expect(all.output.hasPrefix("3 operations of 3 jobs failed in 2 ways.\n"), "\(all)")
                let lines = try await cluster.baton(["failures", "--json"] + chosen).output.split(separator: "\n")
                #expect(try lines.map { "\(try JSONValue(parsing: String($0)).job.int)" } == [first, second])

                let retried = try await cluster.baton(["retry"] + chosen)
                let retries = retried.output.split(separator: "\n").map(String.init)
                #expect(retried.status == 0 && retries.count == 2, "\(retried)")
                #expect(try await cluster.show(retries[0]).retryOf.int == Int(first))
                _ = try await cluster.baton(["wait"] + retries)
                // The retries stand in the place of what they retry.
                let again = try await cluster.baton(["failures"] + chosen)
                #expect(again.output.contains("\n   \(retries[0])/0, \(retries[1])/0\n"), "\(again)")

                let none = ["--tag", "rule=none"]
                let nothing = try await cluster.baton(["failures"] + none)
                #expect(nothing.status == 0 && nothing.errors.contains("No job that meets the conditions"))
                #expect(try await cluster.baton(["retry"] + none).status == 66)
                for wrong in [["failures"], ["retry"], ["failures", first] + none, ["retry", first] + none] {
                    #expect(try await cluster.baton(wrong).status == 64, "\(wrong)")
                }
            }
        }

        // The headline of operations that had timed out named the timeout twice.
        @Test("The reason of several failures is said once")
        func timeouts() async throws {
            try await withCluster { cluster in
                let waiting = ["run", "--array", "1-2", "--timeout", "100ms", "--", "sleep", "1000"]
                let run = try await cluster.baton(waiting)
                #expect(run.errors.contains("2 operations ran longer than their timeout of 100ms:\n"), "\(run)")
                let missing = try await cluster.baton("run", "--array", "1-2", "--", "/none/of/these")
                let line = missing.errors.split(separator: "\n").first { $0.contains("could not be started") } ?? ""
                #expect(line.hasSuffix(":") && !line.hasSuffix(".:"), "\(missing)")
            }
        }

        @Test("Failures of a job without any, of a missing job and of a missing group have clear answers")
        func none() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit("--", "true")
                #expect(try await cluster.wait(job) == 0)
                let nothing = try await cluster.baton("failures", job)
                #expect(nothing.status == 0 && nothing.output.isEmpty)
                #expect(nothing.errors == "No operation of job \(job) has failed.\n")
                for (address, status) in [("77", 66), ("nightly", 66), ("\(job)/0", 64), ("\(job)/t*", 64)] {
                    #expect(try await cluster.baton("failures", address).status == status, "\(address)")
                }
                let group = try await cluster.baton("retry", job, "--group", "1")
                #expect(group.status == 66, "\(group)")
                #expect(group.errors.contains("Job \(job) has no failures; there is no group 1."), "\(group)")
                #expect(try await cluster.baton("retry", "\(job)/0", "--group", "1").status == 64)
            }
        }

        @Test("A viewer sees the groups without items and output")
        func viewer() async throws {
            try await withCluster { cluster in
                let job = try await submitSweep(to: cluster)
                _ = try await cluster.wait(job)
                let key = try await cluster.authorize("wall", as: "viewer")
                for options in [["--json"], []] {
                    let seen = try cluster.start(["failures", job] + options, environment: ["BATON_KEY": key])
                    #expect(try await seen.end() == 0)
                    #expect(seen.outputText.contains("\(job)/3"), "\(seen.outputText)")
                    for secret in ["東京", "three", "row"] { #expect(!seen.outputText.contains(secret)) }
                }
            }
        }
    }
}
