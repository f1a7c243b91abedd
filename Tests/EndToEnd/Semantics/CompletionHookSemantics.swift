import Foundation
import Testing

extension SemanticsTests {
    @Suite("Completion hooks")
    struct CompletionHooks {
        @Test("CM1 A hook runs once, after its operation is finished", arguments: ClusterShape.tested)
        func cm1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (gate, hook) = (try cluster.gate("gate"), try cluster.gate("hook"))
                let show = "\(TestCluster.baton) show $BATON_OPERATION --json > '\(cluster.home.path)/seen'"
                let job = try await cluster.submit(
                    script: "\(gate.wait); \(cluster.note("operation"))",
                    "--on-finish",
                    "\(show); \(cluster.note("hook")); \(hook.checkIn)"
                )
                try await gate.arrival()
                #expect(cluster.notes == [])
                try await gate.open()
                try await hook.open()
                let seen = try JSONValue(parsing: cluster.read("seen"))
                #expect((seen.operation.string, seen.state, seen.outcome) == ("\(job)/0", "finished", "succeeded"))
                // The hook does not run again after other hooks have run and the coordinator has restarted.
                try await cluster.restartCoordinator(with: SIGTERM)
                try await cluster.runAnotherHook()
                #expect(cluster.notes == ["operation", "hook"])
            }
        }

        @Test("CM3 A hook runs for every outcome", arguments: ClusterShape.tested)
        func cm3(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (ended, pipe) = (try cluster.gate("ended"), try cluster.gate("pipe"))
                let note = "echo $BATON_NAME $BATON_INDEX $BATON_OUTCOME > '\(pipe.path)'"
                let hooks = try cluster.collect(16, at: pipe)
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { onFinish: "\(note)" }, operations: [
                          { name: "good", command: "true" },
                          { name: "bad", command: "exit 3", retries: 1, retryDelay: "1ms" },
                          { name: "dead", command: "kill -9 $$" },
                          { name: "unlaunched", command: ["/no/such/program"] },
                          { name: "late", command: "sleep 1000", timeout: "2s" },
                          { name: "ended", command: "\(ended.wait)" },
                          { name: "waiting", command: "true", hold: true },
                          { name: "skipped", command: "true", needs: ["bad"] },
                          { name: "array", command: "exit {}", array: "0-2" },
                          { name: "arraySkipped", command: "true", array: "0-1", needs: ["bad"] },
                          { name: "arrayCancelled", command: "true", array: "0-1", cancelled: true },
                          { name: "argv", command: "true", onFinish: ["sh", "-c", "\(note)"] },
                        ] }
                        """
                )
                try await ended.arrival()
                try await cluster.change("cancel", "\(job)/ended", "\(job)/waiting", count: 2)
                #expect(try await cluster.wait(job) == 1)
                try await hooks.end()
                let expected = [
                    "good succeeded", "bad failed", "dead failed", "unlaunched failed", "late failed",
                    "ended cancelled", "waiting cancelled", "skipped skipped", "array 0 succeeded", "array 1 failed",
                    "array 2 failed", "arraySkipped 0 skipped", "arraySkipped 1 skipped", "arrayCancelled 0 cancelled",
                    "arrayCancelled 1 cancelled", "argv succeeded",
                ]
                #expect(hooks.outputText.split(separator: "\n").map(String.init).sorted() == expected.sorted())
            }
        }

        @Test(
            "CM4 A hook is set with its operation, and a submission with the same key and another hook is refused",
            arguments: ClusterShape.tested
        )
        func cm4(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let hook = try cluster.gate()
                let job = try await cluster.submit(
                    "--key",
                    "k",
                    "--on-finish",
                    "\(cluster.note("first")); \(hook.checkIn)",
                    "--",
                    "true"
                )
                try await hook.open()
                #expect(try await cluster.show("\(job)/0").onFinish != nil)
                func submitLate(under key: String) async throws -> Int32 {
                    let late = ["--on-finish", cluster.note("late")]
                    return try await cluster.baton(["submit", "--key", key] + late + ["--", "true"]).status
                }
                #expect(try await submitLate(under: "k") == 65)
                let without = try await cluster.submit("--key", "none", "--", "true")
                #expect(try await cluster.wait(without) == 0)
                #expect(try await cluster.show("\(without)/0").onFinish == nil)
                #expect(try await submitLate(under: "none") == 65)
                try await cluster.runAnotherHook()
                #expect(cluster.notes == ["first"])
            }
        }

        @Test("CM5 Dependents do not wait for a hook, which takes no slot", arguments: ClusterShape.tested)
        func cm5(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (hook, over) = (try cluster.gate("hook"), try cluster.gate("over"))
                let script = "\(hook.wait); \(cluster.note("hook")); \(over.checkIn)"
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "first", command: "true", onFinish: "\(script)" },
                          { name: "after", command: "\(cluster.note("after"))", after: ["first"] },
                          { name: "needs", command: "\(cluster.note("needs"))", needs: ["after"] },
                        ] }
                        """
                )
                try await hook.arrival()
                #expect(try await cluster.wait("\(job)/after", "\(job)/needs") == 0)
                // The hook does not take a slot either.
                try await cluster.useAllSlots(of: shape)
                #expect(cluster.notes == ["after", "needs"])
                try await hook.open()
                try await over.open()
                #expect(cluster.notes == ["after", "needs", "hook"])
            }
        }

        @Test("CM6 A wait does not wait for a hook", arguments: ClusterShape.tested)
        func cm6(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (gate, hook, over) = (try cluster.gate(), try cluster.gate(), try cluster.gate())
                let job = try await cluster.submit(
                    script: gate.wait,
                    "--queue",
                    "q",
                    "--on-finish",
                    "\(hook.wait); \(cluster.note("hook")); \(over.checkIn)"
                )
                try await gate.arrival()
                let waiting = [try cluster.start("wait", job), try cluster.start("wait", "--queue", "q")]
                try await gate.open()
                try await hook.arrival()
                for process in waiting { #expect(try await process.end() == 0) }
                #expect(try await cluster.wait("\(job)/0") == 0)
                #expect(try await cluster.json("queue", "show", "q").count == 0)
                #expect(cluster.notes == [])
                try await hook.open()
                try await over.open()
                #expect(cluster.notes == ["hook"])
            }
        }

        @Test("CM7 A wait inside a hook for the hook's own operation returns at once", arguments: ClusterShape.tested)
        func cm7(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let hook = try cluster.gate()
                let good = try await cluster.submit(
                    "--on-finish",
                    "\(cluster.wait(for: "$BATON_OPERATION", as: "good")); \(hook.checkIn)",
                    "--",
                    "true"
                )
                try await hook.open()
                #expect(try cluster.ended("good").status == "0")
                let bad = try await cluster.submit(
                    "--on-finish",
                    "\(cluster.wait(for: "$BATON_JOB $BATON_OPERATION", as: "bad")); \(hook.checkIn)",
                    "--",
                    "false"
                )
                try await hook.open()
                #expect(try cluster.ended("bad").status == "1")
                #expect(try await cluster.outcomes(of: good) == ["succeeded"])
                #expect(try await cluster.outcomes(of: bad) == ["failed"])
            }
        }

        @Test("CM8 A hook of an operation with several commands runs after all of them", arguments: ClusterShape.tested)
        func cm8(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (left, right) = (try cluster.gate("left"), try cluster.gate("right"))
                let hook = try cluster.gate("hook")
                let job = try await cluster.submit(
                    graph: """
                        { operations: [{
                          commands: [
                            ["sh", "-c", "\(cluster.note("left")); \(left.wait); exit 4"],
                            ["sh", "-c", "\(right.wait); \(cluster.note("right"))"],
                          ],
                          onFinish: "\(cluster.note("hook")); \(hook.checkIn)",
                        }] }
                        """
                )
                try await left.open()
                try await right.arrival()
                let other = try cluster.gate("other")
                let later = try await cluster.submit(
                    "--hold",
                    "--on-finish",
                    "\(cluster.note("other")); \(other.checkIn)",
                    "--",
                    "true"
                )
                // A later hook of another operation runs meanwhile.
                try await cluster.change("cancel", later, count: 1)
                try await other.open()
                try await right.open()
                try await hook.open()
                #expect(try await cluster.wait(job) == 1)
                #expect(cluster.notes == ["left", "other", "right", "hook"])
            }
        }

        @Test(
            "CM9 A hook never changes the outcome, and gets the operation, the attempt and the outcome",
            arguments: ClusterShape.tested
        )
        func cm9(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let hook = try cluster.gate()
                let words = "$BATON_JOB $BATON_OPERATION $BATON_NAME $BATON_QUEUE $BATON_ATTEMPT $BATON_OUTCOME $COLOUR"
                let job = try await cluster.submit(
                    "--name",
                    "bad",
                    "--queue",
                    "q",
                    "--env",
                    "COLOUR=dark red",
                    "--retries",
                    "2",
                    "--retry-delay",
                    "1ms",
                    "--on-finish",
                    "echo \(words) >> '\(cluster.home.path)/notes'; \(hook.checkIn); exit 0",
                    "--",
                    "false"
                )
                try await hook.open()
                let good = try await cluster.submit("--on-finish", "\(hook.checkIn); kill -9 $$", "--", "true")
                try await hook.open()
                try await cluster.runAnotherHook()
                #expect(cluster.notes == ["\(job) \(job)/0 bad q 3 failed dark red"])
                let failed = try await cluster.show("\(job)/0")
                #expect((failed.outcome, failed.attempt, failed.exitStatus) == ("failed", 3, 1))
                let succeeded = try await cluster.show("\(good)/0")
                #expect((succeeded.outcome, succeeded.attempt, succeeded.signal) == ("succeeded", 1, nil))
                // A hook that fails is over: it does not run again.
                #expect(try await cluster.wait(job, good) == 1)
            }
        }

        @Test(
            "CM9 A hook runs again if its worker is lost before the hook ends",
            arguments: ClusterShape.tested
        )
        func cm9Lost(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (hook, over) = (try cluster.gate("hook"), try cluster.gate("over"))
                let note = "echo $BATON_OPERATION $BATON_ATTEMPT $BATON_OUTCOME >> notes"
                let job = try await cluster.submit(
                    "--on-finish",
                    "\(note); \(hook.wait); \(cluster.note("over")); \(over.checkIn)",
                    "--",
                    "true"
                )
                try await hook.arrival()
                let name = try await cluster.show("\(job)/0").worker.string
                cluster.workers[name]?.signal(SIGKILL)
                try await cluster.workers[name]?.end()
                hook.reset()
                try await cluster.startWorker(name, slots: shape.slotsOfEach)
                try await hook.open()
                try await over.open()
                #expect(cluster.notes == ["\(job)/0 1 succeeded", "\(job)/0 1 succeeded", "over"])
                #expect(try await cluster.outcomes(of: job) == ["succeeded"])
            }
        }

        @Test(
            "CM9 A hook that runs or waits for a worker survives a kill of the coordinator",
            arguments: ClusterShape.tested
        )
        func cm9Restart(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let (running, waiting) = (try cluster.gate("running"), try cluster.gate("waiting"))
                let over = try cluster.gate("over")
                let job = try await cluster.submit(
                    "--on-finish",
                    "\(running.wait); \(cluster.note("running")); \(over.checkIn)",
                    "--",
                    "true"
                )
                try await running.arrival()
                // From now on the record on disk says that the operation is finished.
                #expect(try await cluster.wait(job) == 0)
                try await cluster.restartCoordinator(with: SIGKILL)
                #expect(try await cluster.wait(job) == 0)
                try await running.open()
                try await over.open()
                #expect(cluster.notes == ["running"])

                for worker in cluster.workers.values { worker.signal(SIGTERM) }
                for worker in cluster.workers.values { try await worker.end() }
                let late = try await cluster.submit(
                    "--hold",
                    "--on-finish",
                    "\(cluster.note("waiting")); \(waiting.checkIn)",
                    "--",
                    "true"
                )
                try await cluster.change("cancel", late, count: 1)
                try await cluster.restartCoordinator(with: SIGKILL)
                try await cluster.startWorker("w1", slots: shape.slotsOfEach)
                try await waiting.open()
                try await cluster.runAnotherHook()
                #expect(cluster.notes == ["running", "waiting"])
            }
        }
    }
}
