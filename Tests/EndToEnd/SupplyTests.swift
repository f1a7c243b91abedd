import Foundation
import Testing

/// Supplies of workers, on programs that stand for those of Slurm; `scripts/slurm` has the true ones.
@Suite("Workers from a batch system", .timeLimit(.minutes(60)))
struct SupplyTests {
    /// Starts a supply that looks each second.
    private func start(_ arguments: String..., slurm: FakeSlurm, in cluster: TestCluster) throws -> ChildProcess {
        let usual = ["supply", "slurm", "--json", "--every", "1s", "--memory-control", "sampling"]
        return try cluster.start(usual + arguments, environment: slurm.environment)
    }

    @Test("Work gets workers, which leave when there is none, and the supply ends by its signal")
    func wholeWay() async throws {
        try await withCluster(workers: 0) { cluster in
            let slurm = try await FakeSlurm(for: cluster)
            let supply = try start("--slots", "2", "--idle-exit", "4s", "--", "-p", "main", slurm: slurm, in: cluster)
            let job = try await cluster.submit(script: "printf $SLURM_JOB_ID > $BATON_RESULT")
            #expect(try await cluster.wait(job) == 0)
            #expect(try await cluster.baton("result", "\(job)/0").output == "1")
            try await supply.output(containing: #""event":"ended","job":"1""#)
            #expect(slurm.state(of: 1) == "COMPLETED", "\(slurm.output(of: 1))")
            let words = slurm.lastWords
            #expect(words.prefix(3) == ["--cpus-per-task=2", "-p", "main"] && words.contains("--job-name=baton-slurm"))
            supply.signal(SIGTERM)
            #expect(try await supply.end() == 128 + SIGTERM)
            for event in ["submitted", "joined"] { #expect(supply.outputText.contains("\"event\":\"\(event)\"")) }
            #expect(!supply.outputText.contains(#""event":"failed""#) && slurm.count == 1)
        }
    }

    @Test("Nothing is submitted for what such a worker could not run, and what waits is cancelled at the end")
    func queued() async throws {
        try await withCluster(workers: 0) { cluster in
            let slurm = try await FakeSlurm(for: cluster)
            slurm.isFull = true
            let supply = try start("--label", "site=north", slurm: slurm, in: cluster)
            let others = try await cluster.submit(script: "true", "--label", "site=south")
            let long = try await cluster.submit(script: "true", "--label", "site=north")
            try await supply.output(containing: #""event":"submitted","job":"1""#)
            try await supply.output(containing: "Job 1 waits: Resources.")
            #expect(slurm.count == 1 && slurm.state(of: 1) == "PENDING")
            supply.signal(SIGTERM)
            #expect(try await supply.end() == 128 + SIGTERM)
            #expect(slurm.state(of: 1) == "CANCELLED")
            #expect(try await cluster.baton("cancel", others, long).status == 0)
        }
    }

    @Test("A supply that is killed finds its jobs again, and a second one of the name is refused while it runs")
    func killed() async throws {
        try await withCluster(workers: 0) { cluster in
            let slurm = try await FakeSlurm(for: cluster)
            let gate = try cluster.gate()
            let first = try start("--idle-exit", "4s", slurm: slurm, in: cluster)
            let job = try await cluster.submit(script: gate.wait)
            try await gate.arrival()
            try await first.output(containing: #""event":"joined","job":"1""#)
            let second = try start(slurm: slurm, in: cluster)
            #expect(try await second.end() == 69)
            #expect(second.errorText.contains("The supply slurm runs already"))
            first.signal(SIGKILL)
            try await first.end()
            let third = try start("--idle-exit", "4s", slurm: slurm, in: cluster)
            try await third.output(containing: #""event":"found","job":"1""#)
            try await third.output(containing: #""event":"joined","job":"1""#)
            try await gate.open()
            #expect(try await cluster.wait(job) == 0)
            try await third.output(containing: #""event":"ended","job":"1""#)
            #expect(slurm.count == 1)
            third.signal(SIGINT)
            try await third.end()
        }
    }

    @Test("While slurmctld is away, the supply says so once, and goes on afterwards")
    func away() async throws {
        try await withCluster(workers: 0) { cluster in
            let slurm = try await FakeSlurm(for: cluster)
            slurm.isAway = true
            let supply = try start("--idle-exit", "4s", "--no-dry-run", slurm: slurm, in: cluster)
            try await supply.output(containing: #""event":"blind""#)
            let job = try await cluster.submit(script: "true")
            #expect(slurm.count == 0)
            slurm.isAway = false
            #expect(try await cluster.wait(job) == 0)
            try await supply.output(containing: #""event":"ended","job":"1""#)
            #expect(supply.outputText.split(separator: "\n").filter { $0.contains(#""event":"blind""#) }.count == 1)
            supply.signal(SIGTERM)
            try await supply.end()
        }
    }

    @Test("A job that Slurm refuses is refused at the start, or ends the supply after five attempts, in Slurm's words")
    func refused() async throws {
        try await withCluster(workers: 0) { cluster in
            let slurm = try await FakeSlurm(for: cluster)
            slurm.refuse("invalid partition specified: nowhere")
            let first = try start("--", "-p", "nowhere", slurm: slurm, in: cluster)
            #expect(try await first.end() == 65)
            #expect(first.errorText.contains("invalid partition specified: nowhere."))
            let job = try await cluster.submit(script: "true")
            let second = try start("--no-dry-run", slurm: slurm, in: cluster)
            #expect(try await second.end() == 65)
            #expect(second.errorText.contains("5 attempts to start a worker in a row have failed"))
            #expect(second.outputText.split(separator: "\n").count == 5, "\(second.outputText)")
            #expect(try await cluster.baton("cancel", job).status == 0)
        }
    }

    @Test(
        "What a supply cannot do is refused before anything else",
        arguments: [
            (["--slots", "0"], "at least one slot"), (["--backlog", "0"], "backlog of 0"),
            (["--max-workers", "0"], "supply of 0 workers"), (["--time-limit", "1m"], "would drain at once"),
            (["--name", "two words"], "cannot name a supply"), (["--every", "10ms"], "once a second at most"),
            (["--", "--array=1-3"], "--array of sbatch is set by the supply"),
            (["--", "-t", "5"], "Give that instead"),
        ]
    )
    func usage(arguments: [String], reason: String) async throws {
        try await withCluster(workers: nil) { cluster in
            let result = try await cluster.baton(["supply", "slurm"] + arguments)
            #expect(result.status == 64 && result.errors.contains(reason), "\(result.errors)")
        }
    }

    @Test("Without the programs of Slurm, the supply says what is missing")
    func missing() async throws {
        try await withCluster(workers: 0) { cluster in
            let supply = try cluster.start(["supply", "slurm"], environment: ["PATH": cluster.home.path])
            #expect(try await supply.end() == 66)
            #expect(supply.errorText.contains("The program sbatch of Slurm was not started"), "\(supply.errorText)")
        }
    }
}
