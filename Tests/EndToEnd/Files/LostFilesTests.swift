import Foundation
import Testing

extension EndToEndTests {
    /// Lost files: the last copy is gone, and an operation that has not started needs the file.
    @Suite("Lost files", .timeLimit(.minutes(60)))
    struct LostFilesTests {
        @Test(
            "FI6 Once every copy is lost before a dependent starts, the producers run again under higher numbers, and their ends stay",
            arguments: FileLoss.allCases
        )
        func fi6(_ loss: FileLoss) async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let job = try await cluster.submitChain()
                #expect(try await cluster.finish("\(job)/b") == 0)
                let before = [try await cluster.verdict(on: "\(job)/a"), try await cluster.verdict(on: "\(job)/b")]
                let watcher = try cluster.watch()
                let counts = try await cluster.show(job).counts

                try await cluster.lose("w1", by: loss)
                if loss == .leaving { try await cluster.startHost("w3") }
                try await cluster.change("release", "\(job)/c", count: 1)
                #expect(try await cluster.finish(job) == 0)
                #expect(cluster.notes == ["a-1", "b-1", "a-2", "b-2", "c-1"])
                #expect(try await cluster.baton("log", "\(job)/c").output == TestCluster.chainOutput)
                for (place, name) in ["a", "b"].enumerated() {
                    let operation = try await cluster.show("\(job)/\(name)")
                    #expect(operation.attempt == 2, "\(operation)")
                    #expect(try await cluster.verdict(on: "\(job)/\(name)") == before[place])
                    let earlier = try await cluster.earlierAttempts(of: "\(job)/\(name)")
                    let messages = earlier.map(\.message.string)
                    #expect(messages.contains { $0.contains("files") && $0.contains("w1") }, "\(earlier)")
                    #expect(try await cluster.files("\(job)/\(name)").map(\.attempt) == [2])
                }
                #expect(counts.succeeded == 2)
                let after = try await cluster.show(job).counts
                #expect((after.succeeded, after.failed) == (3, 0))
                // Nobody who watches sees a finished operation leave its end, or end again.
                let events = try await cluster.eventsSoFar(of: watcher)
                for index in 0...1 {
                    let states = events.about("\(job)/\(index)").filter { $0.state == "finished" }
                    #expect(states.count == 1, "\(states)")
                }
            }
        }

        @Test("FI6 While its files are made again, an operation says so, and its producer still counts as finished")
        func fi6Explained() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let (first, second) = (try cluster.gate("make-1"), try cluster.gate("make-2"))
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "make", command: "\(cluster.waitAtGate("make-$BATON_ATTEMPT")); echo x > x.txt; echo y > y.txt",
                            outputs: ["*.txt"], labels: ["host=w1"] },
                          { name: "use", command: "cat $BATON_INPUTS/make/x.txt", needs: ["make"], labels: ["host=w2"], hold: true },
                        ] }
                        """
                )
                try await first.open(for: "the first attempt")
                #expect(try await cluster.finish("\(job)/make") == 0)
                try await cluster.loseDisk(of: "w1")
                try await cluster.change("release", "\(job)/use", count: 1)
                try await second.arrival(of: "the attempt that makes the files again")
                let explanation = try await cluster.json("explain", "\(job)/use")
                let reasons = explanation.waitsFor.elements.filter { $0.kind == "files" }
                #expect(reasons.count == 1, "\(explanation)")
                let sentence = reasons.first?.message.string ?? ""
                #expect(sentence.contains("w1") && sentence.contains("\(job)/0"), "\(sentence)")
                let make = try await cluster.show("\(job)/make")
                #expect((make.state, make.outcome) == ("finished", "succeeded"))
                #expect(try await cluster.show(job).counts.succeeded == 1)
                #expect(try await cluster.baton("wait", "\(job)/make", "--timeout", "0s").status == 0)
                try await second.open(for: "the attempt that makes the files again")
                #expect(try await cluster.finish(job) == 0)
            }
        }

        @Test(
            "FI6 Only what is lost runs again: a copy elsewhere, a worker that is only away, or nobody who needs it prevents it"
        )
        func fi6Needless() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2", "w3"] { try await cluster.startHost(name) }
                // w2 gets a copy of the file of a.
                let job = try await cluster.submitChain()
                let copy = try await cluster.submit(
                    graph: "{operations: [{command: 'true', needs: ['\(job)/a'], labels: ['host=w2']}]}"
                )
                let useless = try await cluster.submit(
                    graph: """
                        {operations: [{command: 'echo useless >> \(cluster.home.path)/notes; echo x > x', outputs: ['x'],
                          workspace: 'fresh', labels: ['host in (w1,w3)']}]}
                        """
                )
                #expect(try await cluster.finish("\(job)/b", copy, useless) == 0)
                // Both hosts of the producers are only away: nothing runs again.
                for name in ["w1", "w3"] {
                    let worker = try #require(cluster.workers[name])
                    worker.signal(SIGKILL)
                    _ = try await worker.end(of: "the killed worker \(name)")
                }
                try await cluster.change("release", "\(job)/c", count: 1)
                let probe = try await cluster.submit(graph: "{operations: [{command: 'true', labels: ['host=w2']}]}")
                #expect(try await cluster.finish(probe) == 0)
                #expect(try await cluster.show("\(job)/c").state != "finished")
                #expect(cluster.notes.filter { $0.hasPrefix("a-") || $0.hasPrefix("b-") }.count == 2)
                // Both come back with nothing: b has to run again, and a not.
                for name in ["w1", "w3"] {
                    try await cluster.startHost(name, in: "empty-\(name)", options: ["--replace"])
                }
                #expect(try await cluster.finish(job) == 0)
                #expect(cluster.notes.filter { $0.hasPrefix("a-") } == ["a-1"])
                #expect(cluster.notes.filter { $0.hasPrefix("b-") } == ["b-1", "b-2"])
                #expect(cluster.notes.filter { $0 == "useless" }.count == 1)
                #expect(try await cluster.baton("log", "\(job)/c").output == TestCluster.chainOutput)
            }
        }

        @Test("FI6 A holder that comes back with its files before it counts as lost gives them, and nothing runs again")
        func fi6Back() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let job = try await cluster.submitChain()
                #expect(try await cluster.finish("\(job)/b") == 0)
                let worker = try #require(cluster.workers["w1"])
                worker.signal(SIGKILL)
                _ = try await worker.end(of: "the killed holder")
                try await cluster.change("release", "\(job)/c", count: 1)
                try await cluster.startHost("w1")
                #expect(try await cluster.finish(job) == 0)
                #expect(cluster.notes == ["a-1", "b-1", "c-1"])
                #expect(try await cluster.baton("log", "\(job)/c").output == TestCluster.chainOutput)
            }
        }

        @Test(
            "FI6 A holder killed while a dependent runs or after it has ended is needed by nobody, and nothing runs again"
        )
        func fi6Late() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let gate = try cluster.gate()
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "make", command: "\(cluster.note("make")); echo x > x.txt", outputs: ["x.txt"], labels: ["host=w1"] },
                          { name: "use", command: "\(gate.wait); cat $BATON_INPUTS/make/x.txt; \(cluster.note("use"))",
                            needs: ["make"], labels: ["host=w2"] },
                          { name: "last", command: "\(cluster.note("last"))", needs: ["use"], labels: ["host=w1"] },
                        ] }
                        """
                )
                try await gate.arrival(of: "the dependent")
                try await cluster.loseDisk(of: "w1")
                try await gate.open(for: "the dependent")
                #expect(try await cluster.finish("\(job)/use") == 0)
                try await cluster.loseDisk(of: "w2")
                #expect(try await cluster.finish(job) == 0)
                #expect(cluster.notes == ["make", "use", "last"])
                #expect(try await cluster.baton("log", "\(job)/use").output == "x\n")
            }
        }

        @Test(
            "FI6 A holder that is lost while a dependent fetches gives the attempt back, which starts once the files are made again",
            arguments: FileLoss.allCases
        )
        func fi6Fetching(_ loss: FileLoss) async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let job = try await cluster.submitChain()
                #expect(try await cluster.finish("\(job)/b") == 0)
                // A stopped holder answers nothing, so the dependent's worker waits in the middle of its fetch.
                let holder = try #require(cluster.workers["w1"])
                holder.pause()
                try await cluster.change("release", "\(job)/c", count: 1)
                try await eventually(orFail: "The operation \(job)/c was not sent to a worker.") {
                    try await cluster.show("\(job)/c").state == "ready"
                }
                if loss == .leaving {
                    holder.signal(SIGTERM)
                    holder.signal(SIGCONT)
                    _ = try await holder.end(of: "the holder that leaves")
                    try await cluster.startHost("w3")
                } else {
                    try await cluster.loseDisk(of: "w1")
                }
                #expect(try await cluster.finish(job) == 0)
                #expect(try await cluster.baton("log", "\(job)/c").output == TestCluster.chainOutput)
                let last = try await cluster.show("\(job)/c")
                #expect(
                    last.outcome == "succeeded" && last.losses == 0,
                    "an attempt that never started is no loss: \(last)"
                )
                #expect(cluster.notes.filter { $0.hasPrefix("c-") }.count == 1)
                // A holder that leaves may still have given the file before.
                if loss == .disk { #expect(cluster.notes.dropLast() == ["a-1", "b-1", "a-2", "b-2"]) }
            }
        }

        @Test(
            "FI6 A coordinator that is killed while files are made again goes on with that attempt, and nothing runs twice"
        )
        func fi6Coordinator() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let gates = try (1...2).map { try cluster.gate("make-\($0)") }
                let job = try await cluster.submit(
                    graph: """
                        { defaults: { workspace: "fresh" }, operations: [
                          { name: "make", command: "echo make-$BATON_ATTEMPT >> '\(cluster.home.path)/notes'; \
                        \(cluster.waitAtGate("make-$BATON_ATTEMPT")); echo x > x.txt", outputs: ["x.txt"], labels: ["host=w1"] },
                          { name: "use", command: "\(cluster.note("use")); cat $BATON_INPUTS/make/x.txt", needs: ["make"],
                            labels: ["host=w2"], hold: true },
                        ] }
                        """
                )
                try await gates[0].open(for: "the first attempt")
                #expect(try await cluster.finish("\(job)/make") == 0)
                let before = try await cluster.verdict(on: "\(job)/make")
                try await cluster.loseDisk(of: "w1")
                try await cluster.change("release", "\(job)/use", count: 1)
                try await gates[1].arrival(of: "the attempt that makes the files again")
                try await cluster.restartCoordinator(with: SIGKILL)
                #expect(try await cluster.verdict(on: "\(job)/make") == before)
                try await gates[1].open(for: "the attempt that makes the files again")
                #expect(try await cluster.finish(job) == 0)
                #expect(cluster.notes == ["make-1", "make-2", "use"])
                #expect(try await cluster.verdict(on: "\(job)/make") == before)
                #expect(try await cluster.baton("log", "\(job)/use").output == "x\n")
                #expect(try await cluster.files("\(job)/make").map(\.attempt) == [2])
                // The next life knows all of it, too.
                try await cluster.restartCoordinator(with: SIGKILL)
                #expect(try await cluster.show("\(job)/make").attempt == 2)
                #expect(try await cluster.verdict(on: "\(job)/make") == before)
            }
        }

        @Test(
            "FI6 Files that were lost while no coordinator ran are made again after its start, and not before its workers had time"
        )
        func fi6Absent() async throws {
            try await withCluster(workers: 0) { cluster in
                for name in ["w1", "w2"] { try await cluster.startHost(name) }
                let job = try await cluster.submitChain()
                #expect(try await cluster.finish("\(job)/b") == 0)
                cluster.coordinator?.signal(SIGKILL)
                _ = try await cluster.coordinator?.end(of: "the killed coordinator")
                let worker = try #require(cluster.workers["w1"])
                worker.signal(SIGKILL)
                _ = try await worker.end(of: "the killed holder")
                try await cluster.startCoordinator()
                try await cluster.change("release", "\(job)/c", count: 1)
                #expect(cluster.notes == ["a-1", "b-1"])
                try await cluster.startHost("w1", in: "empty", options: ["--replace"])
                #expect(try await cluster.finish(job) == 0)
                #expect(cluster.notes == ["a-1", "b-1", "a-2", "b-2", "c-1"])
                #expect(try await cluster.baton("log", "\(job)/c").output == TestCluster.chainOutput)
            }
        }
    }
}
