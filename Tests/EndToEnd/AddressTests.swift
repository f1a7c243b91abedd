import Foundation
import Testing

extension EndToEndTests {
    @Suite("Addresses and names", .timeLimit(.minutes(60)))
    struct AddressTests {
        // The sentence said that 1/sw* does not exist (any more), as of a job that was removed.
        @Test("A pattern as a dependency is refused with the addresses that a dependency may have")
        func patternAsDependency() async throws {
            try await withCluster(workers: 0) { cluster in
                let job = try await cluster.submit("--name", "sweep", "--hold", "--array", "1-2", "--", "true")
                let other = try await cluster.submit("--hold", "--", "true")
                let advice =
                    "A pattern stands for nothing here: name an operation or an array, or the whole job as \(job)."
                let commands = [
                    ["submit", "--needs", "\(job)/sw*", "--", "true"],
                    ["depend", "\(other)/0", "--needs", "\(job)/s?"],
                ]
                for words in commands {
                    let refused = try await cluster.baton(words)
                    #expect(refused.status != 0 && refused.errors.contains(advice), "\(words): \(refused)")
                }
            }
        }

        @Test("DE5 DE25 An array of another job can be a dependency in options, in a graph file and with depend")
        func arrayOfAnotherJob() async throws {
            try await withCluster(slots: 4) { cluster in
                let script = "printf {} > $BATON_RESULT"
                let first = try await cluster.submit(script: script, "--array", "1-2", "--name", "arr", "--hold")
                let sum = #"echo $(cd $BATON_INPUTS && cat * && ls)"#
                let byOption = try await cluster.submit(script: sum, "--needs", "\(first)/arr")
                try cluster.write(
                    """
                    { operations: [
                      { name: "graph", command: "true", needs: ["\(first)/arr"] },
                      { name: "all", command: "true", after: ["\(first)/*"] },
                    ] }
                    """,
                    to: "graph.json"
                )
                let byGraph = try await cluster.submit("--file", "graph.json")
                let changed = try await cluster.submit("--hold", "--", "true")
                #expect(try await cluster.baton("depend", "\(changed)/0", "--needs", "\(first)/arr").status == 0)
                #expect(try await cluster.baton("release", changed).status == 0)
                for job in [byOption, byGraph, changed] {
                    let document = try await cluster.show(job)
                    #expect(document.operations.elements.allSatisfy { $0.state == "pending" }, "\(job)")
                    #expect(document.operations.elements[0].dependencies.elements[0].operation == "\(first)/arr")
                }
                #expect(
                    try await cluster.show(byGraph).operations.elements[1].dependencies.elements[0].operation
                        == "\(first)"
                )
                #expect(try await cluster.baton("release", first).status == 0)
                #expect(try await cluster.wait(byOption, byGraph, changed) == 0)
                #expect(try await cluster.baton("log", byOption).output == "12arr.1 arr.2\n")
                // All operations of the job are finished by now.
                let late = try await cluster.submit(script: sum, "--needs", "\(first)/arr")
                #expect(try await cluster.wait(late) == 0)
                #expect(try await cluster.baton("log", late).output == "12arr.1 arr.2\n")
                let unknown = try await cluster.baton("submit", "--needs", "\(first)/none", "--", "true")
                #expect(unknown.status == 65, "\(unknown)")
            }
        }

        @Test("WA1 An operation that a wait names several times is counted once")
        func countedOnce() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit("--name", "a", "--", "false")
                let waiting = try await cluster.baton("wait", "\(job)/a", job, "\(job)/a", "--json")
                #expect(waiting.status == 1)
                let counts = try JSONValue(parsing: waiting.output).counts
                #expect((counts.failed, counts.succeeded) == (1, 0))
                let many = try await cluster.submit("--array", "0-5", "--name", "b", "--", "true")
                let twice = try await cluster.baton(
                    "wait",
                    "\(many)/b",
                    "\(many)/2",
                    "\(many)/5",
                    "\(many)/b",
                    "--json"
                )
                #expect(try JSONValue(parsing: twice.output).counts.succeeded == 6)
            }
        }

        @Test("The command show prints an array with its operations, and log prints the output of all of them")
        func arrayShown() async throws {
            try await withCluster(slots: 3) { cluster in
                let script = "echo out{}; echo err{} >&2; test {} != 8"
                try cluster.write(
                    """
                    { operations: [
                      { name: "before", command: "echo no" },
                      { name: "arr", command: "\(script)", array: "7-9" },
                    ] }
                    """,
                    to: "graph.json"
                )
                let job = try await cluster.submit("--file", "graph.json")
                #expect(try await cluster.wait(job) == 1)
                let shown = try await cluster.baton("show", "\(job)/arr")
                #expect(shown.output.contains("array:      \(job)/arr\n"), "\(shown)")
                #expect(shown.output.contains("operations: 3: 1 failed, 2 succeeded\n"), "\(shown)")
                let rows = shown.output.split(separator: "\n").filter { $0.hasPrefix("\(job)/") }
                #expect(rows.map { String($0.prefix { $0 != " " }) } == ["\(job)/1", "\(job)/2", "\(job)/3"])
                let document = try JSONValue(parsing: try await cluster.baton("show", "\(job)/arr", "--json").output)
                #expect(document["array"] == "\(job)/arr" && document.name == "arr" && document.state == "finished")
                #expect((document.first, document.count, document.counts.failed) == (1, 3, 1))
                #expect(document.operations.elements.map(\.operation) == ["\(job)/1", "\(job)/2", "\(job)/3"])
                let log = try await cluster.baton("log", "\(job)/arr")
                let lines = (1...3).map { "\(job)/\($0) (arr) | out\($0 + 6)\n" }
                #expect(log.output == lines.joined() && log.errors == "")
                let errors = try await cluster.baton("log", "-f", "--stderr", "--quiet", "\(job)/arr")
                #expect(errors.output == log.output.replacingOccurrences(of: "out", with: "err") && errors.errors == "")
                #expect(try await cluster.baton("log", "--attempt", "2", "--quiet", "\(job)/arr").output == "")
            }
        }

        @Test("Each command about a missing job exits with 66 and names the job")
        func noSuchJob() async throws {
            try await withCluster(workers: 0) { cluster in
                for command in [
                    ["log", "99"], ["log", "99/3"], ["log", "99/x"], ["result", "99"], ["wait", "99/x"],
                    ["cancel", "99/0"],
                    ["show", "99/1"], ["explain", "99"], ["depend", "99/0", "--after", "99"],
                ] {
                    let result = try await cluster.baton(command)
                    #expect(result.status == 66, "\(command)")
                    #expect(result.errors.contains("no job 99"), "\(command): \(result)")
                }
            }
        }

        @Test("A timeout of 0s is refused for an operation, and makes wait answer at once")
        func noTime() async throws {
            try await withCluster { cluster in
                let refused = try await cluster.baton("submit", "--timeout", "0s", "--", "true")
                #expect(refused.status == 64 && refused.errors.contains("above zero"), "\(refused)")
                try cluster.write("{ operations: [{ command: 'true', timeout: '0s' }] }", to: "graph.json")
                let graph = try await cluster.baton("submit", "--file", "graph.json")
                #expect(
                    graph.status == 65 && graph.errors.contains("graph.json:1:44: a timeout has to be above zero"),
                    "\(graph)"
                )
                let held = try await cluster.submit("--hold", "--timeout", "1h30m", "--", "true")
                let poll = try await cluster.baton("wait", held, "--timeout", "0s")
                #expect(poll.status == 124 && poll.errors.contains("The target is not finished."), "\(poll)")
                #expect(try await cluster.baton("release", held).status == 0)
                #expect(try await cluster.wait(held) == 0)
                #expect(try await cluster.baton("wait", held, "--timeout", "0s").status == 0)
                let bare = try await cluster.baton("submit", "--timeout", "90", "--", "true")
                #expect(bare.status == 64 && bare.errors.contains("with its unit"), "\(bare)")
            }
        }

        @Test("A zero byte in a file of items is refused with its line")
        func zeroByte() async throws {
            try await withCluster(workers: 0) { cluster in
                try cluster.write("one\ntwo\nth\u{0}ree\n", to: "items")
                let result = try await cluster.baton("submit", "--each-line", "items", "--", "echo", "{}")
                #expect(result.status == 65, "\(result)")
                #expect(result.errors.contains("The file items has a zero byte in line 3"), "\(result)")
            }
        }

        @Test("Composed and decomposed spellings of a name, a queue or a key mean the same")
        func normalForms() async throws {
            let (composed, decomposed) = ("\u{E9}", "e\u{301}")
            try await withCluster { cluster in
                let options = ["--name", decomposed, "--queue", "q\(decomposed)", "--key", "k\(decomposed)"]
                let command = ["--", "sh", "-c", "echo $BATON_NAME $BATON_QUEUE"]
                let job = try await cluster.baton(["submit"] + options + command).line
                let again = ["submit"] + options.dropLast(2) + ["--key", "k\(composed)"] + command
                #expect(try await cluster.baton(again).line == job)
                for spelling in [composed, decomposed] {
                    #expect(try await cluster.wait("\(job)/\(spelling)") == 0)
                    #expect(try await cluster.wait("\(job)/\(spelling)") == 0)
                    #expect(try await cluster.baton("wait", "--queue", "q\(spelling)").status == 0)
                    let shown = try await cluster.baton("show", "\(job)/\(spelling)", "--json")
                    let document = try JSONValue(parsing: shown.output)
                    #expect(document.name.string.utf8.elementsEqual(composed.utf8), "\(shown)")
                    #expect(document.queue.string.utf8.elementsEqual("q\(composed)".utf8))
                    let log = try await cluster.baton("log", "\(job)/\(spelling)")
                    #expect(log.bytes == Array("\(composed) q\(composed)\n".utf8))
                }
                let graph =
                    "{ operations: [{ name: 'x\(decomposed)', command: 'true' }, { command: 'true', needs: ['x\(composed)'] }] }"
                try cluster.write(graph, to: "graph.json")
                #expect(try await cluster.wait(try await cluster.submit("--file", "graph.json")) == 0)
            }
        }

        @Test("An invisible character in a name is refused with its code, and a long name is shown shortened")
        func hiddenAndLong() async throws {
            try await withCluster(workers: 0) { cluster in
                for option in ["--name", "--queue", "--key"] {
                    let result = try await cluster.baton("submit", option, "a\u{202E}b", "--", "true")
                    #expect(result.status == 64 && result.errors.contains("U+202E"), "\(result)")
                }
                let long = String(repeating: "n", count: 150)
                let job = try await cluster.submit("--name", long, "--queue", long, "--", "true")
                let table = try await cluster.baton("show", job)
                let row = table.output.split(separator: "\n").last { $0.hasPrefix("\(job)/0") } ?? ""
                #expect(row.contains("\(long.prefix(79))…") && !row.contains(long.prefix(81)), "\(table)")
                let unknown = try await cluster.baton("show", "\(job)/x\(long)")
                #expect(unknown.errors.contains("x\(long.prefix(78))…") && !unknown.errors.contains(long), "\(unknown)")
                let queue = try await cluster.baton("queue", "show", "x\(long)")
                #expect(queue.errors.contains("…") && !queue.errors.contains(long), "\(queue)")
                #expect(try await cluster.baton("show", "\(job)/\(long)", "--json").output.contains(long))
            }
        }
    }
}
