import Foundation
import Testing

extension EndToEndTests {
    /// The coordinator's own worker, which keeps files.
    @Suite("The archive of a coordinator", .timeLimit(.minutes(60)))
    struct ArchiveTests {
        /// A cluster whose coordinator has an archive in its directory.
        private func withArchive(
            workers: Int = 1,
            _ body: (TestCluster, _ archive: String) async throws -> Void
        ) async throws {
            let place = FileManager.default.temporaryDirectory.appending(path: "archive-\(UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: place) }
            try await withCluster(workers: workers, coordinator: ["--archive", place]) { try await body($0, place) }
        }

        @Test("An archive is listed as what it is, and counts as no worker")
        func listed() async throws {
            try await withArchive(workers: 0) { cluster, _ in
                // The keeper says hello on its own account.
                try await cluster.coordinator?.error(containing: "welcomed")
                let workers = try await cluster.json("workers").workers.elements
                #expect(workers.map(\.worker) == ["archive"] && workers.map(\.keeper) == [true])
                let status = try await cluster.json("status")
                #expect(status.workers == 0 && status.slots == 0)
                let text = try await cluster.baton("workers")
                #expect(text.output.contains("keeps files") && text.status == 0)
                let job = try await cluster.submit("--", "true")
                let waits = try await cluster.json("explain", "\(job)/0").waitsFor.elements
                #expect(waits.map(\.kind) == ["noWorker"])
                try await cluster.startWorker("w1")
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.show("\(job)/0").worker == "w1")
            }
        }

        @Test("An archive is not drained or stopped, and no other worker gets its name", arguments: ["drain", "stop"])
        func inPlace(command: String) async throws {
            try await withArchive { cluster, _ in
                try await cluster.coordinator?.error(containing: "welcomed")
                let refused = try await cluster.baton(command, "archive")
                #expect(refused.status != 0 && refused.errors.contains("archive"), "\(refused)")
                let worker = try cluster.start(["worker", "--name", "archive", "--slots", "1"])
                #expect(try await worker.end() != 0)
                #expect(worker.errorText.contains("coordinator's own worker"))
                #expect(try await cluster.json("workers").workers.elements.map(\.worker) == ["archive", "w1"])
            }
        }

        @Test("FI8 A copy that an archive has lost leaves a line in the coordinator's log")
        func lostCopy() async throws {
            try await withArchive { cluster, archive in
                let job = try await cluster.submit(
                    script: FileScript.make("x.txt", bytes: 700_001, seed: 8),
                    "--workspace",
                    "fresh",
                    "--outputs",
                    "x.txt",
                    "--keep-files",
                    "1h"
                )
                #expect(try await cluster.finish(job) == 0)
                try await eventually(orFail: "The archive did not get its copy.") {
                    try await cluster.files(job).allSatisfy { $0.holders == ["archive", "w1"] }
                }
                let digest = try #require(try await cluster.files(job).first).digest
                let paths = try FileManager.default.subpathsOfDirectory(atPath: archive)
                let object = try #require(paths.first { $0.contains(digest) })
                try FileManager.default.removeItem(atPath: "\(archive)/\(object)")
                try await cluster.leave("w1")
                let fetched = try await cluster.baton("fetch", job, "--output", "got")
                #expect(fetched.status == 74, "\(fetched)")
                try await cluster.coordinator?.error(containing: "an archive has lost copies of files")
                let log = cluster.coordinator?.errorText ?? ""
                #expect(log.contains("worker=archive") && log.contains("operation=\(job)/0"), "\(log)")
            }
        }

        @Test("An archive whose directory another coordinator has, or that is no directory, is refused")
        func unusable() async throws {
            try await withCluster(workers: nil) { cluster in
                let file = try cluster.write("no directory", to: "file")
                let refused = try await cluster.baton(
                    "coordinator",
                    "--listen",
                    "tcp://127.0.0.1:*",
                    "--archive",
                    cluster.home.appending(path: "file").path,
                    "--http",
                    "off"
                )
                #expect(refused.status != 0 && refused.errors.contains("--archive"), "\(refused) \(file)")
            }
        }
    }
}
