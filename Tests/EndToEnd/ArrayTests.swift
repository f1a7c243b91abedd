import Testing

extension EndToEndTests {
    @Suite("Arrays and other submissions", .timeLimit(.minutes(60)))
    struct ArrayTests {
        @Test("An array of 300 operations succeeds on two workers, and submit prints only the job's number")
        func many() async throws {
            try await withCluster(workers: 2, slots: 2) { cluster in
                let submission = try await cluster.baton("submit", "--array", "1-300", "--", "/bin/true")
                #expect(submission.output == "1\n")
                #expect(submission.errors == "")
                #expect(try await cluster.wait("1") == 0)
                let document = try await cluster.show("1")
                #expect(document.state == "finished")
                #expect(document.counts.succeeded == 300)
                #expect(document.operations.elements.last?.operation == "1/299")
                #expect(document.operations.elements.allSatisfy { $0.attempt == 1 })
            }
        }

        @Test("An array's element has its number in place of {}, in BATON_INDEX and in BATON_ITEM")
        func numbers() async throws {
            try await withCluster { cluster in
                let script = "echo {} $BATON_INDEX $BATON_ITEM $BATON_OPERATION $BATON_NAME $BATON_JOB"
                let job = try await cluster.submit(script: script, "--array", "3-9:3", "--name", "sweep")
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.baton("log", "1/0").output == "3 3 3 1/0 sweep 1\n")
                #expect(try await cluster.baton("log", "1/1").output == "6 6 6 1/1 sweep 1\n")
                #expect(try await cluster.baton("log", "1/2").output == "9 9 9 1/2 sweep 1\n")
                #expect(try await cluster.show("1").operations.elements.map(\.item) == ["3", "6", "9"])
            }
        }

        @Test("Each line of a file becomes an element with the line as its item, whatever characters it has")
        func lines() async throws {
            try await withCluster { cluster in
                try cluster.write("a b\n\n$HOME \"c\"\nlast", to: "lines.txt")
                let job = try await cluster.submit(
                    "--each-line",
                    "lines.txt",
                    "--",
                    "sh",
                    "-c",
                    #"printf '%s|%s|%s' "$1" "$BATON_INDEX" "$BATON_ITEM""#,
                    "sh",
                    "<{}>"
                )
                #expect(try await cluster.wait(job) == 0)
                var logs: [String] = []
                for index in 0..<4 { logs.append(try await cluster.baton("log", "1/\(index)").output) }
                #expect(logs == ["<a b>|0|a b", "<>|1|", "<$HOME \"c\">|2|$HOME \"c\"", "<last>|3|last"])
            }
        }

        @Test("A graph with one operation a line is read from standard input, and may name later operations")
        func linesOfOperations() async throws {
            try await withCluster { cluster in
                let lines = """
                    { "name": "second", "command": ["sh", "-c", "\(cluster.note("second"))"], "needs": ["first"] }
                    { "name": "first", "command": "\(cluster.note("first"))" }

                    """
                let result = try await cluster.baton("submit", "--file", "-", "--json", input: lines)
                let answer = #"{"job":1,"operations":2,"first":null}"#
                #expect(try JSONValue(parsing: result.output) == JSONValue(parsing: answer))
                #expect(try await cluster.wait("1") == 0)
                #expect(cluster.notes == ["first", "second"])
            }
        }

        @Test("An operation gets the requested directory, variables, standard input and queue")
        func surroundings() async throws {
            try await withCluster { cluster in
                try cluster.write("from a file\n", to: "input")
                let job = try await cluster.submit(
                    script: "pwd; echo $COLOUR; cat; echo $BATON_QUEUE $BATON_ATTEMPT",
                    "--cwd",
                    "/",
                    "--env",
                    "COLOUR=dark red",
                    "--stdin",
                    "input",
                    "--queue",
                    "images"
                )
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.baton("log", job).output == "/\ndark red\nfrom a file\nimages 1\n")
            }
        }

        @Test("BL1 Several commands of an operation run at once, and the operation finishes when all have ended")
        func commands() async throws {
            try await withCluster { cluster in
                let (left, right) = (try cluster.gate("left"), try cluster.gate("right"))
                try cluster.write(
                    """
                    { operations: [{ name: "both", commands: [
                      ["sh", "-c", "\(left.wait); exit 4"], ["sh", "-c", "\(right.wait); \(cluster.note("right"))"]
                    ] }] }
                    """,
                    to: "graph.json5"
                )
                let job = try await cluster.submit("--file", "graph.json5")
                try await left.arrival()
                try await right.arrival()
                try await left.open()
                #expect(try await cluster.show("1/both").state == "executing")
                try await right.open()
                #expect(try await cluster.wait(job) == 1)
                #expect(cluster.notes == ["right"])
                #expect(try await cluster.show("1/both").exitStatus == 4)
            }
        }

        @Test("A submission with a used key prints the same job and adds no job")
        func key() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit("--key", "nightly", "--", "true")
                #expect(try await cluster.submit("--key", "nightly", "--", "true") == job)
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.submit("--key", "nightly", "--", "true") == "1")
                #expect(try await cluster.submit("--key", "other", "--", "true") == "2")
                #expect(try await cluster.json("list").jobs.elements.map(\.job) == [2, 1])
            }
        }
    }
}
