import Foundation
import Testing

/// The names of records on command lines and in the environment; none of the servers named here exists.
@Suite("Names of records", .timeLimit(.minutes(60)))
struct StoreNameTests {
    private static let server = "postgres://me@baton.invalid/db"

    /// Runs a command that is expected to fail at once.
    private func run(
        _ cluster: TestCluster,
        _ arguments: [String],
        store: String? = nil
    ) async throws -> TestCluster.CommandResult {
        let process = try cluster.start(arguments, environment: store.map { ["BATON_STORE": $0] } ?? [:])
        let status = try await process.end()
        return TestCluster.CommandResult(status: status, bytes: process.output, errors: process.errorText)
    }

    @Test(
        "A password on the command line is refused, and not repeated",
        arguments: [
            "postgres://me:se%63ret@baton.invalid/db", "postgresql://me@baton.invalid/db?password=secret",
            "postgres://me@baton.invalid/db?sslpassword=secret&schema=other",
        ]
    )
    func password(store: String) async throws {
        try await withCluster(workers: nil) { cluster in
            let result = try await run(cluster, ["coordinator", "--store", store])
            #expect(result.status == 64, "\(result)")
            #expect(result.errors.contains("A password on the command line can be read by everybody on this host."))
            #expect(result.errors.contains("PGPASSFILE, PGPASSWORD, or in BATON_STORE"), "\(result)")
            #expect(!result.errors.contains("se%63ret") && !result.errors.contains("secret"), "\(result)")
        }
    }

    @Test(
        "An address of another kind, or a malformed one, is refused before anything is made",
        arguments: ["mysql://me@h/db", "postgres://me@h:port/db", "postgres://h/db?schema=A-B"]
    )
    func malformed(store: String) async throws {
        try await withCluster(workers: nil) { cluster in
            for result in [
                try await run(cluster, ["coordinator", "--store", store]),
                try await run(cluster, ["coordinator"], store: store),
            ] {
                #expect(result.status == 64, "\(result)")
                #expect(result.errors.contains("postgres://USER@HOST"), "\(result)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: cluster.home.path) == [])
        }
    }

    @Test(
        "Commands of files say why they take no record on a server",
        arguments: [
            (["start"], "keeps its record in a file"),
            (["run", "--local", "--", "true"], "a temporary record of its own"),
            (["backup", "copy.db"], "pg_dump, or with baton store copy"),
            (["restore", "copy.db"], "pg_restore, or with baton store copy"),
        ]
    )
    func files(command: [String], sentence: String) async throws {
        try await withCluster(workers: nil) { cluster in
            let result = try await run(cluster, command, store: "postgres://me:secret@baton.invalid/db")
            #expect(result.status == 64, "\(result)")
            #expect(result.errors.contains("BATON_STORE names a record on a server: "), "\(result)")
            #expect(result.errors.contains(sentence), "\(result)")
            #expect(!result.errors.contains("secret"), "\(result)")
            guard ["backup", "restore"].contains(command[0]) else { return }
            let given = try await run(cluster, command + ["--store", Self.server])
            #expect(given.status == 64, "\(given)")
            #expect(given.errors.contains("--store names a record on a server: "), "\(given)")
        }
    }

    @Test(
        "A lease has bounds, and belongs to a server",
        arguments: [
            ("999ms", server, "--lease must be from 1s to 60s"), ("61s", server, "--lease must be from 1s to 60s"),
            ("2s", "baton.db", "--lease needs a record on a server"),
        ]
    )
    func lease(lease: String, store: String, sentence: String) async throws {
        try await withCluster(workers: nil) { cluster in
            let result = try await run(cluster, ["coordinator", "--store", store, "--lease", lease])
            #expect(result.status == 64, "\(result)")
            #expect(result.errors.contains(sentence), "\(result)")
        }
    }

    @Test(
        "Only a coordinator whose record is on a server stands by",
        arguments: [nil, "baton.db", "/nowhere/other.db"] as [String?]
    )
    func standby(store: String?) async throws {
        try await withCluster(workers: nil) { cluster in
            let result = try await run(cluster, ["coordinator", "--standby"] + (store.map { ["--store", $0] } ?? []))
            #expect(result.status == 64, "\(result)")
            #expect(result.errors.contains("--standby needs a record that several hosts reach"), "\(result)")
            #expect(result.errors.contains((store ?? "baton.db") + " is a file"), "\(result)")
            #expect(!FileManager.default.fileExists(atPath: "\(cluster.home.path)/\(store ?? "baton.db")"))
        }
    }

    @Test("BATON_STORE names a file, too, and --store goes before it")
    func variable() async throws {
        try await withCluster(workers: nil) { cluster in
            for (name, option) in [("first.db", nil), ("second.db", "second.db")] as [(String, String?)] {
                let arguments = ["coordinator", "--listen", "tcp://127.0.0.1:*", "--http", "off"]
                let process = try cluster.start(
                    arguments + (option.map { ["--store", $0] } ?? []),
                    environment: ["BATON_STORE": "first.db"]
                )
                try await process.error(containing: "listening")
                #expect(FileManager.default.fileExists(atPath: "\(cluster.home.path)/\(name)"))
                process.signal(SIGTERM)
                #expect(try await process.end() == 0)
            }
        }
    }
}
