import Foundation
import Testing

extension SemanticsTests {
    @Suite("Queues")
    struct Queues {
        @Test(
            "QU1 An operation that is added runs when it can, without a further request",
            arguments: ClusterShape.tested
        )
        func qu1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let blockers = try await cluster.occupy(shape.slots)
                let waiting = try await cluster.submit(script: cluster.note("waiting"), "--queue", "new")
                try await blockers.release(0...)
                #expect(try await cluster.wait(waiting) == 0)
                let free = try await cluster.submit(script: cluster.note("free"), "--queue", "new")
                #expect(try await cluster.wait(free) == 0)
                #expect(cluster.notes == ["waiting", "free"])
            }
        }

        @Test("QU3 An operation is added once, and belongs to one queue for ever", arguments: ClusterShape.tested)
        func qu3(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                // A repeated submission gives the same job, also after the job is finished, and does not move the job
                // to another queue.
                let first = try await cluster.submit(script: cluster.note("once"), "--key", "k", "--queue", "one")
                let again = try await cluster.submit(script: cluster.note("once"), "--key", "k", "--queue", "one")
                #expect(try await cluster.wait(first) == 0)
                let late = try await cluster.submit(script: cluster.note("once"), "--key", "k", "--queue", "one")
                #expect((again, late) == (first, first))
                let elsewhere = ["submit", "--key", "k", "--queue", "other", "--", "sh", "-c", cluster.note("once")]
                #expect(try await cluster.baton(elsewhere).status == 65)
                #expect(try await cluster.wait(late) == 0)
                #expect(cluster.notes == ["once"])
                #expect(try await cluster.show("\(first)/0").queue == "one")

                // Within a submission, a name is unique.
                try cluster.write(
                    """
                    { operations: [
                      { name: "same", command: "true", queue: "one" }, { name: "same", command: "true", queue: "other" },
                    ] }
                    """,
                    to: "graph.json"
                )
                let refused = try await cluster.baton("submit", "--file", "graph.json", "--json")
                #expect(refused.status == 65)
                #expect(try JSONValue(parsing: refused.errors).error.code == "duplicateName")
                #expect(try await cluster.json("list").jobs.elements.count == 1)
            }
        }

        @Test(
            "QU4 A submission with one bad operation adds nothing, and an empty submission changes nothing",
            arguments: ClusterShape.tested
        )
        func qu4(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let good = "{ command: \"\(cluster.note("ran"))\", queue: 'new' }"
                let graphs = [
                    "{ operations: [\(good), { command: 'true', timeout: 'soon' }] }",
                    "{ operations: [\(good), { command: 'true', needs: ['none'] }] }",
                    "{ operations: [\(good), { command: 'true', needs: ['77/0'] }] }",
                    "{ operations: [\(good), { command: 'true', queue: '' }] }",
                    "{ operations: [] }",
                ]
                for graph in graphs {
                    try cluster.write(graph, to: "graph.json")
                    let refused = try await cluster.baton("submit", "--file", "graph.json")
                    #expect((refused.status, refused.output) == (65, ""), "\(graph): \(refused)")
                }
                #expect(try await cluster.json("list").jobs == [])
                #expect(try await cluster.json("queue", "list").queues == [])
                #expect(try await cluster.submit("--", "true") == "1", "no number was used up")
                #expect(try await cluster.wait("1") == 0)
                #expect(cluster.notes == [])
            }
        }

        @Test("QU5 The operations of a submission start in the order of the submission", arguments: ClusterShape.tested)
        func qu5(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let blockers = try await cluster.occupy(shape.slots)
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { name: "z", command: "\(cluster.note("0"))" },
                          { array: "1-3", command: "\(cluster.note("{}"))" },
                          { name: "a", command: "\(cluster.note("4"))" },
                          { array: "5-9", command: "\(cluster.note("{}"))" },
                        ] }
                        """
                )
                try await blockers.release(0..<1)
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.notes == (0...9).map { "\($0)" })
            }
        }

        @Test(
            "QU6 A wait for a batch waits for all of the batch, and not for later operations",
            arguments: ClusterShape.tested
        )
        func qu6(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let script = "\(cluster.note("batch")); test {} != 3 || \(gate.wait)"
                let batch = try await cluster.submit(script: script, "--queue", "q", "--array", "1-3")
                try await gate.arrival()
                let later = try await cluster.submit("--queue", "q", "--hold", "--", "true")
                #expect(try await cluster.wait("\(batch)/0", "\(batch)/1") == 0)
                #expect(try await cluster.baton("wait", batch, "--timeout", "1ms").status == 124)
                let waiting = try cluster.start("wait", batch)
                try await gate.open()
                #expect(try await waiting.end() == 0)
                #expect(cluster.notes == ["batch", "batch", "batch"])
                #expect(try await cluster.show("\(later)/0").state == "pending")
            }
        }

        @Test(
            "QU7 A queue lists its waiting and executing operations in the order of addition, barriers included",
            arguments: ClusterShape.tested
        )
        func qu7(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let finished = try await cluster.submit("--queue", "q", "--", "true")
                #expect(try await cluster.wait(finished) == 0)
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", queues: { q: { maxConcurrent: 1 } }, operations: [
                          { name: "dependent", command: "true", after: ["executing"] },
                          { name: "held", command: "true", hold: true },
                          { name: "executing", command: "\(gate.wait)", priority: "high" },
                          { name: "ready", array: "1-3", command: "true" },
                          { name: "barrier", command: "true", barrier: true },
                          { name: "delayed", command: "true", delay: "1h" },
                          { name: "behind", command: "true", priority: "veryHigh" },
                        ] }
                        """
                )
                let later = try await cluster.submit("--queue", "q", "--", "true")
                try await gate.arrival()
                let all = (0..<9).map { "\(job)/\($0)" } + ["\(later)/0"]
                func listed() async throws -> [String] {
                    try await cluster.json("queue", "show", "q").operations.elements.map(\.string)
                }
                #expect(try await listed() == all)
                // The position in the list is not the position in the order of starts.
                #expect(try await cluster.json("priority", "\(later)/0", "veryHigh").changed == 1)
                #expect(try await listed() == all)
                #expect(try await cluster.json("cancel", "\(job)/held", "\(job)/delayed").cancelled == 2)
                #expect(try await listed() == all.filter { $0 != "\(job)/1" && $0 != "\(job)/7" })
                try await gate.open()
                #expect(try await cluster.wait(queue: "q") == 0)
                #expect(try await listed() == [])
            }
        }

        @Test(
            "QU8 The count of a queue is the number of its unfinished operations, at one moment",
            arguments: ClusterShape.tested
        )
        func qu8(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { array: "1-60", command: ["/bin/true"] },
                          { name: "last", command: "\(gate.wait)", after: ["held"] },
                          { name: "held", command: "true", hold: true },
                        ] }
                        """
                )
                var count = 62
                while count > 2 {
                    let queue = try await cluster.json("queue", "show", "q")
                    #expect(queue.count.int == queue.operations.elements.count)
                    #expect((2...count).contains(queue.count.int))
                    #expect((0...shape.slots).contains(queue.executing.int))
                    count = queue.count.int
                    try #require(count >= 2)
                }
                _ = try await cluster.json("release", "\(job)/held")
                try await gate.arrival()
                let last = try await cluster.json("queue", "show", "q")
                #expect((last.count, last.executing, last.operations) == (1, 1, ["\(job)/60"]))
                try await gate.open()
                #expect(try await cluster.wait(job) == 0)
                let end = try await cluster.json("queue", "show", "q")
                #expect((end.count, end.executing, end.operations) == (0, 0, []))
            }
        }

        @Test("QU9 An operation leaves its queue only by finishing", arguments: ClusterShape.tested)
        func qu9(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gates = [try cluster.gate("1"), try cluster.gate("2")]
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", queues: { q: { maxConcurrent: 0 } }, operations: [
                          { hold: true, retries: 1, retryDelay: "1ms",
                            command: "\(cluster.waitAtGate("$BATON_ATTEMPT")); test $BATON_ATTEMPT = 2" },
                        ] }
                        """
                )
                func expectListed(_ state: JSONValue) async throws {
                    let queue = try await cluster.json("queue", "show", "q")
                    #expect((queue.count, queue.operations) == (1, ["\(job)/0"]), "\(state)")
                    #expect(try await cluster.show("\(job)/0").state == state)
                }
                try await expectListed("pending")
                _ = try await cluster.json("release", job)
                try await expectListed("ready")
                _ = try await cluster.json("queue", "set", "q", "--max-concurrent", "1")
                try await gates[0].arrival()
                try await expectListed("executing")
                try await gates[0].open()
                try await gates[1].arrival()
                try await expectListed("executing")
                try await gates[1].open()
                #expect(try await cluster.wait(job) == 0)
                let queue = try await cluster.json("queue", "show", "q")
                #expect((queue.count, queue.operations) == (0, []))
            }
        }

        @Test(
            "QU10 A cancelled operation that has not finished still counts in its queue",
            arguments: ClusterShape.tested
        )
        func qu10(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    script: "trap '' TERM; \(gate.wait)",
                    "--queue",
                    "q",
                    "--grace",
                    "forever"
                )
                try await gate.arrival()
                #expect(try await cluster.json("cancel", job).cancelled == 1)
                let queue = try await cluster.json("queue", "show", "q")
                #expect((queue.count, queue.executing, queue.operations) == (1, 1, ["\(job)/0"]))
                #expect(try await cluster.show("\(job)/0").cancelled == true)
                try await gate.open()
                #expect(try await cluster.wait(job) == 1)
                #expect(try await cluster.json("queue", "show", "q").count == 0)
            }
        }

        @Test(
            "QU12 A running operation can see the queue that it is in, and itself in the queue's list",
            arguments: ClusterShape.tested
        )
        func qu12(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let script = "echo $BATON_QUEUE; '\(TestCluster.program)' queue show $BATON_QUEUE --json"
                let named = try await cluster.submit(script: script, "--queue", "images")
                let unnamed = try await cluster.submit(script: script)
                #expect(try await cluster.wait(named, unnamed) == 0)
                for (job, queue) in [(named, "images"), (unnamed, "default")] {
                    let lines = try await cluster.baton("log", job).output.split(separator: "\n", maxSplits: 1)
                    #expect(lines.first.map(String.init) == queue)
                    let document = try JSONValue(parsing: lines.last.map(String.init) ?? "")
                    #expect((document.queue, document.executing) == (.text(queue), 1))
                    #expect(document.operations == ["\(job)/0"])
                }
            }
        }

        @Test("QU13 Eighteen clients may submit, change and read at the same time", arguments: ClusterShape.tested)
        func qu13(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let shared = try await cluster.submit("--hold", "--array", "0-19", "--queue", "q", "--", "true")
                var submitting: [ChildProcess] = []
                var changing: [ChildProcess] = []
                for client in 0..<6 {
                    submitting.append(try cluster.start("submit", "--queue", "q", "--array", "1-10", "--", "true"))
                    let changes = [
                        ["cancel", "\(shared)/0", "\(shared)/\(client)"], ["priority", shared, "\(client)"],
                        ["queue", "set", "q", "--max-concurrent", "\(client + 1)"], ["queue", "show", "q"], ["list"],
                        ["depend", "\(shared)/\(client + 10)", "--after", "\(shared)/\(client + 9)"],
                    ]
                    changing.append(try cluster.start(changes[client]))
                    changing.append(try cluster.start("hold", shared))
                }
                for client in submitting + changing { #expect(try await client.end() == 0, "\(client.errorText)") }
                let jobs = submitting.map { $0.outputText.trimmingCharacters(in: .newlines) }
                #expect(Set(jobs).count == 6)
                #expect(try await cluster.baton(["wait"] + jobs).status == 0)
                for job in jobs { #expect(try await cluster.show(job).counts.succeeded == 10) }
                #expect(try await cluster.json("queue", "show", "q").count == 19)
                _ = try await cluster.json("release", shared)
                #expect(try await cluster.wait(shared) == 1)
                let counts = try await cluster.show(shared).counts
                #expect((counts.succeeded, counts.cancelled) == (19, 1))
            }
        }

        @Test("QU14 A client that goes away changes nothing", arguments: ClusterShape.tested)
        func qu14(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let run = try cluster.start("run", "--", "sh", "-c", "echo here; \(gate.wait); \(cluster.note("done"))")
                try await run.output(containing: "here")
                try await gate.arrival()
                let job = try #require(try await cluster.json("list").jobs.elements.first?.job.int)
                let waiting = try cluster.startOnTerminal("wait", "\(job)")
                try await waiting.output(containing: "0/1")
                for client in [run, waiting] {
                    client.signal(SIGKILL)
                    #expect(try await client.end() == 128 + SIGKILL)
                }
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.state, operation.cancelled) == ("executing", false))
                try await gate.open()
                #expect(try await cluster.wait("\(job)") == 0)
                #expect(cluster.notes == ["done"])
            }
        }
    }
}
