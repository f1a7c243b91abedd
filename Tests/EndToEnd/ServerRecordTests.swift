import Foundation
import Testing

/// Real processes of a cluster whose record is on a real database server.
@Suite(
    "A record on PostgreSQL",
    .enabled(if: ServerOfTests.address != nil, "BATON_TEST_POSTGRES names no server"),
    .timeLimit(.minutes(60))
)
struct ServerRecordTests {
    @Test(
        "D6 A coordinator that ends in any way goes on at its next start, and nothing runs twice",
        arguments: [SIGTERM, SIGKILL]
    )
    func restarts(signal: Int32) async throws {
        try await ServerOfTests.withRecord { store in
            try await withCluster(slots: 2, coordinator: ["--store", store]) { cluster in
                let gate = try cluster.gate()
                let finished = try await cluster.submit("--name", "early", "--key", "k", "--", "true")
                #expect(try await cluster.wait(finished) == 0)
                try await #require(cluster.baton("queue", "set", "q", "--max-concurrent", "7").status == 0)
                let executing = try await cluster.submit(
                    script: "\(cluster.note("ran")); \(gate.wait)",
                    "--restart",
                    "never"
                )
                try await gate.arrival()
                let dependent = try await cluster.submit("--needs", executing, "--", "true")
                let held = try await cluster.submit("--hold", "--array", "0-2999", "--", "true")
                let epoch = try await cluster.json("status").epoch.int

                try await cluster.restartCoordinator(with: signal)
                let status = try await cluster.json("status")
                #expect((status.epoch.int, status.store.string) == (epoch + 1, "postgresql"))
                #expect(try await cluster.json("show", "\(finished)/early").outcome == "succeeded")
                #expect(try await cluster.submit("--name", "early", "--key", "k", "--", "true") == finished)
                #expect(try await cluster.json("queue", "show", "q").maxConcurrent == 7)
                #expect(try await cluster.show("\(held)/2999").state == "pending")
                try await gate.open()
                #expect(try await cluster.wait(executing, dependent) == 0)
                let operation = try await cluster.show("\(executing)/0")
                #expect((operation.outcome, operation.attempt, operation.losses) == ("succeeded", 1, 0))
                #expect(cluster.notes == ["ran"])
                #expect(try await cluster.baton("release", held).status == 0)
                #expect(try await cluster.wait(held) == 0)

                #expect(!FileManager.default.fileExists(atPath: cluster.home.path + "/baton.db"))
                let health = try await cluster.baton("health", "--ready")
                #expect(health.status == 0, "found without --store: \(health)")
            }
        }
    }

    @Test("A second coordinator on the record is refused, and the message names the first one")
    func inUse() async throws {
        try await ServerOfTests.withRecord { store in
            try await withCluster(workers: 0, coordinator: ["--store", store]) { cluster in
                let second = try cluster.start(
                    ["coordinator", "--listen", "tcp://127.0.0.1:*", "--http", "off", "--store", store, "--json"],
                    environment: ["BATON_HOME": cluster.home.path + "/second"]
                )
                #expect(try await second.end() == 69)
                #expect(second.errorText.contains("\"storeInUse\""), "\(second.errorText)")
                #expect(second.errorText.contains("by the coordinator at \(cluster.endpoint)"), "\(second.errorText)")
                #expect(second.errorText.contains("with --standby"), "\(second.errorText)")
                #expect(try await cluster.json("status").epoch == 1, "the first one goes on")
            }
        }
    }

    @Test(
        "A coordinator that was stopped while another one took over ends with status 69, and has changed nothing since"
    )
    func deposed() async throws {
        try await ServerOfTests.withRecord { store in
            // A start may stand still on a busy host, and a session that is lost before its first commit fails the start.
            try await withCluster(workers: 0, coordinator: ["--store", store, "--lease", "6s"]) { cluster in
                let job = try await cluster.submit("--hold", "--", "true")
                let first = try #require(cluster.coordinator)
                let new = try ScriptedCoordinator.freeEndpoint()
                try #require(try await cluster.start(script: "mkdir second && cp -Rp keys second").end() == 0)
                first.pause()
                // The server ends the session of the first one after its lease.
                var second: ChildProcess?
                while second == nil {
                    let process = try cluster.start(
                        ["coordinator", "--listen", new, "--http", "off", "--store", store],
                        environment: ["BATON_HOME": cluster.home.path + "/second", "BATON_COORDINATOR": ""]
                    )
                    while process.isRunning, !process.errorText.contains("listening") { await Task.yield() }
                    if process.isRunning { second = process }
                }
                let later = try await cluster.submit("--hold", "--coordinator", new, "--", "true")
                first.signal(SIGCONT)
                #expect(try await first.end() == 69)
                #expect(first.errorText.contains("was deposed"), "\(first.errorText)")
                let jobs = try await cluster.json("list", "--coordinator", new).jobs.elements.map(\.job.int)
                let expected = [try #require(Int(job)), try #require(Int(later))]
                #expect(jobs.sorted() == expected)
                second?.signal(SIGTERM)
                #expect(try await second?.end() == 0)
            }
        }
    }

    @Test("A password in BATON_STORE is nowhere to be seen")
    func password() async throws {
        try await ServerOfTests.withRecord { store in
            try await withCluster(workers: nil) { cluster in
                let secret = "uncommon\(UInt32.random(in: 0...(.max)))"
                let at = try #require(store.firstIndex(of: "@"))
                let process = try cluster.start(
                    ["coordinator", "--listen", "tcp://127.0.0.1:*", "--http", "off", "--log-level", "debug"],
                    environment: ["BATON_STORE": "\(store[..<at]):\(secret)\(store[at...])"]
                )
                try await process.error(containing: "listening")
                let line = try #require(FileManager.default.contents(atPath: "/proc/\(process.processID)/cmdline"))
                #expect(!String(decoding: line, as: UTF8.self).contains(secret))
                process.signal(SIGTERM)
                #expect(try await process.end() == 0)
                #expect(!process.errorText.contains(secret), "\(process.errorText)")
                #expect(process.errorText.contains("postgres://"))
            }
        }
    }
}
