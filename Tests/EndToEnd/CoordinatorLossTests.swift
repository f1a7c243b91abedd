import Foundation
import Testing

@Suite("The loss of a coordinator", .timeLimit(.minutes(60)))
struct CoordinatorLossTests {
    /// A worker with a running and a waiting operation, after its coordinator was killed.
    private struct Abandoned {
        let cluster: TestCluster
        let worker: ChildProcess
        let gate: Gate
        let running: String
        let waiting: String
    }

    /// - Parameters:
    ///   - first: the script of the running operation, given its gate.
    ///   - second: the script of the operation that waits behind the first.
    private func abandon(
        _ cluster: TestCluster,
        options: [String],
        first: (Gate) -> String,
        second: String
    ) async throws -> Abandoned {
        try await cluster.startCoordinator()
        try await cluster.startWorker("w1", options: options)
        let worker = try #require(cluster.workers["w1"])
        let gate = try cluster.gate()
        // On a busy machine, a script that answers SIGTERM may need longer than the usual grace period.
        let running = try await cluster.submit(script: first(gate), "--grace", "forever")
        try await gate.arrival()
        let waiting = try await cluster.submit(script: second)
        try await cluster.requireSentAhead("\(waiting)/0")
        // The worker answers a request for output after it has received the earlier dispatch.
        #expect(try await cluster.baton("log", running).status == 0)
        cluster.coordinator?.signal(SIGKILL)
        _ = try await cluster.coordinator?.end()
        return Abandoned(cluster: cluster, worker: worker, gate: gate, running: running, waiting: waiting)
    }

    private static let sendingAhead = ["--send-ahead", "1"]

    @Test("A worker goes on with its running and waiting operations while its coordinator is away")
    func goesOn() async throws {
        // A waiting operation starts only during the worker's lease, which is the shorter of the two times: the default of
        // seconds can pass on a loaded machine before the gate opens.
        let patient = Self.sendingAhead + ["--reconcile-window", "1h", "--lost-after", "1h"]
        try await withCluster(workers: nil, coordinator: patient) { cluster in
            let next = try cluster.gate("next")
            let abandoned = try await abandon(
                cluster,
                options: [],
                first: { $0.wait },
                second: cluster.waitAtGate("next")
            )
            try await abandoned.gate.open()
            try await next.arrival()
            try await cluster.startCoordinator()
            try await next.open()
            #expect(try await cluster.wait(abandoned.running, abandoned.waiting) == 0)
            for job in [abandoned.running, abandoned.waiting] {
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.outcome, operation.attempt, operation.losses) == ("succeeded", 1, 0))
            }
        }
    }

    @Test("A worker with the policy finish lets its operation end, and starts the next once the coordinator is back")
    func finish() async throws {
        try await withCluster(workers: nil, coordinator: Self.sendingAhead) { cluster in
            let last = try cluster.gate("last")
            let abandoned = try await abandon(
                cluster,
                options: ["--on-coordinator-lost", "finish", "--coordinator-deadline", "0s"],
                first: { "\($0.wait); \(last.checkIn)" },
                second: "test -e '\(cluster.home.path)/back' && \(cluster.note("started"))"
            )
            try await abandoned.worker.error(containing: "no operation is started")
            try await abandoned.gate.open()
            try await last.open()
            try cluster.write("", to: "back")
            try await cluster.startCoordinator()
            #expect(try await cluster.wait(abandoned.running, abandoned.waiting) == 0)
            #expect(cluster.notes == ["started"])
            for job in [abandoned.running, abandoned.waiting] {
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.outcome, operation.attempt, operation.losses) == ("succeeded", 1, 0))
            }
        }
    }

    @Test("D3 A worker with the policy kill ends its operation, which counts as lost and runs again as attempt 2")
    func kill() async throws {
        try await withCluster(workers: nil, coordinator: Self.sendingAhead) { cluster in
            let asked = try cluster.gate("asked")
            let abandoned = try await abandon(
                cluster,
                options: ["--on-coordinator-lost", "kill", "--coordinator-deadline", "0s"],
                first: { gate in
                    """
                    [ $BATON_ATTEMPT = 2 ] && exit
                    trap '\(cluster.waitAtGate("asked")); exit' TERM
                    \(gate.checkIn); \(Gate.awaitSignal)
                    """
                },
                second: "true"
            )
            abandoned.gate.reset()
            try await asked.open()
            try await cluster.startCoordinator()
            #expect(try await cluster.wait(abandoned.running, abandoned.waiting) == 0)
            let lost = try await cluster.show("\(abandoned.running)/0")
            #expect((lost.outcome, lost.attempt, lost.losses) == ("succeeded", 2, 1))
            #expect(try await cluster.show("\(abandoned.waiting)/0").attempt == 1)
        }
    }

    @Test("A deadline without a policy and an unknown policy are refused")
    func mistakes() async throws {
        try await withCluster(workers: nil) { cluster in
            let deadline = try await cluster.baton("worker", "--coordinator-deadline", "5m")
            #expect(deadline.status == 64)
            #expect(deadline.errors.contains("--coordinator-deadline has no effect with --on-coordinator-lost"))
            let policy = try await cluster.baton("worker", "--on-coordinator-lost", "stop")
            #expect(policy.status == 64)
            #expect(policy.errors.contains("'continue', 'finish' or 'kill'"))
        }
    }
}
