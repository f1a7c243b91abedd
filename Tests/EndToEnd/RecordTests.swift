import Foundation
import Testing

/// The reaction of a coordinator to a damaged record, and to a record in use by another coordinator.
@Suite("The record's file", .timeLimit(.minutes(60)))
struct RecordTests {
    /// Starts a second coordinator, which is expected to be refused.
    private func second(
        _ cluster: TestCluster,
        store: String
    ) async throws -> TestCluster.CommandResult {
        let process = try cluster.start("coordinator", "--listen", "tcp://127.0.0.1:*", "--store", store, "--json")
        let status = try await process.end()
        return TestCluster.CommandResult(status: status, bytes: process.output, errors: process.errorText)
    }

    @Test("A second coordinator on a record is refused under each of its names, also without the lock file")
    func secondCoordinator() async throws {
        try await withCluster { cluster in
            let files = FileManager.default
            let record = cluster.home.appending(path: "baton.db").path
            try files.createSymbolicLink(atPath: record + ".symbolic", withDestinationPath: record)
            try files.linkItem(atPath: record, toPath: record + ".hard")
            func expectRefusals() async throws {
                for store in [record, record + ".symbolic", record + ".hard"] {
                    let result = try await second(cluster, store: store)
                    #expect(result.status == 69, "\(store): \(result)")
                    #expect(result.errors.contains("\"storeInUse\""), "\(store): \(result)")
                    #expect(result.errors.contains("is in use by another coordinator"), "\(store): \(result)")
                }
            }
            try await expectRefusals()
            try files.removeItem(atPath: record + ".lock")
            try await expectRefusals()
            #expect(try await cluster.baton("run", "--", "true").status == 0)
        }
    }

    @Test("A coordinator whose record was moved away acknowledges nothing, says why, and goes on when it is back")
    func replaced() async throws {
        // The first change that cannot be committed waits, later ones are refused at once. The coordinator's own readings of the
        // clock may come first, so either may happen to the submission.
        try await withCluster(workers: 0) { cluster in
            _ = try await cluster.json("status")
            let files = FileManager.default
            let record = cluster.home.appending(path: "baton.db").path
            try files.moveItem(atPath: record, toPath: record + ".away")
            let result = try await second(cluster, store: record)
            #expect(result.status == 69, "\(result)")
            let submission = try cluster.start("submit", "--", "true")
            let line = try await cluster.coordinator?.error(containing: "the record cannot be written")
            #expect(line?.contains("was removed, moved or replaced") == true, "\(line ?? "")")
            #expect(submission.outputText.isEmpty, "what is not committed is not acknowledged")
            try? files.removeItem(atPath: record)
            try files.moveItem(atPath: record + ".away", toPath: record)
            if try await submission.end() != 0 {
                #expect(submission.errorText.contains("Nothing was changed"), "\(submission.errorText)")
                // The coordinator tries the record again by and by.
                while try await cluster.baton("submit", "--", "true").status != 0 {}
            }
            #expect(submission.outputText.isEmpty || submission.outputText == "1\n")
            #expect(try await cluster.json("list").jobs.elements.map(\.job) == [.number(1)])
        }
    }

    @Test("A log that is removed under a coordinator is saved, and health says so; one that is removed later is missed")
    func logRemoved() async throws {
        try await withCluster(workers: nil) { cluster in
            let log = cluster.home.path + "/baton.db-wal"
            try await cluster.startCoordinator()
            let first = try await cluster.submit("--hold", "--", "true")
            try FileManager.default.removeItem(atPath: log)
            // Nobody has to change anything for the removal to be noticed.
            let line = try await cluster.coordinator?.error(containing: "the record cannot be written")
            #expect(line?.contains("baton.db-wal was removed") == true, "\(line ?? "")")
            let health = try await cluster.baton("health", "--ready")
            #expect(health.status == 69 && health.output.contains("is saved in"), "\(health)")
            let refused = try await cluster.baton("submit", "--", "true")
            #expect(refused.status == 70 && refused.output.isEmpty, "\(refused)")
            try await cluster.restartCoordinator(with: SIGKILL)
            #expect(try await cluster.show("\(first)/0").state == "pending")

            // A log that is removed after a kill is lost, and so are the jobs in it.
            for _ in 2...4 { _ = try await cluster.submit("--hold", "--", "true") }
            let coordinator = try #require(cluster.coordinator)
            coordinator.signal(SIGKILL)
            try await coordinator.end()
            try FileManager.default.removeItem(atPath: log)
            let arguments = ["coordinator", "--listen", cluster.endpoint, "--http", "off"]
            for json in [[], ["--json"]] {
                let process = try cluster.start(arguments + json)
                #expect(try await process.end() == 65, "\(process.errorText)")
                #expect(process.errorText.contains("3 jobs, 2 to 4"), "\(process.errorText)")
                #expect(json.isEmpty || process.errorText.contains("\"storeIncomplete\""), "\(process.errorText)")
            }
            let accepting = try cluster.start(arguments + ["--accept-loss"])
            try await accepting.error(containing: "goes on without a part of its record")
            try await accepting.error(containing: "listening")
            #expect(try await cluster.submit("--hold", "--", "true") == "5", "no number is given twice")
            accepting.signal(SIGTERM)
            #expect(try await accepting.end() == 0)
            try await cluster.startCoordinator()
            #expect(try await cluster.json("list").jobs.elements.map(\.job) == [.number(5), .number(1)])
        }
    }

    /// Waits until a coordinator finds a harmed file by itself, expects that it acknowledges nothing more, and stops it.
    private func expectEndWithoutAcknowledgement(of cluster: TestCluster, _ file: String, _ harm: String) async throws {
        let line = try await cluster.coordinator?.error(containing: "the record cannot be written") ?? ""
        #expect(line.contains(file) && line.contains(harm), "\(line)")
        let health = try await cluster.baton("health", "--ready")
        #expect(health.status == 69 && health.output.contains(harm), "\(health)")
        let refused = try await cluster.baton("submit", "--", "true")
        #expect(refused.status == 70 && refused.output.isEmpty, "\(refused)")
        let coordinator = try #require(cluster.coordinator)
        coordinator.signal(SIGTERM)
        try await coordinator.end()
    }

    @Test("A log that is cut under a coordinator stops acknowledgements, and an orderly end leaves the record as it is")
    func logCut() async throws {
        try await withCluster(workers: nil) { cluster in
            let record = cluster.home.path + "/baton.db"
            try await cluster.startCoordinator()
            for _ in 1...3 { _ = try await cluster.submit("--hold", "--", "true") }
            let log = try Data(contentsOf: URL(filePath: record + "-wal"))
            try #require(truncate(record + "-wal", 0) == 0)
            try await expectEndWithoutAcknowledgement(of: cluster, "baton.db-wal", "was cut by another program")
            let again = try cluster.start("coordinator", "--listen", cluster.endpoint, "--http", "off")
            #expect(try await again.end() == 65, "\(again.errorText)")
            #expect(again.errorText.contains("3 jobs, 1 to 3"), "\(again.errorText)")
            try log.write(to: URL(filePath: record + "-wal"))
            try await cluster.startCoordinator()
            #expect(try await cluster.json("list").jobs.elements.map(\.job) == [.number(3), .number(2), .number(1)])
        }
    }

    @Test(
        "An older index of the log lets nothing more be acknowledged, and after a restart all that was acknowledged is there"
    )
    func indexOverwritten() async throws {
        try await withCluster(workers: nil) { cluster in
            let index = cluster.home.path + "/baton.db-shm"
            try await cluster.startCoordinator()
            for _ in 1...2 { _ = try await cluster.submit("--hold", "--", "true") }
            let older = try Data(contentsOf: URL(filePath: index))
            for _ in 3...4 { _ = try await cluster.submit("--hold", "--", "true") }
            let handle = try FileHandle(forWritingTo: URL(filePath: index))
            try handle.write(contentsOf: older)
            try handle.close()
            try await expectEndWithoutAcknowledgement(of: cluster, "baton.db-shm", "was overwritten by another program")
            try await cluster.startCoordinator()
            let jobs = try await cluster.json("list").jobs.elements.map(\.job)
            #expect(jobs == [.number(4), .number(3), .number(2), .number(1)])
        }
    }

    @Test(
        "A log of another record is refused, also with --accept-loss, and a foreign tally lets the record go on as told"
    )
    func foreignFiles() async throws {
        try await withCluster(workers: nil) { cluster in
            let files = FileManager.default
            let record = cluster.home.path + "/baton.db"
            let other = cluster.home.path + "/other"
            // The other record has more commits.
            try await cluster.startCoordinator()
            for _ in 1...5 { _ = try await cluster.submit("--hold", "--name", "foreign", "--", "true") }
            try await killCoordinator(of: cluster)
            try files.createDirectory(atPath: other, withIntermediateDirectories: false)
            for ending in ["", "-wal", "-tally"] {
                try files.moveItem(atPath: record + ending, toPath: other + "/baton.db" + ending)
            }
            try? files.removeItem(atPath: record + "-shm")
            try await cluster.startCoordinator()
            for _ in 1...2 { _ = try await cluster.submit("--hold", "--name", "own", "--", "true") }
            try await killCoordinator(of: cluster)
            try files.moveItem(atPath: record + "-wal", toPath: record + ".log")
            try files.copyItem(atPath: other + "/baton.db-wal", toPath: record + "-wal")
            let arguments = ["coordinator", "--listen", cluster.endpoint, "--http", "off"]
            for options in [[], ["--accept-loss"]] {
                let process = try cluster.start(arguments + options)
                #expect(try await process.end() == 65, "\(process.errorText)")
                #expect(process.errorText.contains("baton.db-wal is of another record"), "\(process.errorText)")
            }
            try files.removeItem(atPath: record + "-wal")
            try files.moveItem(atPath: record + ".log", toPath: record + "-wal")
            try files.removeItem(atPath: record + "-tally")
            try files.copyItem(atPath: other + "/baton.db-tally", toPath: record + "-tally")
            let refused = try cluster.start(arguments)
            #expect(try await refused.end() == 65, "\(refused.errorText)")
            #expect(refused.errorText.contains("baton.db-tally is of another record"), "\(refused.errorText)")
            let accepting = try cluster.start(arguments + ["--accept-loss"])
            try await accepting.error(containing: "goes on without a part of its record")
            try await accepting.error(containing: "listening")
            #expect(try await cluster.submit("--hold", "--", "true") == "6", "no number of the other record is given")
            let jobs = try await cluster.json("list").jobs.elements.map(\.job)
            #expect(jobs == [.number(6), .number(2), .number(1)])
            accepting.signal(SIGTERM)
            #expect(try await accepting.end() == 0)
        }
    }

    /// Kills the coordinator.
    private func killCoordinator(of cluster: TestCluster) async throws {
        let coordinator = try #require(cluster.coordinator)
        coordinator.signal(SIGKILL)
        try await coordinator.end()
    }

    @Test("A damaged record is refused with a sentence, and damage in a finished job affects only that job")
    func damaged() async throws {
        try await withCluster(workers: nil) { cluster in
            let record = cluster.home.appending(path: "baton.db")
            try await cluster.startCoordinator()
            try await cluster.startWorker("w1")
            #expect(try await cluster.baton("run", "--", "true").status == 0)
            let waiting = try await cluster.submit("--hold", "--", "unmistakable")
            func damage(_ text: String, with other: String) async throws {
                cluster.coordinator?.signal(SIGTERM)
                _ = try await cluster.coordinator?.end()
                var bytes = try Data(contentsOf: record)
                let range = try #require(bytes.range(of: Data(text.utf8)), "\(text) is not in the file")
                bytes.replaceSubrange(range, with: Data(other.utf8))
                try bytes.write(to: record)
            }
            // A word of the finished operation's row; SQLite accepts any text there.
            try await damage("finishedsucceeded", with: "finishedsucceedee")
            try await cluster.startCoordinator()
            let show = try await cluster.baton("show", "1")
            #expect(show.status == 65, "\(show)")
            #expect(show.errors.contains("the value \"succeedee\" in column outcome makes no sense"), "\(show)")
            #expect(try await cluster.show("\(waiting)/0").state == "pending")
            #expect(try await cluster.baton("run", "--", "true").status == 0)

            // The same damage in an unfinished operation makes the record unreadable, as the operation's command is
            // lost.
            try await damage("[[\"unmistakable\"]]", with: "[[\"unmistakable\"]}")
            for json in [[], ["--json"]] {
                let process = try cluster.start(["coordinator", "--listen", "tcp://127.0.0.1:*"] + json)
                let status = try await process.end()
                #expect(status == 65, "\(process.errorText)")
                #expect(process.errorText.contains("cannot be read as a record of Baton"), "\(process.errorText)")
                #expect(json.isEmpty || process.errorText.contains("\"storeUnreadable\""), "\(process.errorText)")
            }
            try Data(repeating: 0x55, count: 20_000).write(to: record)
            let process = try cluster.start("coordinator", "--listen", "tcp://127.0.0.1:*")
            #expect(try await process.end() == 65, "\(process.errorText)")
        }
    }
}
