import Foundation
import Testing

extension EndToEndTests {
    @Suite("Benchmarks", .timeLimit(.minutes(60)))
    struct BenchTests {
        /// Runs a benchmark with 20 operations, and returns the figures of each scenario.
        private static func figures(_ arguments: String..., in cluster: TestCluster) async throws -> [JSONValue] {
            let result = try await cluster.baton(
                ["bench", "--operations", "20", "--seed", "7", "--json"] + arguments
            )
            try #require(result.status == 0, "\(result)")
            let document = try JSONValue(parsing: result.output)
            #expect(document.seed == 7)
            return document.scenarios.elements.map(\.figures)
        }

        @Test("The benchmark measures jobs on a cluster of its own, and leaves no processes or files")
        func jobs() async throws {
            try await withCluster(workers: nil) { cluster in
                let figures = try await Self.figures(
                    "array",
                    "graph",
                    "fan",
                    "layers",
                    "chain",
                    "--workers",
                    "2",
                    "--slots",
                    "1",
                    in: cluster
                )
                #expect(figures.count == 5)
                for figures in figures {
                    for key in ["operationsPerSecond", "submitSeconds", "coordinatorMegabytes", "workerPeakMegabytes"] {
                        #expect(figures[key].median.number > 0, "\(key) of \(figures)")
                    }
                    #expect(figures.coordinatorMicroseconds.median.number >= 0)
                }
                #expect(figures[0].finishedP99Milliseconds.median.number > 0)
                #expect(figures[4].linkP99Milliseconds.median.number > 0)
                #expect(try FileManager.default.contentsOfDirectory(atPath: cluster.home.path) == [])
                #expect(ProcessesOfTest.all(of: cluster.home.path).map(\.command) == [])
            }
        }

        @Test("The benchmark measures submissions, queries and single operations")
        func others() async throws {
            try await withCluster(workers: nil) { cluster in
                let figures = try await Self.figures(
                    "submit-array",
                    "submit-graph",
                    "queries",
                    "dispatch",
                    "single",
                    "--slots",
                    "1",
                    in: cluster
                )
                let keys = [
                    "submitSeconds", "submitSeconds", "showMostMilliseconds", "linkP99Milliseconds",
                    "connectedP50Milliseconds",
                ]
                #expect(zip(figures, keys).map { $0[$1].median.number > 0 } == keys.map { _ in true }, "\(figures)")
                #expect(figures[4].runP50Milliseconds.median.number > 0)
                #expect(try FileManager.default.contentsOfDirectory(atPath: cluster.home.path) == [])
            }
        }

        @Test("The benchmark measures what users notice while a job arrives in each form, or is cancelled")
        func users() async throws {
            try await withCluster(workers: nil) { cluster in
                let figures = try await Self.figures(
                    "arrive-array",
                    "arrive-graph",
                    "arrive-different",
                    "arrive-lines",
                    "arrive-http",
                    "cancel",
                    "--slots",
                    "2",
                    in: cluster
                )
                #expect(figures.count == 6)
                for (position, figures) in figures.enumerated() {
                    let keys = [
                        "listMostMilliseconds", "busyListMostMilliseconds", "linkMostMilliseconds",
                        "busyLinkMostMilliseconds", "runMostMilliseconds", "busyRunMostMilliseconds",
                        position == 5 ? "cancelSeconds" : "submitSeconds",
                    ]
                    for key in keys { #expect(figures[key].median.number > 0, "\(key) of \(figures)") }
                }
                #expect(try FileManager.default.contentsOfDirectory(atPath: cluster.home.path) == [])
                #expect(ProcessesOfTest.all(of: cluster.home.path).map(\.command) == [])
            }
        }

        @Test("The benchmark measures a coordinator that is killed and started again")
        func restart() async throws {
            try await withCluster(workers: nil) { cluster in
                let figures = try await Self.figures("restart", in: cluster)
                for key in ["restartSeconds", "coordinatorBeforeMegabytes", "coordinatorMegabytes"] {
                    #expect(figures[0][key].median.number > 0, "\(key) of \(figures)")
                }
                #expect(try FileManager.default.contentsOfDirectory(atPath: cluster.home.path) == [])
                #expect(ProcessesOfTest.all(of: cluster.home.path).map(\.command) == [])
            }
        }

        @Test("The benchmark runs the given command in each round, and reports the least, median and most")
        func commands() async throws {
            try await withCluster(workers: nil) { cluster in
                let figures = try await Self.figures(
                    "array",
                    "--repeat",
                    "2",
                    "--waiting",
                    "10",
                    "--finished",
                    "10",
                    "--",
                    "sh",
                    "-c",
                    cluster.note("ran"),
                    in: cluster
                )
                let rate = figures[0].operationsPerSecond
                #expect(rate.least.number <= rate.median.number && rate.median.number <= rate.most.number)
                #expect(cluster.notes.count == 40)
            }
        }

        @Test("The benchmark loads a running cluster, and reports no memory of its processes")
        func runningCluster() async throws {
            try await withCluster { cluster in
                let figures = try await Self.figures(
                    "array",
                    "dispatch",
                    "--watch",
                    "--coordinator",
                    cluster.endpoint,
                    in: cluster
                )
                #expect(figures[0].finishedP50Milliseconds.median.number > 0)
                #expect(figures.map(\.coordinatorMegabytes) == [.null, .null])
                // No operation of the benchmark goes on: the held job was cancelled, and the chain was cancelled or had already finished.
                #expect([0, 1].contains(try await cluster.wait("1", "2", "3")))
                #expect(try await cluster.wait("4") == 1)
                let counts = try await cluster.json("status").counts
                #expect(counts.succeeded.int >= 20)
            }
        }

        @Test("The benchmark exits with an error for failing operations and for unusable options")
        func failures() async throws {
            try await withCluster { cluster in
                let failed = try await cluster.baton("bench", "array", "--operations", "2", "--", "false")
                #expect(failed.status == 1)
                #expect(failed.errors.contains("Not all operations of the benchmark succeeded"), "\(failed)")
                for scenario in ["idle", "arrive-array", "cancel", "restart"] {
                    let own = try await cluster.baton("bench", scenario, "--coordinator", cluster.endpoint)
                    #expect(own.status == 64)
                    #expect(own.errors.contains("Omit --coordinator"), "\(own)")
                }
                let slots = try await cluster.baton("bench", "--slots", "2", "--coordinator", cluster.endpoint)
                #expect(slots.status == 64)
            }
        }

        @Test("A benchmark that gets SIGINT leaves neither processes nor files behind")
        func interrupt() async throws {
            try await withCluster(workers: nil) { cluster in
                let gate = try cluster.gate("held")
                let bench = try cluster.start(
                    "bench",
                    "array",
                    "--operations",
                    "1",
                    "--",
                    "sh",
                    "-c",
                    "sleep 1000 & \(gate.wait)"
                )
                try await gate.arrival()
                bench.signal(SIGINT)
                #expect(try await bench.end() == 130)
                #expect(bench.endingSignal == SIGINT)
                #expect(ProcessesOfTest.all(of: cluster.home.path).map(\.command) == [])
                #expect(try FileManager.default.contentsOfDirectory(atPath: cluster.home.path) == ["gate-held"])
            }
        }
    }
}
