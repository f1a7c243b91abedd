@_spi(Baton) import BatonTestSockets
import Foundation
import Testing

extension EndToEndTests {
    /// `baton start` whose process is killed.
    @Suite("Killed starts", .timeLimit(.minutes(60)))
    struct KilledStartTests {
        /// Ends a process by SIGKILL, and returns after its end.
        private func killAndWait(_ process: pid_t) async {
            kill(process, SIGKILL)
            await gone(process)
        }

        /// Returns after the end of a process, and of its last thread: with that, the kernel continues stopped processes whose groups are
        /// orphaned, so that a stop by a test would not last.
        private func gone(_ process: pid_t) async {
            func threads() -> [String] {
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
            }
            while isAlive("\(process)") || threads().count > 1 { await Task.yield() }
        }

        /// The processes of the connected workers by their names, as soon as there are so many.
        private func workers(_ count: Int, of cluster: TestCluster) async throws -> [String: pid_t] {
            while true {
                let workers = try await cluster.json("workers").workers.elements.filter { $0.state == "alive" }
                guard workers.count == count else { continue }
                return Dictionary(workers.map { ($0.worker.string, pid_t($0.processID.int)) }) { $1 }
            }
        }

        /// Starts a coordinator and workers in the foreground, at the address of an earlier start.
        ///
        /// - Parameter program: words of a shell.
        private func startAgain(
            _ cluster: TestCluster,
            program: String = TestCluster.baton,
            _ options: String
        ) throws -> ChildProcess {
            let address = "--coordinator \(cluster.endpoint) --http off --memory-control sampling"
            return try cluster.start(script: "exec \(program) start \(address) --lost-after 1h \(options)")
        }

        @Test("D6 The workers of a killed start go on, the next start adopts them, and nothing runs twice")
        func adopted() async throws {
            try await withCluster(workers: nil) { cluster in
                let first = try await cluster.startInBackground("--workers", "2", "--slots", "1")
                let gates = [try cluster.gate("0"), try cluster.gate("1")]
                let wait = "\(cluster.note("$BATON_OPERATION")); \(cluster.waitAtGate("$BATON_INDEX"))"
                let job = try await cluster.submit(script: wait, "--restart", "never", "--array", "0-1")
                for gate in gates { try await gate.arrival() }
                let before = try await workers(2, of: cluster)
                await killAndWait(first)
                // The end of an operation while no coordinator runs is kept, too.
                try await gates[0].open()
                let second = try await cluster.startInBackground("--workers", "2", "--slots", "1")
                #expect(first != second)
                try await gates[1].open()
                #expect(try await cluster.wait(job) == 0)
                #expect(try await workers(2, of: cluster) == before)
                #expect(Set(cluster.notes) == ["\(job)/0", "\(job)/1"] && cluster.notes.count == 2)
                #expect(try await cluster.show(job).operations.elements.map(\.attempt) == [1, 1])
                let end = try await cluster.json("shutdown")
                #expect(end.ended.elements.map(\.role.string) == ["coordinator", "worker", "worker"])
                #expect(ProcessesOfTest.all(of: cluster.home.path).map(\.command) == [])
            }
        }

        @Test("A shutdown ends the workers of a killed start, and what they executed runs again after the next one")
        func shutdown() async throws {
            try await withCluster(workers: nil) { cluster in
                let first = try await cluster.startInBackground("--workers", "2")
                _ = try await workers(2, of: cluster)
                let gate = try cluster.gate()
                let job = try await cluster.submit(script: gate.wait)
                try await gate.arrival()
                await killAndWait(first)
                let refused = try await cluster.baton("shutdown")
                #expect(refused.status == 64 && refused.errors.contains("2 workers (w1, w2)"), "\(refused)")
                let end = try await cluster.json("shutdown", "--yes")
                #expect(end.ended.elements.map(\.name.string) == ["w1", "w2"])
                #expect(ProcessesOfTest.all(of: cluster.home.path).map(\.command) == [])
                gate.reset()
                _ = try await cluster.startInBackground("--workers", "2")
                try await gate.open()
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.show("\(job)/0").attempt == 2)
                _ = try await cluster.json("shutdown")
            }
        }

        @Test("Of a start that is killed together with a worker, the other worker goes on")
        func both() async throws {
            try await withCluster(workers: nil) { cluster in
                let first = try await cluster.startInBackground("--workers", "2", "--slots", "1")
                let gates = [try cluster.gate("0"), try cluster.gate("1")]
                let job = try await cluster.submit(script: cluster.waitAtGate("$BATON_INDEX"), "--array", "0-1")
                for gate in gates { try await gate.arrival() }
                let before = try await workers(2, of: cluster)
                let killed = try await cluster.show("\(job)/0").worker.string
                await killAndWait(first)
                await killAndWait(try #require(before[killed]))
                gates[0].reset()
                _ = try await cluster.startInBackground("--workers", "2", "--slots", "1")
                for gate in gates { try await gate.open() }
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.show(job).operations.elements.map(\.attempt) == [2, 1])
                let after = try await workers(2, of: cluster)
                #expect(before.filter { after[$0.key] != $0.value }.map(\.key) == [killed])
                _ = try await cluster.json("shutdown")
            }
        }

        @Test("A start watches over adopted workers as over its own, one that hangs included, and ends them in order")
        func watched() async throws {
            try await withCluster(workers: nil) { cluster in
                let first = try await cluster.startInBackground("--workers", "3", "--slots", "1")
                let before = try await workers(3, of: cluster)
                let killed = try #require(before["w2"])
                let hanging = try #require(before["w3"])
                await killAndWait(first)
                kill(hanging, SIGSTOP)
                let second = try startAgain(cluster, "--workers 3 --slots 1")
                for name in ["w1", "w2", "w3"] {
                    try await second.error(containing: "a worker of an earlier start goes on worker=\(name)")
                }
                #expect(try await workers(2, of: cluster) == before.filter { $0.key != "w3" })
                try await cluster.change("stop", "w1", count: 1)
                try await second.error(containing: "a worker was stopped, and is not started again worker=w1")
                kill(killed, SIGKILL)
                let again = try await second.error(containing: "a worker ended unexpectedly and is started again")
                #expect(again.contains("worker=w2"))
                #expect(isAlive("\(hanging)"))
                second.signal(SIGTERM)
                #expect(try await second.end() == 0)
                #expect(ProcessesOfTest.all(of: cluster.home.path).map(\.command) == [])
            }
        }

        @Test("Workers with other options, and those that are too many, finish what they execute, and make room")
        func otherOptions() async throws {
            try await withCluster(workers: nil) { cluster in
                let first = try await cluster.startInBackground("--workers", "2", "--slots", "1")
                let gates = [try cluster.gate("0"), try cluster.gate("1")]
                let job = try await cluster.submit(script: cluster.waitAtGate("$BATON_INDEX"), "--array", "0-1")
                for gate in gates { try await gate.arrival() }
                let before = try await workers(2, of: cluster)
                let surplus = try #require(before["w2"])
                await killAndWait(first)
                let second = try startAgain(cluster, "--workers 1 --slots 2")
                try await second.error(containing: "it finishes what it executes, and is replaced worker=w1")
                try await second.error(containing: "it finishes what it executes, and leaves worker=w2")
                let late = try await cluster.submit(script: "true")
                for gate in gates { try await gate.open() }
                #expect(try await cluster.wait(job, late) == 0)
                #expect(try await cluster.show(job).operations.elements.map(\.attempt) == [1, 1])
                #expect(try await cluster.show("\(late)/0").worker == "w1")
                let w1 = try await cluster.json("workers").workers.elements.first { $0.worker == "w1" }
                #expect(w1?.slots == 2 && w1?.processID.int != before["w1"].map { Int($0) })
                await gone(surplus)
                second.signal(SIGTERM)
                #expect(try await second.end() == 0)
            }
        }

        @Test("After an upgrade of the program, the workers of a killed start finish what they execute, and make room")
        func upgrade() async throws {
            try await withCluster(workers: nil) { cluster in
                let first = try await cluster.startInBackground("--slots", "1")
                let gate = try cluster.gate()
                let job = try await cluster.submit(script: gate.wait)
                try await gate.arrival()
                let outdated = try #require(try await workers(1, of: cluster)["w1"])
                await killAndWait(first)
                let copy = "'\(cluster.home.path)/baton'"
                #expect(try await cluster.start(script: "cp \(TestCluster.baton) \(copy)").end() == 0)
                let second = try startAgain(cluster, program: copy, "--slots 1")
                try await second.error(containing: "it finishes what it executes, and is replaced worker=w1")
                try await gate.open()
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.show("\(job)/0").attempt == 1)
                await gone(outdated)
                #expect(try await cluster.baton("run", "--", "true").status == 0)
                second.signal(SIGTERM)
                #expect(try await second.end() == 0)
            }
        }

        @Test("A worker that connects to another address is stopped, and what it executed runs again")
        func otherAddress() async throws {
            try await withCluster(workers: nil) { cluster in
                let first = try await cluster.startInBackground()
                let gate = try cluster.gate()
                let job = try await cluster.submit(script: gate.wait)
                try await gate.arrival()
                let stopped = try #require(try await workers(1, of: cluster)["w1"])
                await killAndWait(first)
                let second = try await cluster.startAll("--lost-after", "1h")
                try await second.error(containing: "connects to another coordinator: it is stopped worker=w1")
                await gone(stopped)
                gate.reset()
                try await gate.open()
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.show("\(job)/0").attempt == 2)
                second.signal(SIGTERM)
                #expect(try await second.end() == 0)
            }
        }

        @Test("A second start in the state directory is refused, and leaves the workers of the first alone")
        func second() async throws {
            try await withCluster(workers: nil) { cluster in
                _ = try await cluster.startInBackground("--slots", "1")
                let before = try await workers(1, of: cluster)
                let address = LoopbackAddress.unique()
                let second = try await cluster.baton("start", "--coordinator", address, "--http", "off", "--slots", "2")
                #expect(second.status == 69, "\(second)")
                #expect(try await workers(1, of: cluster) == before)
                _ = try await cluster.json("shutdown")
            }
        }

        @Test("A worker that somebody else has started is left alone")
        func foreign() async throws {
            try await withCluster(workers: nil) { cluster in
                try await cluster.startCoordinator()
                try await cluster.startWorker("w1", slots: 3)
                let worker = try #require(cluster.workers["w1"])
                cluster.coordinator?.signal(SIGKILL)
                try await cluster.coordinator?.end()
                let start = try startAgain(cluster, "--slots 1")
                try await start.error(containing: "Another worker uses the directory")
                #expect(try await workers(1, of: cluster) == ["w1": worker.processID])
                start.signal(SIGTERM)
                #expect(try await start.end() == 0)
                #expect(worker.isRunning)
            }
        }

        @Test("A start whose terminal hangs up ends its workers in order")
        func terminal() async throws {
            try await withCluster(workers: nil) { cluster in
                let options = "--coordinator tcp://127.0.0.1:* --http off --memory-control sampling"
                let command = "exec \(TestCluster.program) start \(options) 2>> log"
                let terminal = try cluster.startOnTerminal(command: ["sh", "-c", command], input: "/dev/null")
                try await cluster.start(script: "until grep -q welcomed log; do sleep 0.05; done").end()
                // The other end of the terminal is closed by that.
                terminal.signal(SIGKILL)
                try await terminal.end()
                while !ProcessesOfTest.all(of: cluster.home.path).isEmpty { await Task.yield() }
                #expect(cluster.read("log").contains("worker: stopped"))
            }
        }
    }
}
