import Foundation
import Glibc
import Testing

extension SemanticsTests {
    @Suite("Quality of service")
    struct Qualities {
        /// Shell commands that print the niceness and the I/O scheduling class of the shell.
        private static let share = "cut -d ' ' -f 19 /proc/self/stat; ionice"

        /// The output of ``share``.
        struct Share: Hashable {
            var niceness: Int
            var disk: String

            init(of operation: String, in cluster: TestCluster) async throws {
                let lines = try await cluster.baton("log", operation).output.split(separator: "\n").map(String.init)
                niceness = try #require(lines.first.flatMap { Int($0) }, "\(lines)")
                disk = try #require(lines.last)
            }
        }

        /// Whether the tests are less nice than the class utility: otherwise some classes have the same niceness, the tests' own.
        private static var canTellClasses: Bool { getpriority(__priority_which_t(0), id_t(getpid())) < 5 }

        private static let classes = ["userInteractive", "userInitiated", "default", "utility", "background"]

        @Test(
            "QO1 QO2 The classes decide niceness and I/O class in their order, and an unset class acts as default",
            .enabled(if: canTellClasses, "the niceness of the tests is as high as that of classes"),
            arguments: ClusterShape.tested
        )
        func qo1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let operations = Self.classes.map { "{ command: \"\(Self.share)\", qos: '\($0)' }," }.joined()
                let job = try await cluster.submit(
                    graph: "{ operations: [\(operations) { command: \"\(Self.share)\" }] }"
                )
                #expect(try await cluster.wait(job) == 0)
                let qualities = try await cluster.show(job).operations.elements.map(\.qos)
                #expect(qualities == Self.classes.map { .text($0) } + [nil])
                var shares: [Share] = []
                for index in 0...5 { shares.append(try await Share(of: "\(job)/\(index)", in: cluster)) }
                #expect(shares[5] == shares[2])
                let niceness = shares[..<5].map(\.niceness)
                #expect(niceness == niceness.sorted())
                #expect(niceness[2] < niceness[3] && niceness[3] < niceness[4])
                #expect(shares[3].disk.hasPrefix("best-effort") && shares[2].disk != shares[3].disk)
                #expect(shares[4].disk == "idle")
                let refused = try await cluster.baton("submit", "--qos", "best", "--", "true")
                #expect(refused.status == 64)
                #expect(refused.errors.contains("'best'"), "\(refused)")
            }
        }

        @Test("QO2 QO4 A class changes neither the place in the queue nor the priority", arguments: ClusterShape.tested)
        func qo4(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let blockers = try await cluster.occupy(shape.slots)
                let operations = (Self.classes + Self.classes.reversed()).map {
                    "{ command: \"\(cluster.note($0))\", qos: '\($0)' },"
                }
                let job = try await cluster.submit(
                    graph: """
                        { queue: "q", operations: [
                          { command: "\(cluster.note("low"))", qos: "userInteractive", priority: "low" },
                          \(operations.joined(separator: "\n"))
                          { command: "\(cluster.note("high"))", qos: "background", priority: "high" },
                        ] }
                        """
                )
                try await blockers.release(0..<1)
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.notes == ["high"] + Self.classes + Self.classes.reversed() + ["low"])
                let priorities = try await cluster.show(job).operations.elements.map(\.priority)
                #expect(priorities == [-4] + Array(repeating: 0, count: 10) + [4])
            }
        }

        @Test(
            "QO3 An operation's own class wins over its queue's, and an unset operation takes its queue's at its start",
            .enabled(if: canTellClasses, "the niceness of the tests is as high as that of classes"),
            arguments: ClusterShape.tested
        )
        func qo3(_ shape: ClusterShape) async throws {
            for sendAhead in ["0", "4"] {
                try await withCluster(shape, coordinator: ["--send-ahead", sendAhead]) { cluster in
                    let plain = try await cluster.submit(script: Self.share, "--queue", "plain")
                    let early = try await cluster.submit(
                        graph: """
                            { queue: "q", queues: { q: { qos: "utility" } }, operations: [
                              { command: "\(Self.share)" }, { command: "\(Self.share)", qos: "default" },
                            ] }
                            """
                    )
                    #expect(try await cluster.wait(plain, early) == 0)
                    let blockers = try await cluster.occupy(shape.slots)
                    let late = try await cluster.submit(
                        graph: """
                            { queue: "q", operations: [
                              { command: "\(Self.share)" }, { command: "\(Self.share)", qos: "utility" },
                            ] }
                            """
                    )
                    if sendAhead != "0" { try await cluster.requireSentAhead("\(late)/0") }
                    _ = try await cluster.json("queue", "set", "q", "--qos", "background")
                    try await blockers.release(0..<1)
                    #expect(try await cluster.wait(late) == 0)
                    #expect(try await cluster.show("\(late)/0").qos == nil)

                    let ordinary = try await Share(of: plain, in: cluster)
                    let utility = try await Share(of: "\(early)/0", in: cluster)
                    #expect(utility.niceness > ordinary.niceness && utility.disk.hasPrefix("best-effort"))
                    #expect(try await Share(of: "\(early)/1", in: cluster) == ordinary)
                    let background = try await Share(of: "\(late)/0", in: cluster)
                    #expect(background.niceness > utility.niceness && background.disk == "idle")
                    #expect(try await Share(of: "\(late)/1", in: cluster) == utility)
                }
            }
        }

        @Test(
            "QO5 A queue that becomes ready soon gets a slot beside a flood of short operations",
            arguments: ClusterShape.tested
        )
        func qo5Newcomer(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let watcher = try cluster.watch()
                let flood = try await cluster.submit(
                    "--queue",
                    "flood",
                    "--qos",
                    "background",
                    "--array",
                    "0-19999",
                    "--",
                    "true"
                )
                // It flows: what nothing is known of would have to wait for a slot that is never free.
                _ = try await watcher.lines(to: "\"\(flood)/300\"", "\"executing\"")
                let single = try await cluster.submit("--queue", "single", "--qos", "userInteractive", "--", "true")
                let events = try await watcher.lines(toEndOf: "\(single)/0").map { try JSONValue(parsing: $0) }
                let submitted = try #require(events.firstIndex { $0.event == "job" && $0.job.int == Int(single) })
                let before = events[submitted...].prefix {
                    $0.operation.string != "\(single)/0" || $0.state != "executing"
                }
                let overtaken = before.filter { $0.operation.string.hasPrefix("\(flood)/") && $0.state == "executing" }
                // Operations of the flood that ran before the submission arrived, with late events; not the whole
                // flood.
                #expect(overtaken.count <= 200)
                #expect(try await cluster.baton("cancel", flood).status == 0)
            }
        }

        @Test(
            "QO5 Free slots are shared between queues in proportion to the weights of their classes, and none starves",
            arguments: ClusterShape.tested
        )
        func qo5(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let weights = [16, 8, 4, 2, 1]
                let rounds = 3
                let blockers = try await cluster.occupy(shape.slots)
                let queues = Self.classes.map { "\($0): { qos: '\($0)' }," }.joined()
                // The lightest classes come first and have the highest priority, without an advantage.
                let operations = zip(Self.classes, weights).reversed().map { name, weight in
                    "{ array: '1-\(rounds * weight)', queue: '\(name)', command: 'true', priority: \(8 - weight) },"
                }
                let classes = zip(Self.classes, weights).reversed().flatMap { name, weight in
                    Array(repeating: name, count: rounds * weight)
                }
                let watcher = try cluster.watch()
                let job = try await cluster.submit(
                    graph: "{ queues: { \(queues) }, operations: [\(operations.joined(separator: "\n"))] }"
                )
                try await blockers.release(0..<1)
                #expect(try await cluster.wait(job) == 0)
                // The order of the events is the order in which operations were given slots. The order of the
                // operations' own output would also depend on their niceness.
                let lines = try await watcher.lines(to: "\"job\"", "\"finished\"") { $0.job.int == Int(job) }
                let started = try lines.map { try JSONValue(parsing: $0) }.filter {
                    $0.event == "operation" && $0.state == "executing" && $0.operation.string.hasPrefix("\(job)/")
                }
                let order = started.compactMap { Int($0.operation.string.split(separator: "/")[1]) }.map { classes[$0] }
                #expect(order.count == rounds * 31)
                for round in 1...rounds {
                    for (name, weight) in zip(Self.classes, weights) {
                        let count = order.prefix(round * 31).filter { $0 == name }.count
                        // The reports of several workers come in any order.
                        #expect(
                            abs(count - round * weight) <= shape.workers - 1,
                            "\(count) of \(name) after round \(round): \(order)"
                        )
                    }
                }
            }
        }
    }
}
