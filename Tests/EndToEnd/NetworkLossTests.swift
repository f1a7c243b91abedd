import Foundation
@_spi(Baton) import BatonNetworkFaults
import Testing

/// A worker behind a relay that can stop forwarding.
@Suite("A worker that is cut off", .timeLimit(.minutes(60)))
struct NetworkLossTests {
    /// Starts a worker behind a relay that loses no bytes for ever.
    private func startCutOff(_ name: String, slots: Int, in cluster: TestCluster) async throws -> Relay {
        let address = try cluster.address
        var random = SystemRandomNumberGenerator()
        let relay = try Relay(host: address.host, target: address.port, using: &random)
        let options = ["--coordinator", "tcp://127.0.0.1:\(relay.port)"]
        try await cluster.startWorker(name, slots: slots, options: options)
        return relay
    }

    /// A script that records its process id, and waits at the gate of the job and attempt.
    private func script(_ name: String, in cluster: TestCluster) -> String {
        "echo $$ > '\(cluster.home.path)/pid-\(name)-'$BATON_ATTEMPT; \(cluster.waitAtGate("\(name)-$BATON_ATTEMPT")); "
            + "echo $BATON_ATTEMPT > $BATON_RESULT; \(cluster.note("\(name)-$BATON_ATTEMPT"))"
    }

    private func process(_ name: String, in cluster: TestCluster) -> String {
        cluster.read("pid-\(name)").trimmingCharacters(in: .newlines)
    }

    /// Waits until the worker has taken in the end of a process.
    private func end(of process: String) async throws {
        while isAlive(process) { try await Task.sleep(for: .milliseconds(20)) }
    }

    private func isWorker(_ name: String, _ state: String) -> @Sendable (JSONValue) -> Bool {
        { $0.event == "worker" && $0.worker.string == name && $0.state.string == state }
    }

    @Test("A worker that is cut off for less than --lost-after keeps its operations under the same attempts")
    func shortCut() async throws {
        try await withCluster(workers: 0, coordinator: ["--suspect-after", "1s", "--lost-after", "1h"]) { cluster in
            let relay = try await startCutOff("w1", slots: 2, in: cluster)
            let (running, ended) = (try cluster.gate("running-1"), try cluster.gate("ended-1"))
            let first = try await cluster.submit(script: script("running", in: cluster))
            let second = try await cluster.submit(script: script("ended", in: cluster))
            try await running.arrival()
            try await ended.arrival()
            let child = process("running-1", in: cluster)
            let watcher = try cluster.watch()
            relay.mode = .silent
            _ = try await watcher.lines(to: "\"suspect\"", where: isWorker("w1", "suspect"))
            // The worker reports an attempt that ended meanwhile.
            try await ended.open()
            relay.mode = .forwarding
            #expect(try await cluster.wait(second) == 0)
            // On a busy machine, the worker may be silent for another second.
            while try await cluster.json("workers").workers.elements.first?.state != "alive" {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(isAlive(child))
            try await running.open()
            #expect(try await cluster.wait(first) == 0)
            #expect(cluster.notes == ["ended-1", "running-1"])
            for job in [first, second] {
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.outcome, operation.attempt, operation.losses) == ("succeeded", 1, 0))
            }
        }
    }

    @Test(
        "D3 Operations of a worker that is cut off for longer run elsewhere as attempt 2, and a late result is refused"
    )
    func longCut() async throws {
        let limits = ["--suspect-after", "10s", "--lost-after", "20s"]
        try await withCluster(workers: 0, coordinator: limits) { cluster in
            let relay = try await startCutOff("w1", slots: 2, in: cluster)
            let names = ["late", "running"]
            let first = try names.map { try cluster.gate("\($0)-1") }
            let second = try names.map { try cluster.gate("\($0)-2") }
            var jobs: [String] = []
            for name in names { jobs.append(try await cluster.submit(script: script(name, in: cluster))) }
            for gate in first { try await gate.arrival() }
            let child = process("running-1", in: cluster)
            try await cluster.startWorker("w2", slots: 2)
            relay.mode = .silent
            for gate in second { try await gate.arrival() }
            // One attempt ends at the cut-off worker, with a late result. The other attempt still runs at the worker.
            try await first[0].open()
            try await end(of: process("late-1", in: cluster))
            #expect(isAlive(child))
            relay.mode = .forwarding
            let worker = try #require(cluster.workers["w1"])
            let warning = try await worker.error(containing: "other workers got attempts")
            #expect(warning.contains("WARN") || warning.contains("warning"), "\(warning)")
            // The worker starts a new operation only in a slot without an earlier attempt.
            let probe = try await cluster.submit("--array", "1-4", "--", "true")
            #expect(try await cluster.wait(probe) == 0)
            for job in jobs {
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.state, operation.attempt, operation.worker) == ("executing", 2, "w2"))
            }
            for gate in second { try await gate.open() }
            for job in jobs {
                #expect(try await cluster.wait(job) == 0)
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.outcome, operation.attempt, operation.losses) == ("succeeded", 2, 1))
                #expect(try await cluster.baton("result", "\(job)/0").line == "2")
            }
            // The worker leaves after all its attempts are really over.
            worker.signal(SIGTERM)
            #expect(try await worker.end() == 0)
            #expect(!isAlive(child))
            #expect(Set(cluster.notes) == ["late-1", "late-2", "running-2"])
        }
    }
}
