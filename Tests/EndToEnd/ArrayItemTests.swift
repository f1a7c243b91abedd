import Foundation
import Testing

extension EndToEndTests {
    @Suite("Items of arrays", .timeLimit(.minutes(60)))
    struct ArrayItemTests {
        /// Items with characters that a shell, an option parser or a table reader treats specially.
        private static let hostile = [
            "", " ", "-rf", "--", "a  b", "*", "~", "it's", "\"", "\\", "$(echo x)", "`echo x`", "${HOME}", "$1",
            "a\nb", ";exit 3",
            "{}", "{1}", "{word}", "日本語", "#", "&", "a,b", "\"a,b\"", "%s", String(repeating: "'$(x)\"", count: 10_000),
        ]

        /// A shell's words for its arguments and the item, each between angle brackets.
        private static let printed = #"for word; do printf '<%s>' "$word"; done"#

        private func log(_ cluster: TestCluster, _ job: String, _ index: Int) async throws -> String {
            try await cluster.baton("log", "\(job)/\(index)").output
        }

        @Test("Several ranges make one array, whose indices count from 0")
        func ranges() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit("--array", "1-5:2,20,7-8", "--", "echo", "{}")
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.show(job).operations.elements.map(\.item) == ["1", "3", "5", "20", "7", "8"])
                #expect(try await cluster.show(job).operations.elements[3].index == 20)
                #expect(try await log(cluster, job, 3) == "20\n")
                // The command that ran.
                let shown = try await cluster.baton("show", "\(job)/3").output
                #expect(shown.contains(" echo 20\n") && !shown.contains("{}"), "\(shown)")
                let refused = try await cluster.baton("submit", "--array", "1-5,3", "--", "true")
                #expect(refused.status == 64 && refused.errors.contains("has the number 3 twice"), "\(refused)")
            }
        }

        @Test("A byte order mark in front of lines is no part of the first item")
        func byteOrderMark() async throws {
            try await withCluster(workers: 0) { cluster in
                try cluster.write("\u{FEFF}a\r\nb\u{FEFF}\r\n", to: "items")
                let job = try await cluster.submit("--each-line", "items", "--", "echo", "{}")
                #expect(try await cluster.show(job).operations.elements.map(\.item) == ["a", "b\u{FEFF}"])
                try cluster.write(
                    #"{ "operations": [{ "command": ["echo", "{}"], "eachLine": "items" }] }"#,
                    to: "graph.json"
                )
                let graph = try await cluster.baton("submit", "--file", "graph.json")
                #expect(graph.status == 0, "\(graph)")
                #expect(try await cluster.show(graph.line).operations.elements.first?.item == "a")
            }
        }

        @Test("A row fills the places of its columns by name and number, raw, and unknown words stay")
        func rows() async throws {
            try await withCluster { cluster in
                let items = Self.hostile
                let rows = items.map { "\"\($0.replacingOccurrences(of: "\"", with: "\"\""))\",0.5" }
                try cluster.write("the item,lr\n" + rows.joined(separator: "\n") + "\n", to: "params.csv")
                let job = try await cluster.submit(
                    "--each-row",
                    "params.csv",
                    "--",
                    "sh",
                    "-c",
                    Self.printed,
                    "sh",
                    "{the item}",
                    "x{1}{2}",
                    "--lr={lr}",
                    "{word} \\{3} ${lr}"
                )
                #expect(try await cluster.wait(job) == 0)
                for (index, item) in items.enumerated() {
                    #expect(try await log(cluster, job, index) == "<\(item)><x\(item)0.5><--lr=0.5><{word} {3} ${lr}>")
                }
                try cluster.write("a\tb\n1\t2\n", to: "params.tsv")
                let tabs = try await cluster.baton("run", "--each-row", "params.tsv", "--", "test", "{a}{2}", "=", "12")
                #expect(tabs.status == 0, "\(tabs)")
                try cluster.write("a,b\n1\n", to: "bad.csv")
                let bad = try await cluster.baton("submit", "--each-row", "bad.csv", "--", "true")
                #expect(bad.status == 65)
                #expect(bad.errors.contains("The file bad.csv has 1 fields in line 2, and 2 columns by its header."))
            }
        }

        @Test("A mistaken place of an array is refused on the command line and in graph files")
        func mistakenPlaces() async throws {
            try await withCluster(workers: 0) { cluster in
                try cluster.write("lr,size\n0.1,64\n", to: "params.csv")
                let place = #"The command has {LR}, which is no place that an element fills. Write {lr}, or \{LR} for"#
                let call = try await cluster.baton("submit", "--each-row", "params.csv", "--", "echo", "{LR}")
                #expect(call.status == 65 && call.errors.contains(place), "\(call)")
                let unused = try await cluster.baton("submit", "--each-row", "params.csv", "--", "true")
                #expect(unused.status == 65 && unused.errors.contains("no place for a column"), "\(unused)")
                try cluster.write(
                    #"{ operations: [{ eachRow: "params.csv", command: "echo {LR}" }] }"#,
                    to: "graph.json5"
                )
                let graph = try await cluster.baton("submit", "--file", "graph.json5")
                #expect(graph.status == 65 && graph.errors.contains(place), "\(graph)")
                let parallel = try await cluster.baton("submit", "--each", "a.txt", "--", "gzip", "{}", "{.}.gz")
                let counterpart = #"Write sh -c '... ${1%.*} ...' sh {}, or \{.} for this text itself."#
                #expect(parallel.status == 65 && parallel.errors.contains(counterpart), "\(parallel)")
                let variable = ["submit", "--each", "a,b", "--env", "X={}", "--", "echo", "{}"]
                let unfilled = try await cluster.baton(variable)
                let advice = "Begin the command with: env X={}, or give this text itself with --env-file."
                #expect(unfilled.status == 65 && unfilled.errors.contains(advice), "\(unfilled)")
                try cluster.write(
                    #"{ operations: [{ each: "a,b", env: { X: "{}" }, command: ["echo", "{}"] }] }"#,
                    to: "env.json5"
                )
                let file = try await cluster.baton("submit", "--file", "env.json5")
                #expect(file.status == 65 && file.errors.contains("The variable X has {}"), "\(file)")
                for (option, key) in [("--cwd", "cwd"), ("--stdin", "stdin")] {
                    let call = ["submit", "--each-row", "params.csv", option, "in/{lr}", "--", "echo", "{lr}"]
                    let path = try await cluster.baton(call)
                    #expect(path.status == 65 && path.errors.contains("has {lr}, and an element fills"), "\(path)")
                    try cluster.write(
                        "{ operations: [{ eachRow: 'params.csv', \(key): 'in/{lr}', command: ['echo', '{lr}'] }] }",
                        to: "path.json5"
                    )
                    let file = try await cluster.baton("submit", "--file", "path.json5")
                    #expect(file.status == 65 && file.errors.contains("has {lr}, and an element fills"), "\(file)")
                }
                #expect(try await cluster.baton("list").output.split(separator: "\n").count < 2)
                let job = try await cluster.submit("--each-row", "params.csv", "--", "echo", "{1}")
                let added = try await cluster.baton("add-command", "\(job)/0", "--", "echo", "{lr}", "{szie}")
                #expect(added.status == 65 && added.errors.contains("The command has {szie}"), "\(added)")
            }
        }

        @Test("A command line of a graph file survives any item, in and outside quotes, and so does a completion hook")
        func commandLines() async throws {
            try await withCluster { cluster in
                let items = Self.hostile
                let text = try String(decoding: JSONEncoder().encode(items), as: UTF8.self)
                try cluster.write(
                    """
                    { operations: [{
                      name: "each", eachLine: \(text),
                      command: "for i in {} \\"<{}>\\" '<{}>' $(printf x){}; do printf '%s|' \\"$i\\"; done # it's {}",
                      onFinish: "printf '%s' {} > hook.$BATON_INDEX",
                    }] }
                    """,
                    to: "graph.json5"
                )
                let job = try await cluster.submit("--file", "graph.json5")
                #expect(try await cluster.wait(job) == 0)
                for (index, item) in items.enumerated() {
                    #expect(try await log(cluster, job, index) == "\(item)|<\(item)>|<\(item)>|x\(item)|")
                }
                for (index, item) in items.enumerated() {
                    let hook = cluster.home.appending(path: "hook.\(index)")
                    while try !FileManager.default.fileExists(atPath: hook.path)
                        || Data(contentsOf: hook).count < item.utf8.count
                    {
                        try await Task.sleep(for: .milliseconds(20))
                    }
                    #expect(try String(contentsOf: hook, encoding: .utf8) == item)
                }
            }
        }

        @Test("Several sources give all combinations in the order of the options, and a retry keeps their columns")
        func combinations() async throws {
            try await withCluster { cluster in
                try cluster.write("x\ny z\n", to: "lines")
                let job = try await cluster.submit(
                    "--each",
                    #"a,"b,c""#,
                    "--each-line",
                    "lines",
                    "--",
                    "sh",
                    "-c",
                    Self.printed + #"; test "$2" = x"#,
                    "sh",
                    "{1}",
                    "{2}",
                    "{}"
                )
                #expect(try await cluster.wait(job) == 1)
                var logs: [String] = []
                for index in 0..<4 { logs.append(try await log(cluster, job, index)) }
                #expect(logs == ["<a><x><a,x>", "<a><y z><a,y z>", #"<b,c><x><"b,c",x>"#, #"<b,c><y z><"b,c",y z>"#])
                let retried = try await cluster.baton("retry", job).line
                #expect(try await cluster.wait(retried) == 1)
                #expect(try await log(cluster, retried, 1) == #"<b,c><y z><"b,c",y z>"#)
                let other = try await cluster.submit("--each-line", "lines", "--each", "1,2", "--", "echo", "{1} {2}")
                #expect(try await cluster.wait(other) == 0)
                #expect(try await log(cluster, other, 3) == "y z 2\n")
            }
        }

        @Test("The failures that run lists have their items beside their indices")
        func failures() async throws {
            try await withCluster { cluster in
                let run = try await cluster.baton(
                    "run",
                    "--name",
                    "sweep",
                    "--array",
                    "5-7",
                    "--",
                    "sh",
                    "-c",
                    "exit {}"
                )
                #expect(run.status == 1)
                #expect(run.errors.contains("1/2 (sweep, item 7): It exited with status 7."), "\(run)")
            }
        }
    }
}
