import Foundation
import Testing

/// The behaviour of a cluster while the record cannot be written, and afterwards.
@Suite("A full disk", .timeLimit(.minutes(60)))
struct FullDiskTests {
    @Test("A coordinator whose files may not grow acknowledges and dispatches nothing, and goes on once they may")
    func limited() async throws { try await expectToGoOn(after: .sizeLimit) }

    @Test(
        "A coordinator with a full disk acknowledges and dispatches nothing, and goes on once there is room",
        .enabled(
            if: FillableDisk.Kind.canMount,
            "a small file system cannot be mounted here; the limit for files is tested"
        )
    )
    func full() async throws { try await expectToGoOn(after: .fileSystem) }

    @Test(
        "A coordinator that starts on a full disk ends with a status after which a service manager tries again",
        .enabled(if: FillableDisk.Kind.canMount, "a small file system cannot be mounted here")
    )
    func startsOnFullDisk() async throws {
        try await withCluster(workers: nil, coordinator: FillableDisk.coordinatorArguments) { cluster in
            let disk = try await FillableDisk(.fileSystem, for: cluster)
            try await cluster.startCoordinator()
            let held = try await cluster.submit("--hold", "--", "true")
            let coordinator = try #require(cluster.coordinator)
            coordinator.signal(SIGKILL)
            try await coordinator.end()
            try await disk.fill()
            let arguments =
                ["coordinator", "--listen", cluster.endpoint, "--http", "off"] + FillableDisk.coordinatorArguments
            let process = try cluster.start(arguments, openFiles: nil, through: cluster.launcher)
            #expect(try await process.end() == 70, "\(process.errorText)")
            #expect(process.errorText.contains(disk.kind.complaint), "\(process.errorText)")
            try await disk.empty()
            try await cluster.startCoordinator()
            #expect(try await cluster.show("\(held)/0").state == "pending")
            try await disk.release()
        }
    }

    private func expectToGoOn(after kind: FillableDisk.Kind) async throws {
        try await withCluster(workers: nil, coordinator: FillableDisk.coordinatorArguments) { cluster in
            let disk = try await FillableDisk(kind, for: cluster)
            try await cluster.startCoordinator()
            try await cluster.startWorker("w1", slots: 2)
            let (gate, last) = (try cluster.gate(), try cluster.gate())
            let running = try await cluster.submit(script: "\(gate.wait); \(cluster.note("ran")); \(last.checkIn)")
            let next = try await cluster.submit(script: cluster.note("next"), "--after", running)
            let held = try await cluster.submit("--hold", "--key", "known", "--", "true")
            try await gate.arrival()
            let wait = try cluster.start("wait", running, next)

            try await disk.fill()
            let unanswered = try cluster.start("submit", "--", "sh", "-c", cluster.note("unanswered"))
            let complaint = try await cluster.coordinator?.error(containing: "the record cannot be written")
            #expect(complaint?.contains(kind.complaint) == true, "\(complaint ?? "")")
            try await expectRefusals(in: cluster, held: held, because: kind.complaint)
            // One of two slots is free, but no operation is dispatched: running operations end, and no other operation
            // starts.
            try await gate.open()
            try await last.open()
            try await expectRefusals(in: cluster, held: held, because: kind.complaint)
            #expect(cluster.notes == ["ran"])
            #expect(unanswered.isRunning && wait.isRunning)
            #expect(unanswered.output.isEmpty, "what is not committed is not acknowledged")
            try await unanswered.error(containing: "has not answered yet")

            try await disk.empty()
            #expect(try await unanswered.end() == 0, "\(unanswered.errorText)")
            #expect(try await wait.end() == 0, "\(wait.errorText)")
            let late = unanswered.outputText.trimmingCharacters(in: .newlines)
            let after = try await cluster.submit("--", "true")
            #expect([next, held, late, after] == ["2", "3", "4", "5"], "a refused submission takes no number")
            #expect(try await cluster.wait(late, after) == 0)
            #expect(Set(cluster.notes.dropFirst()) == ["next", "unanswered"])
            #expect(try await cluster.json("status").epoch == 1, "it was not started again")
            #expect(try await cluster.show("\(held)/0").state == "pending", "the refused release was not carried out")

            try await cluster.restartCoordinator(with: SIGKILL)
            for job in [running, next, late, after] {
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.outcome, operation.attempt) == ("succeeded", 1))
            }
            try await cluster.change("release", held, count: 1)
            #expect(try await cluster.wait(held) == 0)
            try await disk.release()
        }
    }

    @Test(
        "A start on a full or read-only disk ends with the status after which a service manager tries again",
        .enabled(if: FillableDisk.Kind.canMount && geteuid() == 0, "a small file system cannot be mounted here")
    )
    func start() async throws {
        try await withCluster(workers: nil) { cluster in
            let coordinator = "timeout 60 \(TestCluster.baton) coordinator --listen \"tcp://127.0.0.1:*\" --http off"
            let worker = "timeout 60 \(TestCluster.baton) worker --insecure --coordinator tcp://127.0.0.1:1 --name w1"
            let starts = try cluster.start(
                script: """
                    mkdir disk; exec unshare --mount sh -c 'mount -t tmpfs -o size=64k tmpfs disk
                    \(coordinator) --store disk/full.db; echo $?
                    mount -o remount,ro disk
                    \(coordinator) --store disk/readonly.db; echo $?
                    \(worker) --home "$PWD/disk/home"; echo $?'
                    """
            )
            _ = try await starts.end()
            #expect(starts.outputText == "70\n70\n70\n", "\(starts.errorText)")
            #expect(starts.errorText.contains("Read-only file system"), "\(starts.errorText)")
        }
    }

    @Test("A coordinator that is killed while its record cannot grow goes on from what it has acknowledged")
    func killed() async throws {
        try await withCluster(workers: nil, coordinator: FillableDisk.coordinatorArguments) { cluster in
            let disk = try await FillableDisk(.sizeLimit, for: cluster)
            try await cluster.startCoordinator()
            try await cluster.startWorker("w1")
            let gate = try cluster.gate()
            let running = try await cluster.submit(script: "\(gate.wait); \(cluster.note("ran"))")
            let next = try await cluster.submit(script: cluster.note("next"), "--needs", running)
            try await gate.arrival()
            try await disk.fill()
            let unanswered = try cluster.start("submit", "--key", "k", "--", "sh", "-c", cluster.note("unanswered"))
            try await cluster.coordinator?.error(containing: "the record cannot be written")
            try await gate.open()
            #expect(unanswered.isRunning)

            // The next coordinator can write. The client still has no answer, and repeats its request with the same
            // key.
            try await cluster.restartCoordinator(with: SIGKILL)
            #expect(try await unanswered.end() == 0, "\(unanswered.errorText)")
            let late = unanswered.outputText.trimmingCharacters(in: .newlines)
            #expect(try await cluster.wait(running, next, late) == 0)
            #expect(cluster.notes.sorted() == ["next", "ran", "unanswered"])
            #expect(try await cluster.show("\(running)/0").attempt == 1)
        }
    }

    @Test(
        "A signal ends the submission that waits for the disk, before and after it is late; its key finds the job later",
        arguments: [true, false]
    )
    func interrupted(isLate: Bool) async throws {
        try await withCluster(workers: nil, coordinator: FillableDisk.coordinatorArguments) { cluster in
            let disk = try await FillableDisk(.sizeLimit, for: cluster)
            try await cluster.startCoordinator()
            // What the coordinator itself writes at its start is on disk before an acknowledged change.
            #expect(try await cluster.baton("queue", "set", "q", "--max-concurrent", "2").status == 0)
            try await disk.fill()
            let run = try cluster.start("run", "--key", "k", "--", "true")
            try await cluster.coordinator?.error(containing: "the record cannot be written")
            if isLate { try await run.error(containing: "has not answered yet") }
            run.signal(SIGTERM)
            #expect(try await run.end() == 128 + SIGTERM)
            #expect(run.errorText.contains("is cancelled once the coordinator has accepted it"), "\(run.errorText)")
            #expect(run.errorText.contains("the submission may or may not be accepted later"), "\(run.errorText)")
            #expect(run.errorText.contains("with --key, submitting twice is safe"), "\(run.errorText)")

            let again = try cluster.start("submit", "--key", "k", "--", "true")
            try await again.error(containing: "has not answered yet")
            try await disk.empty()
            #expect(try await again.end() == 0, "\(again.errorText)")
            #expect(again.outputText == "1\n")
            #expect(try await cluster.json("list").jobs.elements.count == 1)
        }
    }

    /// Expects that each request that needs the record is refused with the reason.
    ///
    /// Only a submission that was committed before, with the key `known`, gets its answer again.
    private func expectRefusals(in cluster: TestCluster, held: String, because complaint: String) async throws {
        let commands = [
            ["submit", "--", "true"], ["submit", "--key", "k", "--", "true"], ["release", held], ["cancel", held],
            ["queue", "set", "q", "--max-concurrent", "2"], ["status"], ["list"], ["show", held], ["queue", "list"],
        ]
        #expect(try await cluster.submit("--key", "known", "--hold", "--", "true") == held)
        for command in commands {
            let result = try await cluster.baton(command)
            #expect(result.status == 70, "\(command): \(result)")
            #expect(result.output == "", "\(command)")
            #expect(result.errors.contains(complaint), "\(command): \(result)")
            let json = try await cluster.baton(["--json"] + command)
            #expect(try JSONValue(parsing: json.errors).error.code == "storage", "\(command): \(json)")
        }
    }
}
