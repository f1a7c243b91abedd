import Testing

extension EndToEndTests {
    @Suite("Cancelling", .timeLimit(.minutes(2)))
    struct CancellationTests {
        @Test("CA2 CA3 CA8 ST10 What waits finishes at once when it is cancelled, without a slot, and never runs")
        func waiting() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let blocker = try await cluster.submit(script: gate.wait)
                try await gate.arrival()
                let ready = try await cluster.submit(script: cluster.note("ready"))
                let pending = try await cluster.submit(script: cluster.note("pending"), "--after", blocker)
                let answer = try await cluster.json("cancel", ready, "\(pending)/0")
                #expect(answer.cancelled == 2)
                for job in [ready, pending] {
                    let operation = try await cluster.show("\(job)/0")
                    #expect((operation.state, operation.outcome) == ("finished", "cancelled"))
                    #expect((operation.cancelled, operation.attempt, operation.startedAt) == (true, 0, nil))
                    #expect(try await cluster.wait(job) == 1)
                }
                #expect(try await cluster.show("\(blocker)/0").state == "executing")
                try await gate.open()
                #expect(try await cluster.wait(blocker) == 0)
                #expect(cluster.notes == [])
            }
        }

        @Test("CA4 An executing operation gets SIGTERM, and so does its whole process group")
        func processGroup() async throws {
            try await withCluster { cluster in
                let (parent, child) = (try cluster.gate("parent"), try cluster.gate("child"))
                let inner = "trap '\(cluster.note("child")); exit' TERM; echo $$; \(child.checkIn); \(Gate.awaitSignal)"
                try cluster.write(inner, to: "inner.sh")
                let job = try await cluster.submit(
                    script: "trap '\(cluster.note("parent")); wait; exit 3' TERM; sh inner.sh & \(parent.checkIn); wait"
                )
                try await parent.arrival()
                try await child.arrival()
                #expect(try await cluster.baton("cancel", job).status == 0)
                #expect(try await cluster.wait(job) == 1)
                #expect(Set(cluster.notes) == ["parent", "child"])
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.outcome, operation.cancelled, operation.reason) == ("cancelled", true, "cancelled"))
                let innermost = try await cluster.baton("log", job).line
                #expect(Int(innermost) != nil && !isAlive(innermost))
            }
        }

        @Test("CA4 What ignores SIGTERM is killed when its grace period is over, children too")
        func grace() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    script: "trap '' TERM; sleep 1000 & echo $!; \(gate.wait); \(cluster.note("survived"))",
                    "--grace",
                    "200ms"
                )
                try await gate.arrival()
                #expect(try await cluster.baton("cancel", job).status == 0)
                #expect(try await cluster.wait(job) == 1)
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.outcome, operation.signal) == ("cancelled", 9))
                #expect(cluster.notes == [])
                let innermost = try await cluster.baton("log", job).line
                #expect(Int(innermost) != nil && !isAlive(innermost))
            }
        }

        @Test("CA4 CA15 With --grace forever it is never killed, and holds its slot until it ends; its effects stand")
        func forever() async throws {
            try await withCluster { cluster in
                let (gate, asked) = (try cluster.gate("gate"), try cluster.gate("asked"))
                // The sleeping child gets SIGTERM as well, perhaps before the shell does.
                let script = """
                    trap 'asked=1' TERM; \(gate.checkIn)
                    until [ "$asked" ]; do sleep 1000 & wait; done
                    kill $!; \(asked.wait); \(cluster.note("done")); exit 0
                    """
                let job = try await cluster.submit(script: script, "--grace", "forever")
                let next = try await cluster.submit(script: cluster.note("next"))
                try await gate.arrival()
                #expect(try await cluster.baton("cancel", job).status == 0)
                try await asked.arrival()
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.state, operation.cancelled) == ("executing", true))
                #expect(try await cluster.json("explain", next).waitsFor.elements.map(\.kind) == ["slots"])
                try await asked.open()
                #expect(try await cluster.wait(next) == 0)
                #expect(cluster.notes == ["done", "next"])
                let ended = try await cluster.show("\(job)/0")
                #expect((ended.outcome, ended.cancelled, ended.exitStatus) == ("succeeded", true, 0))
            }
        }

        @Test("CA10 Dependents of a cancelled operation are not cancelled: after runs, needs and onFailure skip")
        func dependents() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                try cluster.write(
                    """
                    { operations: [
                      { name: "held", command: "\(gate.wait)" },
                      { name: "after", command: "true", after: ["held"] },
                      { name: "needs", command: "true", needs: ["held"] },
                      { name: "onFailure", command: "true", onFailure: ["held"] },
                    ] }
                    """,
                    to: "graph.json"
                )
                let job = try await cluster.submit("--file", "graph.json")
                try await gate.arrival()
                #expect(try await cluster.json("cancel", "\(job)/held").cancelled == 1)
                #expect(try await cluster.wait(job) == 1)
                let operations = try await cluster.show(job).operations.elements
                #expect(operations.map(\.outcome) == ["cancelled", "succeeded", "skipped", "skipped"])
                #expect(operations.map(\.cancelled) == [true, false, false, false])
                #expect(operations[2].message == "It needs 1/0 (held), which was cancelled.")
            }
        }

        @Test("CA6 Cancelling a queue cancels what is in it now, and nothing that comes later or lies elsewhere")
        func queue() async throws {
            try await withCluster(slots: 2) { cluster in
                let gates = [try cluster.gate("0"), try cluster.gate("1")]
                let executing = try await cluster.submit(script: gates[0].wait, "--queue", "q")
                let elsewhere = try await cluster.submit(script: gates[1].wait)
                let ready = try await cluster.submit("--queue", "q", "--array", "1-50", "--", "true")
                try await gates[0].arrival()
                try await gates[1].arrival()
                #expect(try await cluster.json("cancel", "--queue", "q").cancelled == 51)
                let later = try await cluster.submit("--queue", "q", "--", "true")
                #expect(try await cluster.wait(executing, ready) == 1)
                #expect(try await cluster.show(ready).counts.cancelled == 50)
                #expect(try await cluster.show("\(executing)/0").outcome == "cancelled")
                #expect(try await cluster.wait(later) == 0)
                try await gates[1].open()
                #expect(try await cluster.wait(elsewhere) == 0)
            }
        }

        @Test("CA1 CA9 Cancelling twice is cancelling once, and what is finished is not touched")
        func twice() async throws {
            try await withCluster(workers: 0) { cluster in
                let job = try await cluster.submit("--", "true")
                #expect(try await cluster.json("cancel", job).cancelled == 1)
                let again = try await cluster.baton("cancel", job)
                #expect((again.status, again.errors) == (0, "Job 1 is finished; cancelling it has no effect.\n"))
                #expect(try await cluster.show(job).counts.cancelled == 1)
            }
        }

        @Test("CA11 An operation may cancel its own job")
        func itself() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit(
                    script: "'\(TestCluster.program)' cancel $BATON_JOB && exec sleep 1000"
                )
                #expect(try await cluster.wait(job) == 1)
                #expect(try await cluster.show("\(job)/0").outcome == "cancelled")
            }
        }
    }
}
