@_spi(Baton) import BatonKeys
import Foundation
import Testing

/// The behaviour of a cluster while one of the workers cannot start any process (D9).
@Suite("Faults of workers", .timeLimit(.minutes(60)))
struct WorkerFaultTests {
    @Test("D9 A worker makes its removed directory again, and no operation fails")
    func removedDirectory() async throws {
        try await withCluster(workers: 1, slots: 2) { cluster in
            try await cluster.startWorker("w2", slots: 2, in: "second")
            try FileManager.default.removeItem(at: cluster.home.appending(path: "workers"))
            try await expectAllToSucceed(cluster)
            try await cluster.workers["w1"]?.error(containing: "it was created again")
            // Inputs, results and the lock need the directory, and work again.
            let graph = """
                {operations: [{name: "a", command: "printf 5 > $BATON_RESULT"},
                 {name: "b", command: "test $(cat $BATON_INPUTS/a) = 5 && test -z \\"$(ls -A $BATON_INPUTS/../../results/none)\\"",
                  needs: ["a"]}]}
                """
            for _ in 1...4 {
                let job = try await cluster.baton("submit", "--file", try cluster.write(graph, to: "graph.json5"))
                #expect(try await cluster.wait(job.line) == 0)
            }
            let second = try await cluster.baton("worker", "--name", "w1")
            #expect(second.status != 0 && second.errors.contains("Another worker"), "\(second)")
        }
    }

    @Test("D9 A worker without a usable directory is shown as failing, no operation fails, and it goes on once it can")
    func unusableDirectory() async throws {
        try await withCluster(workers: 1, slots: 2) { cluster in
            try await cluster.startWorker("w2", slots: 2, in: "second")
            let directory = cluster.home.appending(path: "workers")
            let begin = ContinuousClock.now
            try FileManager.default.removeItem(at: directory)
            try cluster.write("", to: "workers")
            try await expectAllToSucceed(cluster)
            let reason = try await expectFailing("w1", in: cluster)
            #expect(reason.contains("workers/w1"), "\(reason)")
            let text = try #require(cluster.workers["w1"]?.errorText)
            let complaints = text.components(separatedBy: "cannot start operations").count - 1
            let minutes = Int((ContinuousClock.now - begin) / Duration.seconds(60))
            #expect(complaints >= 1 && complaints <= 1 + minutes, "it says so once a minute")

            // Now no worker can run an operation, and no operation fails.
            cluster.workers["w2"]?.signal(SIGTERM)
            try await cluster.workers["w2"]?.end()
            let job = try await cluster.submit("--restart", "never", "--array", "1-5", "--", "true")
            try await expect(in: cluster) {
                let waits = try await $0.json("explain", "\(job)/0").waitsFor
                return waits.elements.contains { $0.kind == "failing" && $0.worker == "w1" }
            }
            // A trial may be on its way just now.
            try await expect(in: cluster) {
                try await $0.baton("explain", "\(job)/0").output.contains("The worker w1 cannot start operations")
            }

            try FileManager.default.removeItem(at: directory)
            #expect(try await cluster.wait(job) == 0)
            #expect(try await cluster.json("workers").workers.elements.first?.state == "alive")
            try await cluster.workers["w1"]?.error(containing: "can start operations again")
        }
    }

    @Test("D9 A worker goes on beside named pipes in the place of its files for output")
    func pipesForOutput() async throws {
        try await withCluster(workers: 1, slots: 2) { cluster in
            let outputs = cluster.home.appending(path: "workers/w1/outputs").path
            for _ in 1...3 {
                let job = try await cluster.submit("--", "sh", "-c", "echo printed")
                #expect(try await cluster.wait(job) == 0)
                let names = try FileManager.default.contentsOfDirectory(atPath: outputs)
                for name in names where name.hasPrefix("blank-") {
                    let path = outputs + "/" + name
                    if unlink(path) == 0 { try #require(mkfifo(path, 0o600) == 0) }
                }
            }
        }
    }

    @Test("D9 An operation whose result was removed with its directory runs again, and its dependents get the result")
    func removedResults() async throws {
        try await withCluster(workers: 1, slots: 2) { cluster in
            let graph = """
                {operations: [
                 {name: "a", command: "printf 5 > $BATON_RESULT; mkdir once && rm -r ${BATON_RESULT%/*}; true"},
                 {name: "b", command: "test $(cat $BATON_INPUTS/a) = 5", needs: ["a"]}]}
                """
            let job = try await cluster.baton("submit", "--file", try cluster.write(graph, to: "graph.json5"))
            #expect(try await cluster.wait(job.line) == 0)
            #expect(try await cluster.show("\(job.line)/0").attempt == 2)
            try await cluster.workers["w1"]?.error(containing: "it was created again")
        }
    }

    @Test("A worker beside a named pipe in the place of its identity says so at its start, and exits with 77")
    func pipeForIdentity() async throws {
        try await withCluster(workers: 1) { cluster in
            cluster.workers["w1"]?.signal(SIGTERM)
            try await cluster.workers["w1"]?.end()
            let path = cluster.home.appending(path: "workers/w1/identity").path
            try #require(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
            let refused = try await cluster.baton("worker", "--name", "w1")
            #expect(refused.status == 77, "\(refused)")
            #expect(refused.errors.contains("is a link, or no ordinary file. Remove it."), "\(refused)")
        }
    }

    @Test(
        "D9 A worker on a disk without room for another file is shown as failing, and no operation fails",
        .enabled(if: FillableDisk.Kind.canMount, "a small file system cannot be mounted here")
    )
    func inodes() async throws {
        try await withCluster(workers: 1, slots: 2) { cluster in
            let disk = cluster.home.appending(path: "disk").path
            try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
            let options = geteuid() == 0 ? "--mount" : "--mount --user --map-root-user"
            // Enough room for the worker's own directories, and none for operations.
            let broken = try cluster.start(
                script: """
                    \(try cluster.giveKey(of: .worker)); exec unshare \(options) sh -c 'mount -t tmpfs -o size=4m,nr_inodes=11 tmpfs disk && exec \
                    "\(TestCluster.program)" worker --name w2 --slots 2 --home disk'
                    """
            )
            try await broken.error(containing: "welcomed")
            try await expectAllToSucceed(cluster)
            let reason = try await expectFailing("w2", in: cluster)
            #expect(reason.contains("No space left on device"), "\(reason)")
            broken.signal(SIGTERM)
            #expect(try await broken.end() == 0)
        }
    }

    @Test("D9 A worker with few descriptors has fewer slots, and all its operations succeed")
    func descriptors() async throws {
        try await withCluster(workers: 0) { cluster in
            // What other tests open at this moment is inherited, too, and would leave no room.
            let worker = try cluster.start(
                script: """
                    exec bash -c 'for file in /proc/self/fd/*; do
                      n=${file##*/}; if ((n > 2)); then exec {n}>&-; fi
                    done
                    ulimit -n 64; exec "\(TestCluster.program)" worker --name w1 --slots 64'
                    """
            )
            try await worker.error(containing: "welcomed")
            #expect(worker.errorText.contains("the limit of open files is too low for all slots"))
            let slots = try #require(try await cluster.json("workers").workers.elements.first?.slots.int)
            #expect((1..<16).contains(slots))
            let job = try await cluster.submit("--array", "1-100", "--", "sh", "-c", "echo {}; sleep 0.05")
            #expect(try await cluster.wait(job) == 0)
            #expect(!worker.errorText.contains("cannot start operations"), "\(worker.errorText)")
            worker.signal(SIGTERM)
            #expect(try await worker.end() == 0)
        }
    }

    @Test("D9 An operation of which some commands have started is ended, and is lost if it must not restart")
    func partly() async throws {
        try await withCluster(workers: 0) { cluster in
            let worker = try cluster.start(
                script: "ulimit -n 64; exec '\(TestCluster.program)' worker --name w1 --slots 1"
            )
            try await worker.error(containing: "welcomed")
            let commands = Array(repeating: #"["sleep", "1000"]"#, count: 60).joined(separator: ",")
            let graph = #"{operations: [{name: "many", commands: [\#(commands)], restart: "never"}]}"#
            let job = try await cluster.baton("submit", "--file", try cluster.write(graph, to: "graph.json5"))
            #expect(try await cluster.wait(job.line) == 1)
            let end = try await cluster.show("\(job.line)/0")
            #expect((end.reason, end.attempt) == ("lost", 1))
            #expect(ProcessesOfTest.all(of: cluster.home.path).allSatisfy { !$0.command.contains("sleep") })
            worker.signal(SIGTERM)
            #expect(try await worker.end() == 0)
        }
    }

    @Test(
        "D9 A worker at its limit of processes is failing, stays connected, and runs its operations later",
        .enabled(if: geteuid() == 0, "another user is needed, whom the limit holds for")
    )
    func processes() async throws {
        try await withCluster(workers: 0, coordinator: ["--suspect-after", "10s", "--lost-after", "20s"]) { cluster in
            // A user id without other processes, so that only the worker's processes count.
            let user = "--reuid \(61_000 + Int(getpid()) % 4000) --regid 61000 --clear-groups"
            let home = cluster.home.appending(path: "other")
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
            for path in [home.path, cluster.home.path] { chmod(path, 0o777) }
            let worker = try cluster.start(
                script: """
                    \(try cluster.giveKey(of: .worker)); exec setpriv \(user) '\(TestCluster.program)' worker --name w1 --slots 2 \
                    --home '\(home.path)'
                    """
            )
            try await worker.error(containing: "welcomed")
            func limit(to count: String) async throws {
                let setter = try cluster.start(
                    script: "exec setpriv \(user) prlimit --pid \(worker.processID) --nproc=\(count):"
                )
                try #require(await setter.end() == 0, "\(setter.errorText)")
            }
            let before = try #require(Self.hardLimit(of: worker.processID))
            try await limit(to: "1")
            let job = try await cluster.submit("--array", "1-20", "--", "true")
            let reason = try await expectFailing("w1", in: cluster)
            #expect(reason.contains("Resource temporarily unavailable"), "\(reason)")
            // Twice as long as it takes to be lost: its loop does not wait for a thread.
            let watcher = try cluster.watch()
            try await Task.sleep(for: .seconds(40))
            #expect(try await cluster.json("workers").workers.elements.first?.state == "failing")
            try await limit(to: before)
            #expect(try await cluster.wait(job) == 0)
            #expect(!watcher.process.outputText.contains(#""state":"lost""#))
            #expect(!watcher.process.outputText.contains(#""state":"suspect""#))
            try await limit(to: "1")
            worker.signal(SIGTERM)
            #expect(try await worker.end() == 0)
        }
    }

    private static func hardLimit(of process: Int32) -> String? {
        let limits = (try? String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)) ?? ""
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max processes") }
        return line?.split(separator: " ").dropLast().last.map(String.init)
    }

    // MARK: - Steps

    /// Expects that 60 operations succeed with one attempt each.
    private func expectAllToSucceed(_ cluster: TestCluster) async throws {
        let job = try await cluster.submit("--array", "1-60", "--", "sh", "-c", "echo {}; sleep 0.02")
        #expect(try await cluster.wait(job) == 0)
        let operations = try await cluster.show(job).operations.elements
        #expect(operations.count == 60 && operations.allSatisfy { $0.attempt == 1 })
    }

    /// Expects that a worker is shown as failing.
    ///
    /// - Returns: its reason.
    private func expectFailing(_ name: String, in cluster: TestCluster) async throws -> String {
        try await expect(in: cluster) { cluster in
            try await cluster.json("workers").workers.elements.contains {
                $0.worker.string == name && $0.state == "failing"
            }
        }
        let workers = try await cluster.json("workers").workers.elements
        let reason = workers.first { $0.worker.string == name }?.reason.string ?? ""
        let status = try await cluster.json("status").failing.elements
        #expect(status.map { $0.worker.string } == [name] && status.first?.reason.string == reason)
        let text = try await cluster.baton("status")
        #expect(text.output.contains("failing:") && text.output.contains(name), "\(text)")
        return reason
    }

    /// Waits until something is so; the time limit ends it.
    private func expect(
        in cluster: TestCluster,
        _ condition: (TestCluster) async throws -> Bool
    ) async throws {
        while try await !condition(cluster) { try await Task.sleep(for: .milliseconds(50)) }
    }
}
