import Foundation
import Testing

/// Backups of a running cluster, and their return.
@Suite("Backups", .timeLimit(.minutes(60)))
struct BackupTests {
    private func names(in cluster: TestCluster) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: cluster.home.path))
    }

    @Test("A backup of a running coordinator comes back after its end, and says what is lost")
    func roundTrip() async throws {
        try await withCluster { cluster in
            #expect(try await cluster.baton("run", "--", "echo", "before").status == 0)
            let held = try await cluster.submit("--hold", "--", "true")
            let backup = try await cluster.baton("backup", "monday.db", "--json")
            #expect(backup.status == 0, "\(backup)")
            #expect(backup.output.contains("\"newestJob\":2"), "\(backup)")
            let lost = try await cluster.submit("--", "true")
            #expect(try await cluster.wait(lost) == 0)

            let again = try await cluster.baton("backup", "monday.db")
            #expect(again.status == 65 && again.errors.contains("There is a file"), "\(again)")
            let none = try await cluster.baton("restore", "none.db")
            #expect(none.status == 66 && none.errors.contains("none.db. Name a file that"), "\(none)")
            let early = try await cluster.baton("restore", "monday.db")
            #expect(early.status == 69 && early.errors.contains("Stop it first"), "\(early)")

            cluster.coordinator?.signal(SIGKILL)
            _ = try await cluster.coordinator?.end()
            let restored = try await cluster.baton("restore", "monday.db")
            #expect(restored.status == 0, "\(restored)")
            #expect(restored.errors.contains("Restored 2 jobs to "), "\(restored)")
            #expect(restored.errors.contains("baton.db.before-restore."), "\(restored)")
            #expect(
                restored.errors.contains(
                    "Job 3 was accepted after the backup and is not in it; its number is not given again."
                ),
                "\(restored)"
            )
            // A second restore loses nothing more, and knows as well what is missing.
            #expect(try await cluster.baton("restore", "monday.db").status == 0)
            try await cluster.startCoordinator()
            let watch = try cluster.start("watch", "--since", "0")
            try await watch.output(containing: " and 1 job")
            watch.signal(SIGTERM)
            _ = try await watch.end()
            #expect(watch.outputText.components(separatedBy: "incomplete: lost ").count == 2, "\(watch.outputText)")
            #expect(try await cluster.json("list").jobs.elements.map(\.job) == [.number(2), .number(1)])
            #expect(try await cluster.submit("--", "true") == "4")
            try await cluster.change("release", held, count: 1)
            #expect(try await cluster.wait(held, "4") == 0)
        }
    }

    @Test("A backup goes to standard output, and leaves nothing beside the record")
    func standardOutput() async throws {
        try await withCluster(workers: 0) { cluster in
            _ = try await cluster.submit("--", "true")
            let before = try names(in: cluster)
            let writer = try cluster.start(script: "\(TestCluster.baton) backup - > ../stream.db; echo $? > status")
            #expect(try await writer.end() == 0, "\(writer.errorText)")
            let stream = cluster.home.appending(path: "../stream.db")
            defer { try? FileManager.default.removeItem(at: stream) }
            #expect(try names(in: cluster).subtracting(before) == ["status"])
            #expect(try Data(contentsOf: stream).prefix(15) == Data("SQLite format 3".utf8))
            let other = cluster.home.appending(path: "other").path
            let restored = try await cluster.baton("restore", stream.path, "--home", other)
            #expect(restored.status == 0, "\(restored)")
            #expect(restored.errors.contains("with --next-job they are not"), "\(restored)")
            let numbered = ["restore", stream.path, "--home", other + "2", "--next-job", "5000"]
            let below = try await cluster.baton(numbered)
            #expect(below.status == 0, "\(below)")
            #expect(below.errors.contains("numbers below 5000 are not given again"), "\(below)")
            #expect(!below.errors.contains("--next-job"), "\(below)")
            // Nobody writes into the pipe.
            try #require(mkfifo(cluster.home.path + "/pipe.db", 0o600) == 0)
            let pipe = try await cluster.baton("restore", "pipe.db")
            #expect(pipe.status == 65 && pipe.errors.contains("pipe.db is a named pipe"), "\(pipe)")
            #expect(try await cluster.baton("backup", "-", "--json").status == 64)
            let none = try await cluster.baton("backup", "b.db", "--home", other + "/none")
            #expect(none.status == 66 && none.errors.contains("There is no file"), "\(none)")
        }
    }

    @Test("A backup that finds no room says so in a sentence, and leaves nothing")
    func noRoom() async throws {
        try await withCluster(workers: 0) { cluster in
            _ = try await cluster.submit("--", "true")
            let before = try names(in: cluster)
            let limited = try cluster.start(script: "ulimit -f 8; exec \(TestCluster.baton) backup small.db")
            #expect(try await limited.end() == 77)
            #expect(limited.errorText.contains("The copy ") && limited.errorText.contains(" cannot be written: "))
            #expect(try names(in: cluster) == before)
            guard FillableDisk.Kind.canMount, geteuid() == 0 else { return }
            let full = try cluster.start(
                script: """
                    mkdir disk; exec unshare --mount sh -c 'mount -t tmpfs -o size=64k tmpfs disk; \
                    \(TestCluster.baton) backup disk/small.db; echo $?; ls -A disk'
                    """
            )
            _ = try await full.end()
            #expect(full.outputText == "70\n", "\(full.outputText)")
            #expect(full.errorText.contains("The disk is full: the copy "), "\(full.errorText)")
        }
    }
}
