import Foundation
import Testing

extension EndToEndTests {
    @Suite("Traces of jobs", .timeLimit(.minutes(60)))
    struct TraceTests {
        /// The attempts of a trace, in the order of the document.
        private func slices(_ trace: JSONValue) -> [JSONValue] {
            trace.traceEvents.elements.filter { $0.ph == "X" && $0.pid.number > 0 }
        }

        /// Checks what holds for each trace: no two attempts of a thread overlap, and each thread has a name.
        private func check(_ trace: JSONValue, sourceLocation: SourceLocation = #_sourceLocation) {
            let events = trace.traceEvents.elements
            var threads: [[Int]: [JSONValue]] = [:]
            for slice in slices(trace) { threads[[slice.pid.int, slice.tid.int], default: []].append(slice) }
            for (thread, slices) in threads {
                let sorted = slices.sorted { ($0.ts.int, $0.dur.int) < ($1.ts.int, $1.dur.int) }
                for (one, next) in zip(sorted, sorted.dropFirst()) {
                    #expect(one.ts.int + one.dur.int <= next.ts.int, "\(one) \(next)", sourceLocation: sourceLocation)
                }
                let isNamed = events.contains {
                    $0.name == "thread_name" && $0.pid.int == thread[0] && $0.tid.int == thread[1]
                }
                #expect(isNamed, sourceLocation: sourceLocation)
            }
            let ends = events.filter { $0.ph == "f" }.map(\.id)
            #expect(events.filter { $0.ph == "s" }.map(\.id) == ends, sourceLocation: sourceLocation)
            #expect(trace.otherData.shown.int == slices(trace).count + events.count { $0.ph == "i" && $0.s == "p" })
        }

        @Test("A trace has all attempts on two workers, also those that were retried or lost with a worker")
        func attempts() async throws {
            try await withCluster(workers: 2) { cluster in
                let hostile = #"a"><b>\"&"#
                let gate = try cluster.gate("lost")
                let graph = """
                    { name: "study", operations: [
                      { name: 'a"><b>\\\\"&', command: "true" },
                      { name: "parts", array: "1-3", needs: ['a"><b>\\\\"&'], retries: 1, retryDelay: "1ms",
                        command: 'test $BATON_INDEX != 2 || test $BATON_ATTEMPT = 2' },
                      { name: "long", needs: ["parts"], command: "test $BATON_ATTEMPT = 2 || \(gate.wait)" },
                      { name: "alarm", command: "true", onFailure: ["long"] },
                    ] }
                    """
                try cluster.write(graph, to: "graph.json")
                let job = try await cluster.submit("--file", cluster.home.appending(path: "graph.json").path)
                try await gate.arrival()
                let running = try JSONValue(parsing: try await cluster.baton("trace", job).output)
                check(running)
                let executing = slices(running).filter { $0.cat == "executing" }
                #expect(executing.map(\.name) == ["long"] && executing.map(\.args.outcome) == [nil])
                let whole = running.traceEvents.elements.first
                #expect(executing.first.map { $0.ts.int + $0.dur.int } == whole?.dur.int && whole?.cat == "executing")

                let worker = try await cluster.show("\(job)/long").worker.string
                cluster.workers[worker]?.signal(SIGKILL)
                _ = try await cluster.workers[worker]?.end()
                // The worker that comes back says that it no longer has the attempt.
                try await cluster.startWorker(worker)
                #expect(try await cluster.wait(job) == 0)

                let file = cluster.home.appending(path: "trace.json").path
                let written = try await cluster.baton("trace", "last", "--output", file)
                #expect(
                    written.status == 0 && written.output.isEmpty && written.errors.contains("perfetto"),
                    "\(written)"
                )
                #expect(written.errors.contains("7 attempts"), "\(written)")
                let trace = try JSONValue(parsing: cluster.read("trace.json"))
                check(trace)
                #expect(
                    trace.otherData.job.int == Int(job) && trace.otherData.name == "study"
                        && trace.otherData.attempts == 7
                )
                let slices = slices(trace)
                #expect(slices.count == 7)
                #expect(slices.filter { $0.name == "parts.2" }.map(\.cat) == ["failed", "succeeded"])
                #expect(slices.filter { $0.name == "long" }.map(\.cat) == ["lost", "succeeded"])
                #expect(slices.filter { $0.name == "long" }.map(\.args.attempt) == [1, 2])
                #expect(slices.first?.name == .text(hostile) && slices.first?.args.operation == .text("\(job)/0"))
                #expect(slices.last?.args.critical == true && slices.last?.args.outcome == "succeeded")
                let events = trace.traceEvents.elements
                #expect(events.filter { $0.ph == "i" }.map(\.name) == ["retry", "lost"])
                // Three from the first operation, and three to the last.
                #expect(events.count { $0.ph == "s" } == 6)
                let workers = events.filter { $0.name == "process_name" }.map(\.args.name.string)
                #expect(
                    workers.contains("worker w1") && workers.contains("worker w2") && workers.contains("job \(job)")
                )
                for counter in ["executing", "ready"] {
                    let values = events.filter { $0.ph == "C" && $0.name == .text(counter) }
                    #expect(values.last?.args.value == 0 && values.contains { $0.args.value.int > 0 }, "\(values)")
                    #expect(values.map(\.ts.int) == values.map(\.ts.int).sorted())
                }
            }
        }

        @Test("The attempts of a worker take no more lanes than it has slots")
        func lanes() async throws {
            try await withCluster(slots: 3) { cluster in
                // More than one page of the history.
                let job = try await cluster.submit("--array", "1-2500", "--", "true")
                #expect(try await cluster.wait(job) == 0)
                let trace = try JSONValue(parsing: try await cluster.baton("trace", job).output)
                check(trace)
                #expect(slices(trace).count == 2500 && Set(slices(trace).map(\.tid.int)).isSubset(of: [1, 2, 3]))
                #expect(slices(trace).first?.name.string.hasPrefix("\(job)/") == true)
            }
        }

        @Test(
            "A job that never started has an empty trace; a missing job and a file that cannot be written have clear answers"
        )
        func nothing() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit("--hold", "--", "true")
                let trace = try JSONValue(parsing: try await cluster.baton("trace", job).output)
                check(trace)
                #expect(
                    slices(trace).isEmpty && trace.otherData.attempts == 0
                        && trace.traceEvents.elements.first?.cat == "pending"
                )
                let missing = try await cluster.baton(
                    "trace",
                    "77",
                    "--output",
                    cluster.home.appending(path: "no").path
                )
                #expect(missing.status == 66 && missing.errors.contains("baton list"), "\(missing)")
                #expect(!FileManager.default.fileExists(atPath: cluster.home.appending(path: "no").path))
                let file = cluster.home.appending(path: "nowhere/trace.json").path
                let unwritable = try await cluster.baton("trace", job, "--output", file)
                #expect(unwritable.status == 77 && unwritable.errors.contains("nowhere"), "\(unwritable)")
                #expect(try await cluster.baton("trace", "\(job)/0").status == 64)
            }
        }
    }
}
