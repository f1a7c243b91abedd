import Foundation
import Testing

extension EndToEndTests {
    @Suite("Bad input", .timeLimit(.minutes(60)))
    struct RefusalTests {
        /// A graph file that is refused.
        struct Graph: Sendable, CustomTestStringConvertible {
            var what: String
            var text: String
            var code: String
            /// Words that the error message must contain.
            var words: [String]
            var testDescription: String { what }
        }

        static let graphs = [
            Graph(
                what: "a cycle",
                text: """
                    { operations: [
                      { name: "a", command: "true", after: ["c"] },
                      { name: "free", command: "true" },
                      { name: "b", command: "true", needs: ["a", "free"] },
                      { name: "c", command: "true", onFailure: ["b"] },
                    ] }
                    """,
                code: "cycle",
                words: ["form a cycle", "a -> c -> b -> a"]
            ),
            Graph(
                what: "an operation that depends on itself",
                text: #"{ operations: [{ name: "a", command: "true", needs: ["a"] }] }"#,
                code: "cycle",
                words: ["graph.json:1:54: the operation \"a\" depends on itself: a -> a"]
            ),
            Graph(
                what: "an unknown dependency",
                text: """
                    { operations: [
                      { name: "fetch", command: "true" },
                      { name: "sepia", command: "true", needs: ["fetsh"] },
                    ] }
                    """,
                code: "unknownDependency",
                words: ["graph.json:3:", "\"fetsh\"", "did you mean \"fetch\"?"]
            ),
            Graph(
                what: "a duplicate name",
                text: """
                    { operations: [
                      { name: "same", command: "true" },
                      { name: "same", command: "false" },
                    ] }
                    """,
                code: "duplicateName",
                words: ["graph.json:3:", "\"same\""]
            ),
            Graph(
                what: "an unknown key",
                text: """
                    { operations: [
                      { name: "a", command: "true" },
                      { name: "b", command: "true", aftr: ["a"] },
                    ] }
                    """,
                code: "invalid",
                words: ["graph.json:3:33: unknown key \"aftr\"; did you mean \"after\"?"]
            ),
            Graph(
                what: "broken JSON",
                text: """
                    { operations: [
                      { name: "a", command: "true" },
                      { name: "b" command: "true" },
                    ] }
                    """,
                code: "invalid",
                words: ["graph.json:3:15: "]
            ),
            Graph(
                what: "one bad operation among good ones",
                text: #"{ operations: [{ command: "true" }, { command: "true", timeout: "soon" }] }"#,
                code: "invalid",
                words: ["graph.json:1:", "expected a duration"]
            ),
            Graph(
                what: "an empty graph",
                text: "{ operations: [] }",
                code: "invalid",
                words: ["\"operations\" is empty"]
            ),
            Graph(
                what: "a dependency on a job that does not exist",
                text: #"{ operations: [{ command: "true" }, { command: "true", needs: ["77/*"] }] }"#,
                code: "unknownDependency",
                words: ["77", "does not exist"]
            ),
        ]

        @Test("DE16 DE18 QU4 A bad graph is refused as a whole, with a sentence that names the place or the path")
        func graphFiles() async throws {
            try await withCluster(workers: 0) { cluster in
                for graph in Self.graphs {
                    try cluster.write(graph.text, to: "graph.json")
                    let result = try await cluster.baton("submit", "--file", "graph.json")
                    #expect(result.status == 65, "\(graph.what): \(result)")
                    #expect(result.output == "", "\(graph.what)")
                    for words in graph.words { #expect(result.errors.contains(words), "\(graph.what): \(result)") }
                    let json = try await cluster.baton("submit", "--file", "graph.json", "--json")
                    let error = try JSONValue(parsing: json.errors).error
                    #expect(error.code == .text(graph.code), "\(graph.what): \(json)")
                    let advice = if case .text(let text) = error["advice"] { " " + text } else { "" }
                    #expect(result.errors == "Error: \(error.message.string)\(advice)\n")
                    // Most of the graphs are refused without a coordinator too.
                    let run = try await cluster.baton("run", "--file", "graph.json", "--quiet")
                    #expect(run.status == 65, "\(graph.what): \(run)")
                }
                #expect(try await cluster.json("list").jobs == [])
                #expect(try await cluster.json("queue", "list").queues == [])
                #expect(try await cluster.submit("--", "true") == "1", "no number was used up")
            }
        }

        @Test("DE16 The JSON of a refused dependency cycle has its path")
        func cyclePath() async throws {
            try await withCluster(workers: nil) { cluster in
                try cluster.write(Self.graphs[0].text, to: "graph.json")
                let result = try await cluster.baton("run", "--local", "--file", "graph.json", "--json")
                #expect(result.status == 65)
                let path = try JSONValue(parsing: result.errors).error.path
                #expect(path == ["a", "c", "b", "a"])
            }
        }

        /// A refused command line: its arguments, the exit status, and required words of the error message.
        static let commandLines: [([String], Int32, [String])] = [
            (["submit", "--quue", "x", "--", "true"], 64, ["Unknown option '--quue'", "Did you mean '--queue'?"]),
            (["sumbit", "--", "true"], 64, ["Unknown command 'sumbit'", "Did you mean 'submit'?"]),
            (["queue", "shw", "q"], 64, ["'shw'", "'show'"]),
            (["submit"], 64, ["Give a command after '--'"]),
            (["submit", "--priority", "urgent", "--", "true"], 64, ["'urgent'", "--priority", "veryHigh"]),
            (["submit", "--timeout", "soon", "--", "true"], 64, ["'soon'", "--timeout", "a duration with its unit"]),
            (["submit", "--timeout", "10001d", "--", "true"], 64, ["'10001d'", "at most 10000d"]),
            (["submit", "--cwd", "", "--", "true"], 64, ["--cwd", "Please provide a path"]),
            (["submit", "--stdin", "", "--", "true"], 64, ["--stdin", "Please provide a path"]),
            (["submit", "--cwd", "-", "--", "true"], 64, ["--cwd", "stands for no stream here"]),
            (["submit", "--resource", "memory=4000", "--", "true"], 64, ["with a unit", "--memory 4G"]),
            (["submit", "--resource", "mem=4G", "--", "true"], 64, ["with a unit", "--memory 4G"]),
            (["submit", "--resource", "cpus=1", "--", "true"], 64, ["--cpus 2"]),
            (["status", "--home", "~/x"], 64, ["no shell fills its ~"]),
            (["status", "--home", "-"], 64, ["stands for no stream here"]),
            (["result", "1", "--all", "--output", "~"], 64, ["no shell fills its ~"]),
            (["run", "--local", "--hold", "--", "true"], 65, ["it is held", "without --local"]),
            (["submit", "--array", "9-1", "--", "true"], 64, ["9-1", "ends before it starts"]),
            (["submit", "--name", "3rd", "--", "true"], 64, ["'3rd'", "A name starts with a letter"]),
            (["submit", "--needs", "99", "--", "true"], 65, ["99", "does not exist"]),
            (["submit", "--after", "1/none", "--", "true"], 65, ["1/none", "does not exist"]),
            (["submit", "--file", "none.json"], 66, ["none.json", "No such file or directory"]),
            (["submit", "--each-line", "none.txt", "--", "true"], 66, ["none.txt", "No such file or directory"]),
            (["show", "99"], 66, ["There is no job 99."]),
            (["show", "1/none"], 66, ["There is no operation 1/none."]),
            (["explain", "1/9"], 66, ["There is no operation 1/9."]),
            (["log", "99"], 66, ["There is no job 99."]),
            (["result", "99/1"], 66, ["There is no job 99."]),
            (["cancel", "99"], 66, ["There is no job 99."]),
            (["cancel", "--queue", "none"], 66, ["There is no queue \"none\"."]),
            (["wait", "1/none"], 66, ["There is no operation 1/none."]),
            (["queue", "show", "none"], 66, ["There is no queue \"none\"."]),
            (["show", "one"], 66, ["There is no job with the name \"one\"."]),
            (["show", "99999999999/y"], 64, ["'99999999999/y'"]),
        ]

        // It waited for ever.
        @Test("A Swift operation is refused by a local run, whose worker has no types")
        func typedLocally() async throws {
            try await withCluster(workers: nil) { cluster in
                try cluster.write("{ operations: [{ name: 'a', type: 'x' }] }", to: "graph.json5")
                let run = try await cluster.baton("run", "--local", "--file", "graph.json5")
                #expect(run.status == 65 && run.errors.contains("a Swift operation of type x"), "\(run)")
            }
        }

        // The line after a newline in a key looked like an error of its own.
        @Test("A key of a graph file stays in the line of its error, whatever is in it")
        func hostileKey() async throws {
            try await withCluster(workers: nil) { cluster in
                try cluster.write(#"{ operations: [{ "\u202ea\u0085\nError: b": 1 }] }"#, to: "graph.json5")
                let check = try await cluster.baton("check", "graph.json5")
                #expect(check.status == 65 && check.errors.split(separator: "\n").count == 1, "\(check)")
                #expect(!check.errors.unicodeScalars.contains { ["\u{202E}", "\u{85}"].contains($0) }, "\(check)")
            }
        }

        @Test("A bad command line is refused with a sentence and its exit status, and changes nothing")
        func commandLine() async throws {
            try await withCluster(workers: 0) { cluster in
                _ = try await cluster.submit("--", "true")
                let list = try await cluster.baton("list", "--json").output
                for (arguments, status, words) in Self.commandLines {
                    let result = try await cluster.baton(arguments)
                    #expect(result.status == status, "\(arguments): \(result)")
                    #expect(result.output == "", "\(arguments)")
                    #expect(result.errors.hasPrefix("Error: "), "\(arguments): \(result)")
                    for word in words { #expect(result.errors.contains(word), "\(arguments): \(result)") }
                }
                #expect(try await cluster.baton("list", "--json").output == list)
            }
        }

        @Test(
            "A command without a coordinator exits with 69 and says how to start a coordinator",
            arguments: [
                ["submit", "--", "true"], ["run", "--", "true"], ["wait", "1"], ["list"], ["status", "--json"],
                ["cancel", "1"],
            ]
        )
        func noCoordinator(_ arguments: [String]) async throws {
            try await withCluster(workers: nil) { cluster in
                // Only root could listen at port 1, and no process does.
                let result = try await cluster.baton(["--coordinator", "tcp://127.0.0.1:1"] + arguments)
                #expect(result.status == 69, "\(result)")
                #expect(result.output == "")
                #expect(result.errors.contains("No coordinator answers at tcp://127.0.0.1:1."), "\(result)")
                #expect(result.errors.contains("Start one with"), "\(result)")
            }
        }

        @Test("A coordinator is refused at a port in use and on a record in use")
        func inUse() async throws {
            try await withCluster(workers: 0) { cluster in
                let port = try await cluster.baton(
                    "coordinator",
                    "--listen",
                    cluster.endpoint,
                    "--store",
                    "\(cluster.home.path)/other.db"
                )
                #expect(port.status == 69)
                #expect(port.errors.contains("Another process already listens at \(cluster.endpoint)."), "\(port)")
                #expect(!FileManager.default.fileExists(atPath: "\(cluster.home.path)/other.db"))

                let store = try await cluster.baton("coordinator", "--listen", "tcp://127.0.0.1:*")
                #expect(store.status == 69)
                let holder = try #require(cluster.coordinator?.processID)
                #expect(
                    store.errors.contains("baton.db is in use by another coordinator (process \(holder))."),
                    "\(store)"
                )
                #expect(try await cluster.json("status").epoch == 1, "the first one goes on")
            }
        }

        @Test("A coordinator is refused on a record that it cannot write or read")
        func notWritable() async throws {
            try await withCluster(workers: nil) { cluster in
                // Even root cannot write there.
                let directory = "\(cluster.home.path)/directory"
                try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
                var paths = ["/proc/self/baton.db", directory]
                if geteuid() != 0 { paths.append("/baton.db") }
                for path in paths {
                    let result = try await cluster.baton(
                        "coordinator",
                        "--listen",
                        "tcp://127.0.0.1:*",
                        "--store",
                        path
                    )
                    #expect(result.status == 77, "\(path): \(result)")
                    #expect(result.errors.contains("The record \(path) cannot be opened or written: "), "\(result)")
                }
                try cluster.write("This is no database, but a text that is long enough to be one.", to: "text.db")
                let text = try await cluster.baton(
                    "coordinator",
                    "--listen",
                    "tcp://127.0.0.1:*",
                    "--store",
                    "\(cluster.home.path)/text.db"
                )
                #expect(text.status == 65, "\(text)")
                #expect(text.errors.contains("cannot be read as a record of Baton"), "\(text)")
            }
        }
    }
}
