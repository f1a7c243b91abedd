import Foundation
import Testing

/// Moves of the record of a cluster from one place to another.
@Suite("Moves of the record", .timeLimit(.minutes(60)))
struct StoreCopyTests {
    @Test("A coordinator goes on with a copy of its record, and none with the record that was moved")
    func moves() async throws {
        try await withCluster { cluster in
            #expect(try await cluster.baton("run", "--", "echo", "before").status == 0)
            let held = try await cluster.submit("--hold", "--", "true")
            let early = try await cluster.baton("store", "copy", "baton.db", "moved.db")
            #expect(early.status == 69 && early.errors.contains("Stop it first"), "\(early)")
            let none = try await cluster.baton("store", "copy", "none.db", "moved.db")
            #expect(none.status == 66 && none.errors.contains("none.db. Name the record"), "\(none)")

            cluster.coordinator?.signal(SIGTERM)
            _ = try await cluster.coordinator?.end()
            let copied = try await cluster.baton("store", "copy", "baton.db", "moved.db")
            #expect(copied.status == 0, "\(copied)")
            #expect(copied.errors.contains("Copied 2 jobs, the newest is 2"), "\(copied)")
            #expect(copied.errors.contains("moved.db"), "\(copied)")
            let again = try await cluster.baton("store", "copy", "baton.db", "moved.db", "--json")
            #expect(again.status == 65 && again.errors.contains("exists"), "\(again)")
            let refused = try await cluster.baton("coordinator", "--store", "baton.db")
            #expect(refused.status != 0 && refused.errors.contains("was moved to"), "\(refused)")

            let home = cluster.home
            for ending in ["", "-tally"] {
                try FileManager.default.removeItem(at: home.appending(path: "baton.db\(ending)"))
                try FileManager.default.moveItem(
                    at: home.appending(path: "moved.db\(ending)"),
                    to: home.appending(path: "baton.db\(ending)")
                )
            }
            try await cluster.startCoordinator()
            #expect(try await cluster.json("list").jobs.elements.map(\.job) == [.number(2), .number(1)])
            try await cluster.change("release", held, count: 1)
            #expect(try await cluster.wait(held) == 0)
            #expect(try await cluster.submit("--", "true") == "3")
        }
    }

    @Test("A password on the command line is refused, and an address that is none")
    func refusesAddresses() async throws {
        try await withCluster(workers: 0) { cluster in
            let password = try await cluster.baton("store", "copy", "baton.db", "postgres://u:secret@127.0.0.1/db")
            #expect(password.status == 64 && password.errors.contains("PGPASSFILE"), "\(password)")
            #expect(!password.errors.contains("secret"), "\(password)")
            let other = try await cluster.baton("store", "copy", "mysql://h/db", "moved.db")
            #expect(other.status == 64 && other.errors.contains("postgres://USER@HOST"), "\(other)")
        }
    }
}
