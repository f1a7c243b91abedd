import Foundation
import Testing

/// Workers that are drained, stopped, or leave of their own accord.
@Suite("Draining and leaving", .timeLimit(.minutes(60)))
struct DrainTests {
    private func worker(_ name: String, in cluster: TestCluster) async throws -> JSONValue {
        try await cluster.json("workers").workers.elements.first { $0.worker.string == name } ?? .null
    }

    @Test("A drain waits for what runs, over a kill of the coordinator; what waited starts after undrain")
    func drain() async throws {
        try await withCluster { cluster in
            let gate = try cluster.gate()
            let running = try await cluster.submit(script: gate.wait)
            try await gate.arrival()
            try await cluster.change("drain", "w1", count: 1)
            let waiting = try await cluster.submit(script: cluster.note("waited"))
            let shown = try await worker("w1", in: cluster)
            #expect((shown.state, shown.draining, shown.executing) == ("draining", true, 1))
            #expect(!shown.drainedAt.string.isEmpty && !shown.drainedBy.string.isEmpty)
            let reason = try await cluster.json("explain", waiting).waitsFor.elements
            #expect(reason.map(\.kind) == ["noWorker"] && reason.map(\.drained) == [["w1"]])
            #expect(try await cluster.baton("explain", waiting).output.contains("\"baton undrain w1\""))

            let late = try await cluster.baton("drain", "w1", "--wait", "--timeout", "1ms")
            #expect(late.status == 124 && late.errors.contains("on worker w1, which stays drained"))
            let drain = try cluster.start("drain", "w1", "--wait")
            try await drain.error(containing: "Worker w1 is drained already.")
            try await cluster.restartCoordinator(with: SIGKILL)
            #expect(drain.isRunning)
            try await gate.open()
            #expect(try await drain.end() == 0)
            #expect(drain.errorText.contains("Nothing runs on worker w1 any more."))
            #expect(try await cluster.show("\(running)/0").attempt == 1)
            #expect(try await cluster.show("\(waiting)/0").state == "ready" && cluster.notes.isEmpty)

            try await cluster.change("undrain", "w1", count: 1)
            #expect(try await cluster.wait(running, waiting) == 0 && cluster.notes == ["waited"])
            let refused = try await cluster.baton("drain", "w1", "w9")
            #expect(refused.status == 66 && refused.errors.contains("There is no worker w9."))
        }
    }

    @Test(
        "A drained worker that is killed and started again in its directory is still drained, and the actions are told"
    )
    func killed() async throws {
        try await withCluster { cluster in
            try await cluster.change("drain", "w1", count: 1)
            cluster.workers["w1"]?.signal(SIGKILL)
            try await cluster.workers["w1"]?.end()
            try await cluster.startWorker("w1")
            #expect(try await worker("w1", in: cluster).state == "draining")
            cluster.workers["w1"]?.signal(SIGTERM)
            try await cluster.workers["w1"]?.end()
            let watcher = try cluster.watch()
            try await watcher.process.output(containing: "\"state\":\"left\"")
            try await cluster.restartCoordinator(with: SIGKILL)
            let left = try await worker("w1", in: cluster)
            #expect((left.state, left.draining) == ("left", true))
            #expect(try await cluster.json("status").workers == 0)
            try await cluster.change("workers", "--forget", "w1", count: 1)
            #expect(try await cluster.json("workers").workers == [])
            try await watcher.process.output(containing: "\"request\":\"forget\"")
            let told = watcher.process.outputText
            #expect(told.contains("\"request\":\"drain\",\"by\":\""))
        }
    }

    @Test("A stopped worker finishes what runs within its drain timeout, and exits with 0")
    func stop() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.startWorker("w1", options: ["--drain-timeout", "1h"])
            let gate = try cluster.gate()
            let job = try await cluster.submit(script: gate.wait)
            try await gate.arrival()
            try await cluster.change("stop", "w1", count: 1)
            let process = try #require(cluster.workers["w1"])
            try await process.error(containing: "stopping, because a client asks for it")
            let again = try await cluster.baton("stop", "w1")
            #expect(again.status == 0 && again.errors.contains("Worker w1 was asked to stop before."))
            #expect(process.isRunning)
            try await gate.open()
            #expect(try await process.end() == 0)
            #expect(try await cluster.wait(job) == 0)
            #expect(try await cluster.show("\(job)/0").attempt == 1)
            let refused = try await cluster.baton("stop", "w1")
            #expect(refused.status == 66 && refused.errors.contains("There is no worker w1."))
        }
    }

    /// How a worker with a long drain timeout is told to end what runs.
    enum Ending: CaseIterable { case stopNow, secondSignal, signalAfterStop }

    @Test(
        "What a stopped worker ends runs again as the next attempt, without a loss, or fails as lost",
        arguments: Ending.allCases
    )
    func ended(_ ending: Ending) async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.startWorker("w1", slots: 2, options: ["--drain-timeout", "1h"])
            let (first, second) = (try cluster.gate(), try cluster.gate())
            let again = try await cluster.submit(script: first.wait)
            let never = try await cluster.submit(script: second.wait, "--restart", "never")
            try await first.arrival()
            try await second.arrival()
            let process = try #require(cluster.workers["w1"])
            switch ending {
            case .stopNow: try await cluster.change("stop", "--now", "w1", count: 1)
            case .secondSignal:
                process.signal(SIGTERM)
                try await process.error(containing: "stopping")
                process.signal(SIGTERM)
            case .signalAfterStop:
                try await cluster.change("stop", "w1", count: 1)
                process.signal(SIGTERM)
                process.signal(SIGINT)
            }
            #expect(try await process.end() == 0)
            first.reset()
            try await cluster.startWorker("w2")
            try await first.open()
            #expect(try await cluster.wait(again) == 0)
            let shown = try await cluster.show("\(again)/0")
            #expect((shown.attempt, shown.losses) == (2, 0))
            #expect(try await cluster.wait(never) == 1)
            let failed = try await cluster.show("\(never)/0")
            #expect((failed.outcome, failed.reason, failed.attempt) == ("failed", "lost", 1))
            #expect(failed.message == "Its worker was stopped, and it is never restarted.")
        }
    }

    @Test("A worker whose drain timeout passes ends what runs, also while the coordinator is away")
    func timeout() async throws {
        try await withCluster(workers: 0, coordinator: ["--lost-after", "1h"]) { cluster in
            try await cluster.startWorker("w1", options: ["--drain-timeout", "1ms"])
            let gate = try cluster.gate()
            let job = try await cluster.submit(script: gate.wait)
            try await gate.arrival()
            cluster.coordinator?.signal(SIGKILL)
            try await cluster.coordinator?.end()
            cluster.workers["w1"]?.signal(SIGTERM)
            #expect(try await cluster.workers["w1"]?.end() == 0)
            try await cluster.startCoordinator()
            gate.reset()
            try await cluster.startWorker("w1")
            try await gate.open()
            #expect(try await cluster.wait(job) == 0)
            #expect(try await cluster.show("\(job)/0").attempt == 2)
        }
    }

    @Test("A worker with nothing to do leaves after the idle exit")
    func idle() async throws {
        try await withCluster(workers: 0) { cluster in
            // On a loaded machine, it may leave before it has been welcomed.
            let process = try cluster.start("worker", "--name", "w1", "--idle-exit", "2s")
            let job = try await cluster.submit(script: "true")
            #expect(try await process.end() == 0)
            #expect(process.errorText.contains("there was nothing to do"))
            // The operation may have come just too late.
            try await cluster.startWorker("w2")
            #expect(try await cluster.wait(job) == 0)
            #expect(try await cluster.json("workers").workers.elements.map(\.worker) == ["w2"])
        }
    }

    @Test("An operation that declares a longer time than the worker has left waits for another worker, and says so")
    func timeLimit() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.startWorker("short", options: ["--time-limit", "1h"])
            #expect(try await !worker("short", in: cluster).endsAt.string.isEmpty)
            let long = try await cluster.submit(script: "true", "--expected", "2h")
            let timed = try await cluster.submit(script: "true", "--timeout", "90m")
            #expect(try await cluster.wait(cluster.submit(script: "true", "--expected", "10m")) == 0)
            let reasons = try await cluster.json("explain", long).waitsFor.elements
            #expect(reasons.first?.kind == "noWorker" && reasons.first?.worker == "short")
            #expect(reasons.first?.message.string.contains("takes up to 2h") == true)
            #expect(try await cluster.show("\(timed)/0").state == "ready")
            try await cluster.startWorker("long")
            #expect(try await cluster.wait(long, timed) == 0)
            #expect(try await cluster.show("\(long)/0").worker == "long")
        }
    }

    @Test("A worker of baton start that is stopped is not started again, and one that is killed is")
    func start() async throws {
        try await withCluster(workers: nil) { cluster in
            let process = try await cluster.startAll("--workers", "2")
            for name in ["w1", "w2"] { try await process.error(containing: "worker alive worker=\(name)") }
            let killed = try await worker("w2", in: cluster).processID.int
            try await cluster.change("stop", "w1", count: 1)
            try await process.error(containing: "a worker was stopped, and is not started again")
            try #require(kill(pid_t(killed), SIGKILL) == 0)
            try await process.error(containing: "a worker ended unexpectedly and is started again")
            process.signal(SIGINT)
            #expect(try await process.end() == 0)
        }
    }

    @Test("Only lost workers can be forgotten, and wrong uses are refused")
    func forget() async throws {
        try await withCluster { cluster in
            let present = try await cluster.baton("workers", "--forget", "w1")
            #expect(present.status == 65 && present.errors.contains("Worker w1 is alive."))
            #expect(try await cluster.baton("workers", "--forget", "w9").status == 66)
            for wrong in [
                ["workers", "--all", "w1"], ["workers", "--forget"], ["drain"], ["drain", "w1", "--timeout", "1s"],
            ] {
                #expect(try await cluster.baton(wrong).status == 64, "\(wrong)")
            }
            #expect(try await cluster.baton("worker", "--time-limit", "0s").status == 64)
        }
    }
}
