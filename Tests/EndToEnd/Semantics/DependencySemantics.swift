import Foundation
import Testing

extension SemanticsTests {
    @Suite("Dependencies")
    struct Dependencies {
        @Test("DE1 A dependent starts only once its dependency is finished", arguments: ClusterShape.tested)
        func de1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let look = "'\(TestCluster.program)' show $BATON_JOB/first --json > seen"
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "first", command: "\(gate.wait); \(cluster.note("first"))" },
                          { name: "second", command: "\(look); \(cluster.note("second"))", after: ["first"] },
                        ] }
                        """
                )
                try await gate.arrival()
                #expect(try await cluster.show("\(job)/second").state == "pending")
                try await gate.open()
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.notes == ["first", "second"])
                #expect(try JSONValue(parsing: cluster.read("seen")).state == "finished")
            }
        }

        @Test(
            "DE2 A dependent of several operations and of an array starts only once the last is finished",
            arguments: ClusterShape.tested
        )
        func de2(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gates = try (0..<4).map { try cluster.gate("\($0)") }
                let wait = cluster.waitAtGate("{}")
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "join", command: "\(cluster.note("join"))", after: ["each", "last"] },
                          { name: "each", command: "\(wait); \(cluster.note("{}"))", array: "0-2" },
                          { name: "last", command: "\(gates[3].wait); \(cluster.note("3"))" },
                        ] }
                        """
                )
                for (index, gate) in gates.enumerated() {
                    try await gate.arrival()
                    #expect(try await cluster.show("\(job)/join").state == "pending")
                    try await gate.open()
                    #expect(try await cluster.wait("\(job)/\(index + 1)") == 0)
                }
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.notes == ["0", "1", "2", "3", "join"])
            }
        }

        @Test(
            "DE3 An operation that waits for a later operation occupies no slot, within a job and across jobs",
            arguments: ClusterShape.tested
        )
        func de3(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { queue: "serial", queues: { serial: { maxConcurrent: 1 } }, operations: [
                          { name: "second", command: "\(cluster.note("second"))", after: ["first"] },
                          { name: "first", command: "\(cluster.note("first"))" },
                        ] }
                        """
                )
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.notes == ["first", "second"])

                let gate = try cluster.gate()
                let late = try await cluster.submit(script: cluster.note("late"), "--queue", "serial", "--hold")
                let early = try await cluster.submit(
                    script: "\(gate.wait); \(cluster.note("early"))",
                    "--queue",
                    "serial"
                )
                #expect(try await cluster.json("depend", "\(late)/0", "--after", "\(early)/0").changed == 1)
                #expect(try await cluster.json("release", late).changed == 1)
                try await gate.arrival()
                #expect(try await cluster.show("\(late)/0").state == "pending")
                try await gate.open()
                #expect(try await cluster.wait(late, early) == 0)
                #expect(cluster.notes == ["first", "second", "early", "late"])
            }
        }

        @Test("DE5 A dependency may lie in another queue and in another job", arguments: ClusterShape.tested)
        func de5(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let early = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "gated", command: "\(gate.wait); \(cluster.note("gated"))", queue: "other" },
                          { name: "next", command: "\(cluster.note("next"))", after: ["gated"] },
                        ] }
                        """
                )
                let late = try await cluster.submit(
                    graph: """
                        { queue: "third", operations: [
                          { name: "one", command: "\(cluster.note("one"))", after: ["\(early)/gated"] },
                          { name: "all", command: "\(cluster.note("all"))", needs: ["\(early)/*", "one"] },
                        ] }
                        """
                )
                try await gate.arrival()
                #expect(try await cluster.outcomes(of: late) == ["pending", "pending"])
                try await gate.open()
                #expect(try await cluster.wait(early, late) == 0)
                #expect((cluster.notes.first, cluster.notes.last) == ("gated", "all"))
                let dependencies = try await cluster.show("\(late)/all").dependencies.elements
                #expect(Set(dependencies.map(\.operation)) == [.text(early), "\(late)/0"])
            }
        }

        @Test(
            "DE6 A dependency that is already finished when it is added does not block, and is listed",
            arguments: ClusterShape.tested
        )
        func de6(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let early = try await cluster.submit("--", "true")
                #expect(try await cluster.wait(early) == 0)
                let submitted = try await cluster.submit("--needs", "\(early)/0", "--", "true")
                #expect(try await cluster.wait(submitted) == 0)
                let added = try await cluster.submit("--hold", "--", "true")
                #expect(try await cluster.json("depend", "\(added)/0", "--needs", "\(early)/0").changed == 1)
                _ = try await cluster.json("release", added)
                #expect(try await cluster.wait(added) == 0)
                for job in [submitted, added] {
                    let dependencies = try await cluster.show("\(job)/0").dependencies
                    #expect(
                        try dependencies == JSONValue(parsing: #"[{"operation":"\#(early)/0","condition":"success"}]"#)
                    )
                }
            }
        }

        @Test("DE7 A plain dependent runs after a failed or cancelled dependency", arguments: ClusterShape.tested)
        func de7(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "bad", command: "exit 3" },
                          { name: "ended", command: "\(gate.wait)" },
                          { name: "afterBad", command: "true", after: ["bad"] },
                          { name: "afterEnded", command: "true", after: ["ended"] },
                        ] }
                        """
                )
                try await gate.arrival()
                #expect(try await cluster.json("cancel", "\(job)/ended").cancelled == 1)
                #expect(try await cluster.wait(job) == 1)
                #expect(try await cluster.outcomes(of: job) == ["failed", "cancelled", "succeeded", "succeeded"])
            }
        }

        @Test(
            "DE9 Dependents by needs run on success and by onFailure on failure, and all others are skipped with a reason",
            arguments: ClusterShape.tested
        )
        func de9(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { queues: { shut: { maxConcurrent: 0 } }, operations: [
                          { name: "good", command: "true" },
                          { name: "bad", command: "\(cluster.note("bad")); exit 3", retries: 1, retryDelay: "1ms" },
                          { name: "ended", command: "true", queue: "shut" },
                          { name: "needsGood", command: "true", needs: ["good"] },
                          { name: "needsBad", command: "true", needs: ["bad"] },
                          { name: "needsEnded", command: "true", needs: ["ended"] },
                          { name: "needsSkipped", command: "true", needs: ["needsBad"] },
                          { name: "afterSkipped", command: "true", after: ["needsBad"] },
                          { name: "onBad", command: "\(cluster.note("onBad"))", onFailure: ["bad"] },
                          { name: "onGood", command: "true", onFailure: ["good"] },
                          { name: "onEnded", command: "true", onFailure: ["ended"] },
                          { name: "onSkipped", command: "true", onFailure: ["needsBad"] },
                          { name: "slow", command: "\(gate.wait)", after: ["onBad", "needsGood", "afterSkipped"] },
                          { name: "early", command: "true", needs: ["slow", "bad"] },
                        ] }
                        """
                )
                #expect(try await cluster.json("cancel", "\(job)/ended").cancelled == 1)
                try await gate.arrival()
                let outcomes = try await cluster.show(job).operations.elements.map { operation in
                    "\(operation.name.string) \(operation.outcome.string)"
                }
                #expect(
                    outcomes == [
                        "good succeeded", "bad failed", "ended cancelled", "needsGood succeeded", "needsBad skipped",
                        "needsEnded skipped", "needsSkipped skipped", "afterSkipped succeeded", "onBad succeeded",
                        "onGood skipped", "onEnded skipped", "onSkipped succeeded", "slow ", "early skipped",
                    ]
                )
                #expect(cluster.notes == ["bad", "bad", "onBad"], "a failure counts after its retries")
                let messages = [
                    "needsBad": "It needs \(job)/1 (bad), which failed.",
                    "needsEnded": "It needs \(job)/2 (ended), which was cancelled.",
                    "needsSkipped": "It needs \(job)/4 (needsBad), which was skipped because of \(job)/1.",
                    "onGood": "It runs only on the failure of \(job)/0 (good), which succeeded.",
                    "early": "It needs \(job)/1 (bad), which failed.",
                ]
                for operation in try await cluster.show(job).operations.elements where operation.outcome == "skipped" {
                    let reason: JSONValue = operation.name == "onGood" ? "notNeeded" : "dependency"
                    #expect((operation.reason, operation.startedAt) == (reason, nil))
                    if let message = messages[operation.name.string] { #expect(operation.message == .text(message)) }
                }
                try await gate.open()
                #expect(try await cluster.wait(job) == 1)
            }
        }

        @Test(
            "DE10 The list of dependencies keeps finished operations until they are removed",
            arguments: ClusterShape.tested
        )
        func de10(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "finished", command: "true" },
                          { name: "executing", command: "\(gate.wait)", after: ["finished"] },
                          { name: "late", command: "true", after: ["finished", "executing"] },
                        ] }
                        """
                )
                func dependencies() async throws -> [JSONValue] {
                    try await cluster.show("\(job)/late").dependencies.elements.map(\.operation)
                }
                try await gate.arrival()
                #expect(try await dependencies() == ["\(job)/0", "\(job)/1"])
                #expect(try await cluster.json("undepend", "\(job)/late", "\(job)/finished").changed == 1)
                #expect(try await dependencies() == ["\(job)/1"])
                try await gate.open()
                #expect(try await cluster.wait(job) == 0)
                #expect(try await dependencies() == ["\(job)/1"])
            }
        }

        @Test(
            "DE11 A dependency that is added twice is listed once, and one removal is enough",
            arguments: ClusterShape.tested
        )
        func de11(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "held", command: "true", hold: true },
                          { name: "late", command: "true", after: ["held", "held"] },
                        ] }
                        """
                )
                #expect(try await cluster.json("depend", "\(job)/late", "--after", "\(job)/held").changed == 0)
                #expect(try await cluster.show("\(job)/late").dependencies.elements.map(\.operation) == ["\(job)/0"])
                // One removal is enough.
                #expect(try await cluster.json("undepend", "\(job)/late", "\(job)/held").changed == 1)
                #expect(try await cluster.wait("\(job)/late") == 0)
                #expect(try await cluster.show("\(job)/held").state == "pending")
            }
        }

        @Test(
            "DE12 The removal of a missing dependency has no effect and is no error",
            arguments: ClusterShape.tested
        )
        func de12(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { hold: true }, operations: [
                          { name: "first", command: "true" },
                          { name: "other", command: "true" },
                          { name: "late", command: "true", after: ["first"] },
                        ] }
                        """
                )
                let before = try await cluster.show(job)
                #expect(try await cluster.json("undepend", "\(job)/late", "\(job)/other").changed == 0)
                #expect(try await cluster.show(job) == before)
            }
        }

        @Test(
            "DE13 The removal of the last unfinished dependency makes an operation ready",
            arguments: ClusterShape.tested
        )
        func de13(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "finished", command: "true" },
                          { name: "held0", command: "true", hold: true },
                          { name: "held1", command: "true", hold: true },
                          { name: "late", command: "true", after: ["finished", "held0"], needs: ["held1"] },
                        ] }
                        """
                )
                #expect(try await cluster.wait("\(job)/finished") == 0)
                #expect(try await cluster.json("undepend", "\(job)/late", "\(job)/held0").changed == 1)
                #expect(try await cluster.show("\(job)/late").state == "pending")
                #expect(try await cluster.json("undepend", "\(job)/late", "\(job)/held1").changed == 1)
                #expect(try await cluster.wait("\(job)/late") == 0)
                #expect(try await cluster.outcomes(of: job) == ["succeeded", "pending", "pending", "succeeded"])
            }
        }

        @Test(
            "DE14 A ready operation that gets an unfinished dependency is pending again, also when it was prefetched",
            arguments: ClusterShape.tested
        )
        func de14(_ shape: ClusterShape) async throws {
            for sendAhead in ["0", "4"] {
                try await withCluster(shape, coordinator: ["--send-ahead", sendAhead]) { cluster in
                    let blockers = try await cluster.occupy(shape.slots)
                    let held = try await cluster.submit(script: cluster.note("held"), "--hold")
                    let late = try await cluster.submit(script: cluster.note("late"))
                    #expect(try await cluster.show("\(late)/0").state == "ready")
                    if sendAhead != "0" { try await cluster.requireSentAhead(late) }
                    let report = try await cluster.json("depend", "\(late)/0", "--after", "\(held)/0")
                    #expect((report.changed, report.unanswered) == (1, []))
                    #expect(try await cluster.show("\(late)/0").state == "pending")
                    try await blockers.release(0...)
                    // As many operations as slots, so that each worker starts an operation after all earlier
                    // operations.
                    let others = try await cluster.submit("--array", "1-\(shape.slots)", "--", "true")
                    #expect(try await cluster.wait(blockers.job, others) == 0)
                    #expect(cluster.notes == [])
                    _ = try await cluster.json("release", held)
                    #expect(try await cluster.wait(late) == 0)
                    #expect(cluster.notes == ["held", "late"])
                    #expect(try await cluster.show("\(late)/0").attempt == 1)
                }
            }
        }

        @Test(
            "DE15 A dependency that is added to an executing or finished operation has no effect, and the reply says so",
            arguments: ClusterShape.tested
        )
        func de15(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let held = try await cluster.submit("--hold", "--", "true")
                let finished = try await cluster.submit("--", "true")
                #expect(try await cluster.wait(finished) == 0)
                let executing = try await cluster.submit(script: gate.wait)
                try await gate.arrival()
                for job in [executing, finished] {
                    let before = try await cluster.show("\(job)/0")
                    let report = try await cluster.json("depend", "\(job)/0", "--after", held)
                    #expect(report.changed == 0)
                    #expect(report.notes.elements.count == 1)
                    #expect(report.notes.elements.first?.string.contains("\(job)/0") == true, "\(report)")
                    #expect(report.notes.elements.first?.string.contains("no effect") == true, "\(report)")
                    #expect(try await cluster.show("\(job)/0") == before)
                }
                let text = try await cluster.baton("depend", "\(executing)/0", "--after", held)
                #expect((text.status, text.output) == (0, ""))
                #expect(text.errors.contains("no effect"), "\(text)")
                try await gate.open()
                #expect(try await cluster.wait(executing) == 0)
                #expect(try await cluster.show("\(executing)/0").attempt == 1)
            }
        }

        @Test(
            "DE16 DE18 A dependency cycle and a self-dependency are refused with their paths, and nothing of them is kept",
            arguments: ClusterShape.tested
        )
        func de16(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                /// The path in the error of a refused command, from an operation back to the same operation.
                func path(_ arguments: String...) async throws -> [String] {
                    let text = try await cluster.baton(arguments)
                    #expect((text.status, text.output) == (65, ""), "\(arguments): \(text)")
                    let json = try await cluster.baton(arguments + ["--json"])
                    let error = try JSONValue(parsing: json.errors).error
                    #expect(error.code == "cycle")
                    let path = error.path.elements.map(\.string)
                    #expect(text.errors.contains(path.joined(separator: " -> ")), "\(arguments): \(text)")
                    return path
                }

                try cluster.write(
                    """
                    { queue: "new", operations: [
                      { name: "a", command: "true", after: ["c"] },
                      { name: "free", command: "true" },
                      { name: "b", command: "true", needs: ["a", "free"] },
                      { name: "c", command: "true", onFailure: ["b"] },
                    ] }
                    """,
                    to: "cycle.json"
                )
                #expect(try await path("submit", "--file", "cycle.json") == ["a", "c", "b", "a"])
                try cluster.write(#"{ operations: [{ name: "a", command: "true", needs: ["a"] }] }"#, to: "self.json")
                #expect(try await path("submit", "--file", "self.json") == ["a", "a"])
                #expect(try await cluster.json("list").jobs == [])
                #expect(try await cluster.json("queue", "list").queues == [])

                let job = try await cluster.submit(
                    graph: """
                        { defaults: { hold: true }, operations: [
                          { name: "free", command: "true" },
                          { name: "a", command: "true" },
                          { name: "b", command: "true", after: ["a"] },
                          { name: "c", command: "true", needs: ["b"] },
                        ] }
                        """
                )
                let before = try await cluster.show(job)
                let (a, c, free) = ("\(job)/a", "\(job)/c", "\(job)/free")
                let added = try await path("depend", a, "--after", free, "--needs", c)
                #expect(added.count == 4 && added.first == added.last, "\(added)")
                let itself = try await path("depend", a, "--after", free, "--after", a)
                #expect(itself.count == 2 && itself.first == itself.last, "\(itself)")
                #expect(try await path("depend", a, "--after", job).count >= 2, "its own job includes it")
                #expect(try await cluster.show(job) == before)
                #expect(try await cluster.json("release", "\(job)/1", "\(job)/2", "\(job)/3").changed == 3)
                #expect(try await cluster.wait(c) == 0)
            }
        }

        @Test(
            "DE19 A chain of 300 operations completes in order, and so do 300 dependents of its end",
            arguments: ClusterShape.tested
        )
        func de19(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let length = 300
                let chain = (1..<length).map { "{ name: 'c\($0)', kind: 'noop', after: ['c\($0 - 1)'] }," }
                let fan = (0..<length).map { _ in "{ kind: 'noop', needs: ['c\(length - 1)'] }," }
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: 'c0', kind: 'noop' },
                          \((chain + fan).joined(separator: "\n"))
                        ] }
                        """
                )
                #expect(try await cluster.wait(job) == 0)
                let operations = try await cluster.show(job).operations.elements
                #expect(operations.map(\.outcome) == Array(repeating: "succeeded", count: 2 * length))
                let links = operations[..<length]
                #expect(zip(links, links.dropFirst()).allSatisfy { $1.readyAt.string >= $0.finishedAt.string })
                let last = operations[length - 1].finishedAt.string
                #expect(operations[length...].allSatisfy { $0.readyAt.string >= last })
            }
        }

        @Test(
            "DE20 A dependent reads the results of its dependencies, and finds no file of a dependency without a result",
            arguments: ClusterShape.tested
        )
        func de20(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let early = try await cluster.submit(script: "printf early > $BATON_RESULT", "--name", "early")
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "a", command: "printf one > $BATON_RESULT" },
                          { name: "b", command: "printf two > $BATON_RESULT" },
                          { name: "none", command: "true" },
                          { name: "failed", command: "printf partial > $BATON_RESULT; exit 1" },
                          { name: "list", array: "1-2", command: "printf {} > $BATON_RESULT" },
                          { name: "join", needs: ["a", "b", "none", "list", "\(early)/early"], after: ["failed"],
                            command: "cd $BATON_INPUTS && for file in *; do echo $file: $(cat $file); done" },
                          { name: "lone", command: "test -d $BATON_INPUTS && ls -A $BATON_INPUTS" },
                        ] }
                        """
                )
                #expect(try await cluster.wait("\(job)/join", "\(job)/lone") == 0)
                #expect(
                    try await cluster.baton("log", "\(job)/join").output
                        == "a: one\nb: two\nearly: early\nlist.1: 1\nlist.2: 2\n"
                )
                #expect(try await cluster.baton("log", "\(job)/lone").output == "")
                #expect(try await cluster.baton("result", "\(job)/none", "--json").status == 66)
                #expect(
                    try await cluster.show(job).operations.elements.map(\.hasResult)
                        == [true, true, false, false, true, true, false, false]
                )
            }
        }

        @Test(
            "DE20 With keepResult always, dependents read what an operation left that failed or was cancelled",
            arguments: ClusterShape.tested
        )
        func de20Kept(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { keepResult: "always" }, operations: [
                          { name: "test", array: "1-3", command: "echo report {} > $BATON_RESULT; test {} != 2" },
                          { name: "lost", command: "echo part > $BATON_RESULT; exit 1", keepResult: "onSuccess" },
                          { name: "merge", after: ["test", "lost"], command: "cd $BATON_INPUTS && cat * && ls" },
                          { name: "alarm", onFailure: ["test/2"], command: "cat $BATON_INPUTS/test.2" },
                        ] }
                        """
                )
                #expect(try await cluster.wait("\(job)/merge", "\(job)/alarm") == 0)
                #expect(
                    try await cluster.baton("log", "\(job)/merge").output
                        == "report 1\nreport 2\nreport 3\ntest.1\ntest.2\ntest.3\n"
                )
                #expect(try await cluster.baton("log", "\(job)/alarm").output == "report 2\n")
                #expect(try await cluster.wait(job) == 1)
                #expect(try await cluster.baton("result", "\(job)/1").output == "report 2\n")
                let all = try await cluster.baton("result", "\(job)/test", "--all", "--no-prefix")
                #expect((all.status, all.output) == (0, "report 1\nreport 2\nreport 3\n"), "\(all)")

                let gate = try cluster.gate()
                let cancelled = try await cluster.submit(
                    script: "echo half > $BATON_RESULT; \(gate.checkIn); \(Gate.awaitSignal)",
                    "--keep-result",
                    "always"
                )
                try await gate.arrival()
                try await cluster.change("cancel", cancelled, count: 1)
                #expect(try await cluster.wait(cancelled) == 1)
                #expect(try await cluster.baton("result", cancelled).output == "half\n")
            }
        }

        @Test(
            "DE20 With inputNames item, the results of elements are called by their items",
            arguments: ClusterShape.tested
        )
        func de20ByItem(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "test", each: ["unit", "end to end"], command: "echo {} > $BATON_RESULT" },
                          { name: "items", needs: ["test"], inputNames: "item", command: "ls $BATON_INPUTS" },
                          { name: "numbers", needs: ["test"], command: "ls $BATON_INPUTS" },
                        ] }
                        """
                )
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.baton("log", "\(job)/items").output == "test.end to end\ntest.unit\n")
                #expect(try await cluster.baton("log", "\(job)/numbers").output == "test.0\ntest.1\n")
            }
        }

        @Test(
            "DE21 CO8 Held, delayed and dependent operations occupy no slot, and still count as in their queue",
            arguments: ClusterShape.tested
        )
        func de21(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { queue: "serial", queues: { serial: { maxConcurrent: 1 } }, operations: [
                          { name: "held", command: "\(cluster.note("held"))", hold: true, priority: "high" },
                          { name: "delayed", command: "\(cluster.note("delayed"))", delay: "1h" },
                          { name: "dependent", command: "\(cluster.note("dependent"))", after: ["held"] },
                          { name: "free", array: "1-\(shape.slots + 1)", command: "true" },
                        ] }
                        """
                )
                for index in 0...shape.slots { #expect(try await cluster.wait("\(job)/\(3 + index)") == 0) }
                let queue = try await cluster.json("queue", "show", "serial")
                #expect((queue.count, queue.executing) == (3, 0))
                #expect(queue.operations == ["\(job)/0", "\(job)/1", "\(job)/2"])
                for (name, kind) in [("held", "hold"), ("delayed", "delay"), ("dependent", "dependency")] {
                    let explanation = try await cluster.json("explain", "\(job)/\(name)")
                    #expect(explanation.state == "pending")
                    #expect(explanation.waitsFor.elements.map(\.kind.string) == [kind])
                }
                #expect(try await cluster.json("release", "\(job)/held").changed == 1)
                #expect(try await cluster.wait("\(job)/dependent") == 0)
                #expect(cluster.notes == ["held", "dependent"])

                // A delay ends by itself, and not early.
                let delayed = try await cluster.submit("--delay", "200ms", "--queue", "serial", "--", "true")
                #expect(try await cluster.wait(delayed) == 0)
                let operation = try await cluster.show("\(delayed)/0")
                let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
                let (from, to) = (operation.submittedAt.string, operation.startedAt.string)
                // The record rounds each of its times down.
                #expect(try style.parse(to).timeIntervalSince(style.parse(from)) > 0.198, "\(operation)")
            }
        }

        @Test(
            "DE22 An operation that is not ready blocks no other operation, whatever its priority",
            arguments: ClusterShape.tested
        )
        func de22(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let blockers = try await cluster.occupy(shape.slots)
                let job = try await cluster.submit(
                    graph: """
                        { queue: "serial", queues: { serial: { maxConcurrent: 1 } }, defaults: { priority: "veryHigh" },
                          operations: [
                          { name: "dependent", command: "\(cluster.note("dependent"))", needs: ["low"] },
                          { name: "held", command: "\(cluster.note("held"))", hold: true },
                          { name: "delayed", command: "\(cluster.note("delayed"))", delay: "1h" },
                          { name: "lowest", command: "\(cluster.note("lowest"))", priority: "veryLow" },
                          { name: "low", command: "\(cluster.note("low"))", priority: "low" },
                        ] }
                        """
                )
                try await blockers.release(0..<1)
                #expect(try await cluster.wait("\(job)/dependent", "\(job)/low", "\(job)/lowest") == 0)
                #expect(cluster.notes == ["low", "dependent", "lowest"])
            }
        }

        @Test(
            "DE23 No wake-up is lost while operations finish and dependencies are added at the same time",
            arguments: ClusterShape.tested
        )
        func de23(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let clients = 6
                let held = try await cluster.submit("--hold", "--array", "0-\(clients - 1)", "--", "true")
                let early = try await cluster.submit("--array", "0-149", "--", "/bin/true")
                var submitting: [ChildProcess] = []
                var adding: [ChildProcess] = []
                for client in 0..<clients {
                    let (one, other) = ("\(early)/\(client * 9)", "\(early)/\(client * 17 + 40)")
                    submitting.append(try cluster.start("submit", "--after", one, "--needs", other, "--", "true"))
                    adding.append(try cluster.start("depend", "\(held)/\(client)", "--after", other, "--needs", one))
                }
                let whole = try await cluster.submit("--needs", early, "--", "true")
                for client in submitting + adding { #expect(try await client.end() == 0, "\(client.errorText)") }
                #expect(try await cluster.json("release", held).changed == .number(Double(clients)))
                let late = submitting.map { $0.outputText.trimmingCharacters(in: .newlines) }
                #expect(try await cluster.baton(["wait", early, held, whole] + late).status == 0)
            }
        }
    }
}
