@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Foundation
import Testing

extension SemanticsTests {
    @Suite("Limits")
    struct Limits {
        /// Operations of one queue, each at a separate gate, that count the running operations at their start.
        private struct CountedOperations {
            let job: String
            let gates: [Gate]

            init(_ count: Int, queue: String, in cluster: TestCluster) async throws {
                gates = try (0..<count).map { try cluster.gate("counted-\($0)") }
                let script = """
                    mkdir -p running; : > running/{}; ls running | wc -l >> counts
                    \(cluster.waitAtGate("counted-{}")); rm running/{}
                    """
                job = try await cluster.submit(script: script, "--queue", queue, "--array", "0-\(count - 1)")
            }

            /// The number of running operations at each start, in the order of the starts.
            static func counts(in cluster: TestCluster) -> [Int] {
                cluster.read("counts").split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            }
        }

        @Test(
            "CO1 A queue executes at most its limit of operations on all workers, and other queues are not affected",
            arguments: ClusterShape.tested
        )
        func co1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let limit = max(1, shape.slots / 2)
                _ = try await cluster.json("queue", "set", "q", "--max-concurrent", "\(limit)")
                let counted = try await CountedOperations(2 * limit + 1, queue: "q", in: cluster)
                for gate in counted.gates[..<limit] { try await gate.arrival() }
                #expect(try await cluster.json("queue", "show", "q").executing.int == limit)
                let reason = try await cluster.json("explain", "\(counted.job)/\(limit)").waitsFor.elements.first {
                    $0.kind == "limit"
                }
                #expect(reason?.limit.int == limit)
                let other = try await cluster.submit("--queue", "other", "--", "true")
                if shape.slots > limit {
                    #expect(try await cluster.wait(other) == 0)
                } else {
                    #expect(try await cluster.json("explain", other).waitsFor.elements.map(\.kind) == ["slots"])
                }
                for gate in counted.gates { try await gate.open() }
                #expect(try await cluster.wait(counted.job, other) == 0)
                let counts = CountedOperations.counts(in: cluster)
                #expect(counts.count == 2 * limit + 1)
                #expect(counts.allSatisfy { $0 <= limit } && counts.contains(limit), "\(counts)")
            }
        }

        @Test(
            "CO10 A queue starts at most as many operations in a time as its rate says",
            arguments: ClusterShape.tested
        )
        func co10(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { queues: { q: { rate: "2/s" } }, queue: "q", operations: [{ array: "0-3", command: ["true"] }] }
                        """
                )
                #expect(try await cluster.wait(job) == 0)
                let starts = try await cluster.show(job).operations.elements.compactMap {
                    Self.seconds($0.startedAt.string)
                }
                #expect(starts.count == 4)
                // A worker may report a start somewhat later than it was asked for.
                #expect((starts.max() ?? 0) - (starts.min() ?? 0) > 1.2, "\(starts)")

                _ = try await cluster.json("queue", "set", "slow", "--rate", "1/h")
                let slow = try await cluster.submit("--queue", "slow", "--array", "0-1", "--", "true")
                #expect(try await cluster.wait("\(slow)/0") == 0)
                let reason = try await cluster.json("explain", "\(slow)/1").waitsFor.elements.first
                #expect(
                    reason?.kind == "limit" && reason?.message.string.contains("at most 1 operation an hour") == true
                )
                #expect(try await cluster.json("queue", "show", "slow").rate == "1/h")
                #expect(try await cluster.baton("queue", "show", "slow").output.contains("1/h"))
                let list = try await cluster.baton("queue", "list").output.split(separator: "\n")
                #expect(list.first?.contains("LIMIT  RATE") == true, "\(list)")
                #expect(list.contains { $0.hasPrefix("slow") && $0.contains("1/h") }, "\(list)")
                _ = try await cluster.json("queue", "set", "slow", "--rate", "none")
                #expect(try await cluster.wait(slow) == 0)
                #expect(try await cluster.json("queue", "show", "slow").rate == .null)
                try await cluster.restartCoordinator(with: SIGKILL)
                #expect(try await cluster.json("queue", "show", "q").rate == "2/s")

                for rate in ["0/s", "10", "10/d", "-1/s", "1.5/s"] {
                    let refused = try await cluster.baton("queue", "set", "new", "--rate=\(rate)")
                    #expect(refused.status == 64 && refused.errors.contains("a rate such as 10/s"), "\(refused)")
                }
                let bad = "{ queues: { new: { rate: '10' } }, operations: [{ kind: 'noop' }] }"
                #expect(try await cluster.baton("submit", "--file", cluster.write(bad, to: "bad.json")).status == 65)
                #expect(try await cluster.baton("queue", "show", "new").status == 66)
            }
        }

        /// The seconds of a moment in a document; nil for another text.
        private static func seconds(_ text: String) -> Double? {
            Timestamp(iso8601: text).map { Double($0.rawValue) / 1_000_000 }
        }

        @Test("CO2 A limit of 1 makes a queue serial", arguments: ClusterShape.tested)
        func co2(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { queue: "serial", queues: { serial: { maxConcurrent: 1 } }, operations: [
                          { command: "mkdir busy && \(cluster.note("{}")) && rmdir busy", array: "1-30" }
                        ] }
                        """
                )
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.notes == (1...30).map { "\($0)" })
            }
        }

        @Test("CO3 A limit of 0 starts nothing, and a higher limit starts work", arguments: ClusterShape.tested)
        func co3(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                _ = try await cluster.json("queue", "set", "q", "--max-concurrent", "0")
                let job = try await cluster.submit(script: cluster.note("{}"), "--queue", "q", "--array", "1-8")
                // Later operations of another queue run and end, so the queue was not merely slow.
                let others = try await cluster.submit("--array", "1-\(2 * shape.slots)", "--", "true")
                #expect(try await cluster.wait(others) == 0)
                let queue = try await cluster.json("queue", "show", "q")
                #expect((queue.maxConcurrent, queue.executing, queue.count) == (0, 0, 8))
                #expect(try await cluster.json("explain", "\(job)/0").waitsFor.elements.map(\.kind) == ["limit"])
                #expect(cluster.notes == [])
                _ = try await cluster.json("queue", "set", "q", "--max-concurrent", "1")
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.notes == (1...8).map { "\($0)" })
            }
        }

        @Test(
            "CO4 A negative limit is refused and changes nothing, except -1, which is the default and means no limit",
            arguments: ClusterShape.tested
        )
        func co4(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                _ = try await cluster.json("queue", "set", "q", "--max-concurrent", "0")
                let counted = try await CountedOperations(shape.slots, queue: "q", in: cluster)
                for limit in ["-2", "-100"] {
                    let refused = try await cluster.baton("queue", "set", "q", "--max-concurrent=\(limit)")
                    #expect(refused.status == 64)
                    #expect(refused.errors.contains("0 or more, or -1 for no limit"), "\(refused)")
                }
                try cluster.write(
                    "{ queues: { q: { maxConcurrent: -2 } }, operations: [{ command: 'true', queue: 'q' }] }",
                    to: "graph.json"
                )
                #expect(try await cluster.baton("submit", "--file", "graph.json").status == 65)
                let queue = try await cluster.json("queue", "show", "q")
                #expect((queue.maxConcurrent, queue.count) == (0, .number(Double(shape.slots))))

                _ = try await cluster.json("queue", "set", "q", "--max-concurrent=-1")
                for gate in counted.gates { try await gate.arrival() }
                #expect(try await cluster.json("queue", "show", "q").maxConcurrent == nil)
                for gate in counted.gates { try await gate.open() }
                #expect(try await cluster.wait(counted.job) == 0)
                #expect(try await cluster.wait(cluster.submit("--queue", "new", "--", "true")) == 0)
                #expect(try await cluster.json("queue", "show", "new").maxConcurrent == nil)
            }
        }

        @Test("CO5 A raised limit takes effect at once", arguments: ClusterShape.tested)
        func co5(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                _ = try await cluster.json("queue", "set", "q", "--max-concurrent", "0")
                let counted = try await CountedOperations(shape.slots, queue: "q", in: cluster)
                for (index, gate) in counted.gates.enumerated() {
                    _ = try await cluster.json("queue", "set", "q", "--max-concurrent", "\(index + 1)")
                    // The next operation starts although no operation has ended.
                    try await gate.arrival()
                }
                for gate in counted.gates { try await gate.open() }
                #expect(try await cluster.wait(counted.job) == 0)
                #expect(CountedOperations.counts(in: cluster) == Array(1...shape.slots))
            }
        }

        @Test(
            "CO6 A lowered limit stops nothing, and the next operation starts when fewer than the limit execute",
            arguments: ClusterShape.tested
        )
        func co6(_ shape: ClusterShape) async throws {
            for sendAhead in ["0", "4"] {
                try await withCluster(shape, coordinator: ["--send-ahead", sendAhead]) { cluster in
                    let (before, lowered) = (shape.slots, shape.slots / 2)
                    _ = try await cluster.json("queue", "set", "q", "--max-concurrent", "\(2 * before)")
                    let counted = try await CountedOperations(2 * before, queue: "q", in: cluster)
                    for gate in counted.gates[..<before] { try await gate.arrival() }
                    if sendAhead != "0" { try await cluster.requireSentAhead("\(counted.job)/\(before)") }
                    let report = try await cluster.json("queue", "set", "q", "--max-concurrent", "\(lowered)")
                    #expect(report.unanswered == [])
                    #expect(try await cluster.json("queue", "show", "q").executing.int == before)
                    for (index, gate) in counted.gates[..<before].enumerated() {
                        try await gate.open()
                        #expect(try await cluster.wait("\(counted.job)/\(index)") == 0)
                    }
                    // At least one slot is free.
                    let others = try await cluster.submit("--array", "1-\(2 * shape.slots)", "--", "true")
                    #expect(try await cluster.wait(others) == 0)
                    if lowered == 0 {
                        #expect(try await cluster.json("queue", "show", "q").executing == 0)
                        _ = try await cluster.json("queue", "set", "q", "--max-concurrent", "1")
                    }
                    for gate in counted.gates[before...] { try await gate.open() }
                    #expect(try await cluster.wait(counted.job) == 0)
                    let counts = CountedOperations.counts(in: cluster)
                    #expect(counts.prefix(before).max() == before)
                    #expect(counts.dropFirst(before).allSatisfy { $0 <= max(1, lowered) }, "\(counts)")
                    #expect(try await cluster.show(counted.job).operations.elements.allSatisfy { $0.attempt == 1 })
                }
            }
        }

        @Test(
            "CO9 Two operations that wait for each other to start both complete with a limit of 2",
            arguments: ClusterShape.tested
        )
        func co9(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                // The number of slots is a limit too.
                if shape.slots < 2 { try await cluster.startWorker("another") }
                let pipe = try cluster.gate().path
                let job = try await cluster.submit(
                    graph: """
                        { queue: "pairs", queues: { pairs: { maxConcurrent: 2 } }, operations: [
                          { command: "read x < '\(pipe)'; test $x = met" },
                          { command: "echo met > '\(pipe)'" },
                        ] }
                        """
                )
                #expect(try await cluster.wait(job) == 0)
            }
        }

        @Test(
            "D7 The slots of the workers are a second bound, whatever the limits of queues are",
            arguments: ClusterShape.tested
        )
        func d7(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                _ = try await cluster.json("queue", "set", "q", "--max-concurrent", "100")
                let counted = try await CountedOperations(2 * shape.slots + 1, queue: "q", in: cluster)
                for gate in counted.gates[..<shape.slots] { try await gate.arrival() }
                let workers = try await cluster.json("workers").workers.elements
                #expect(workers.count == shape.workers)
                #expect(workers.allSatisfy { $0.slots.int == shape.slotsOfEach && $0.executing == $0.slots })
                let waiting = try await cluster.json("explain", "\(counted.job)/\(shape.slots)")
                #expect(waiting.state == "ready")
                #expect(waiting.waitsFor.elements.map(\.kind) == ["slots"])
                for gate in counted.gates { try await gate.open() }
                #expect(try await cluster.wait(counted.job) == 0)
                #expect(CountedOperations.counts(in: cluster).max() == shape.slots)
            }
        }
    }
}
