import Foundation
import Testing

extension EndToEndTests {
    @Suite("Retries of several jobs", .timeLimit(.minutes(60)))
    struct RetryTests {
        // The retry of the first job was submitted before that of the second one was refused.
        @Test("D11 Of several jobs, none is retried if one is refused, or was retried already and nobody can be asked")
        func allOrNone() async throws {
            try await withCluster { cluster in
                var failed: [String] = []
                for _ in 0..<3 { failed.append(try await cluster.submit(script: "exit 3")) }
                let good = try await cluster.submit(script: "true")
                let held = try await cluster.submit("--hold", "--", "true")
                _ = try await cluster.wait(failed[0], failed[1], failed[2], good)
                let again = try await cluster.baton("retry", failed[1], failed[2])
                let retries = again.output.split(separator: "\n").map(String.init)
                try #require(again.status == 0 && retries.count == 2, "\(again)")
                _ = try await cluster.wait(retries[0], retries[1])

                let retried = try await cluster.baton("retry", failed[0], failed[1], failed[2])
                #expect(retried.status == 65 && retried.output.isEmpty, "\(retried)")
                #expect(
                    retried.errors == """
                        Error: Nothing was retried. Job \(failed[1]) was retried already, as \(retries[0]): failed. Job \(failed[2]) \
                        was retried already, as \(retries[1]): failed. Give --again to do so without a question.

                        """
                )
                let refusals = [
                    (held, 65, "Job \(held) is not finished."),
                    (good, 65, "There is nothing to submit again of \(good)"), ("99", 66, "There is no job 99."),
                ]
                for options in [[], ["--again"]] {
                    for (job, status, sentence) in refusals {
                        let refused = try await cluster.baton(["retry"] + options + [failed[0], job])
                        #expect(refused.status == status && refused.output.isEmpty, "\(refused)")
                        #expect(refused.errors.contains(sentence), "\(refused)")
                    }
                }
                let asked = try cluster.startOnTerminal("retry", failed[0], failed[1])
                try await asked.output(containing: "[y/N]")
                #expect(try await asked.end() == 1)
                #expect(try await cluster.show(failed[0]).retriedAs.elements.isEmpty)

                let keyboard = try Keyboard(of: cluster)
                let arguments = ["retry", failed[0], failed[1], failed[2]]
                let answered = try cluster.startOnTerminal(arguments, input: keyboard.path)
                try await answered.output(containing: "Retry them again? [y/N]")
                try keyboard.press("y\n")
                #expect(try await answered.end() == 0)
                for job in failed {
                    let count = job == failed[0] ? 1 : 2
                    #expect(try await cluster.show(job).retriedAs.elements.count == count)
                }
                let permitted = try await cluster.baton(["retry", "--again"] + failed)
                #expect(permitted.status == 0 && permitted.output.split(separator: "\n").count == 3, "\(permitted)")
            }
        }

        @Test("D11 What failed is retried with another timeout or memory, and with the commands of a corrected graph")
        func changed() async throws {
            try await withCluster { cluster in
                let graph = """
                    { operations: [
                      { name: "good", command: "echo good > $BATON_RESULT" },
                      { name: "bad", command: "exit 3", needs: ["good"], timeout: "1m" },
                      { name: "last", command: "true", needs: ["bad"] },
                    ] }
                    """
                let job = try await cluster.submit(graph: graph)
                #expect(try await cluster.wait(job) == 1)
                let limited = try await cluster.baton("retry", job, "--timeout", "2h..8h", "--memory", "64M")
                #expect(limited.status == 0, "\(limited)")
                _ = try await cluster.wait(limited.line)
                let shown = try await cluster.baton("show", "\(limited.line)/bad").output
                #expect(shown.contains("2h..8h") && shown.contains("64M"), "\(shown)")
                let untouched = try await cluster.baton("show", "\(limited.line)/last").output
                #expect(!untouched.contains("64M"), "\(untouched)")

                try cluster.write(
                    graph.replacingOccurrences(of: "exit 3", with: "cat $BATON_INPUTS/good"),
                    to: "mended.json"
                )
                let mended = try await cluster.baton("retry", job, "--again", "--file", "mended.json")
                #expect(mended.status == 0, "\(mended)")
                #expect(try await cluster.wait(mended.line) == 0)
                #expect(try await cluster.baton("log", "\(mended.line)/bad").output == "good\n")
                #expect(try await cluster.outcomes(of: mended.line) == ["succeeded", "succeeded"])

                try cluster.write("{ operations: [{ name: 'bad', command: 'true' }] }", to: "part.json")
                let refused = try await cluster.baton("retry", job, "--again", "--file", "part.json")
                #expect(refused.status == 65, "\(refused)")
                #expect(refused.errors.contains("does not describe \(job)/2 (last)"), "\(refused)")
                let several = try await cluster.baton("retry", job, mended.line, "--file", "mended.json")
                #expect(several.status == 64 && several.errors.contains("one job"), "\(several)")
            }
        }
    }
}
