@_spi(Baton) import BatonKeys
import Foundation
import Testing

extension EndToEndTests {
    /// Workers remove released files to make room, and keep those that an unfinished operation can need.
    @Suite("Eviction of files", .timeLimit(.minutes(60)))
    struct EvictionTests {
        /// Submits one operation that leaves a file of a number of kilobytes, and returns its job.
        private func make(
            _ kilobytes: Int,
            seed: Int,
            on hosts: String = "w1",
            keepFiles: String? = nil,
            dependents: String = "",
            in cluster: TestCluster
        ) async throws -> String {
            let keep = keepFiles.map { "keepFiles: '\($0)', " } ?? ""
            let script = "\(cluster.note("make-\(seed)")); \(FileScript.make("x", bytes: 1000 * kilobytes, seed: seed))"
            return try await cluster.submit(
                graph: """
                    {\(keep)operations: [
                      {name: "make", command: "\(script)", outputs: ["x"], workspace: "fresh", labels: ["host in (\(hosts))"]},
                      \(dependents)]}
                    """
            )
        }

        private func holders(_ job: String, in cluster: TestCluster) async throws -> [String] {
            try await cluster.files("\(job)/make").flatMap(\.holders)
        }

        @Test(
            "FI9 Files that nobody can need are evicted for others, oldest first, and are then gone from the list of holders"
        )
        func fi9Oldest() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1", options: ["--files-limit", "4M"])
                var jobs: [String] = []
                for seed in 0..<8 {
                    let job = try await make(1_000 - seed, seed: seed, in: cluster)
                    #expect(try await cluster.finish(job) == 0)
                    jobs.append(job)
                }
                // 4 MiB hold the last four files of about a megabyte.
                for (place, job) in jobs.enumerated() {
                    let kept = place >= 4
                    try await eventually(orFail: "The holders of the files of job \(job) did not become right.") {
                        try await holders(job, in: cluster) == (kept ? ["w1"] : [])
                    }
                    let fetched = try await cluster.baton("fetch", job, "--output", "got-\(job)")
                    #expect((fetched.status == 0) == kept, "\(fetched)")
                    #expect(cluster.tree("got-\(job)").count == (kept ? 1 : 0))
                }
                #expect(cluster.objects(of: "w1").count == 4)
                #expect(cluster.notes == (0..<8).map { "make-\($0)" }, "nothing runs again for what nobody needs")
            }
        }

        @Test(
            "FI9 A file that an unfinished operation can need is not evicted: what has no room beside it runs elsewhere"
        )
        func fi9Needed() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1", options: ["--files-limit", "3M"])
                let use = "{name: 'use', command: 'wc -c < $BATON_INPUTS/make/x', needs: ['make'], hold: true}"
                let needed = try await make(2_000, seed: 1, dependents: use, in: cluster)
                #expect(try await cluster.finish("\(needed)/make") == 0)
                let large = try await make(2_001, seed: 2, on: "w1,w2", in: cluster)
                try await eventually(orFail: "The worker w1 did not try the operation \(large)/make.") {
                    cluster.notes.contains("make-2")
                }
                try await cluster.startHost("w2")
                #expect(try await cluster.finish(large) == 0)
                #expect(try await holders(large, in: cluster) == ["w2"])
                #expect(try await holders(needed, in: cluster) == ["w1"])
                try await cluster.change("release", "\(needed)/use", count: 1)
                #expect(try await cluster.finish(needed) == 0)
                #expect(try await cluster.baton("log", "\(needed)/use").line == "2000000")
                #expect(try await cluster.show("\(needed)/make").attempt == 1)
                #expect(cluster.notes.filter { $0 == "make-1" }.count == 1)
            }
        }

        @Test(
            "FI4 An input above the limit of a worker waits for a worker that may keep it, and explain tells both sizes"
        )
        func inputAboveLimit() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                try await cluster.startHost("w2", options: ["--files-limit", "1M"])
                let use =
                    "{name: 'use', command: 'wc -c < $BATON_INPUTS/make/x', needs: ['make'], labels: ['host in (w2,w3)']}"
                let job = try await make(2_500, seed: 1, dependents: use, in: cluster)
                #expect(try await cluster.finish("\(job)/make") == 0)
                try await eventually(orFail: "explain does not tell the limit.") {
                    let told = try await cluster.baton("explain", "\(job)/use").output
                    return told.contains("have 2.3M") && told.contains("1M at the worker w2")
                        && told.contains("worker --files-limit")
                }
                let small = try await cluster.submit(graph: "{operations: [{command: 'true', labels: ['host=w2']}]}")
                #expect(try await cluster.finish(small) == 0)
                try await cluster.startHost("w3")
                #expect(try await cluster.finish(job) == 0)
                #expect(try await cluster.baton("log", "\(job)/use").line == "2500000")
                #expect(try await holders(job, in: cluster) == ["w1", "w3"])
            }
        }

        @Test("FI9 The files of a finished job are needed again as soon as a new job depends on them")
        func fi9Again() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1", options: ["--files-limit", "3M"])
                let first = try await make(1_000, seed: 1, in: cluster)
                #expect(try await cluster.finish(first) == 0)
                let later = try await cluster.submit(
                    graph:
                        "{operations: [{command: 'wc -c < $BATON_INPUTS/make/x', needs: ['\(first)/make'], hold: true}]}"
                )
                // Others come and go in the rest of the room.
                for seed in 2...5 {
                    let other = try await make(1_001, seed: seed, in: cluster)
                    #expect(try await cluster.finish(other) == 0)
                }
                #expect(try await holders(first, in: cluster) == ["w1"])
                try await cluster.restartCoordinator(with: SIGKILL)
                for seed in 6...8 {
                    let other = try await make(1_002, seed: seed, in: cluster)
                    #expect(try await cluster.finish(other) == 0)
                }
                try await cluster.change("release", later, count: 1)
                #expect(try await cluster.finish(later) == 0)
                #expect(try await cluster.baton("log", later).line == "1000000")
                #expect(try await cluster.show("\(first)/make").attempt == 1)
            }
        }

        @Test("FI9 The files of a job with --keep-files outlive its end, also over restarts of coordinator and worker")
        func keepFiles() async throws {
            try await withCluster(workers: 0) { cluster in
                let limit = ["--files-limit", "3M"]
                try await cluster.startHost("w1", options: limit)
                let kept = try await make(1_000, seed: 1, keepFiles: "1h", in: cluster)
                let loose = try await make(999, seed: 2, in: cluster)
                #expect(try await cluster.finish(kept, loose) == 0)
                try await cluster.restartCoordinator(with: SIGKILL)
                let worker = try #require(cluster.workers["w1"])
                worker.signal(SIGKILL)
                _ = try await worker.end(of: "the killed worker")
                try await cluster.startHost("w1", options: limit)
                for seed in 3...6 {
                    let other = try await make(1_001, seed: seed, in: cluster)
                    #expect(try await cluster.finish(other) == 0)
                }
                #expect(try await holders(kept, in: cluster) == ["w1"])
                #expect(try await holders(loose, in: cluster).isEmpty)
                let fetched = try await cluster.baton("fetch", kept, "--output", "got")
                #expect(fetched.status == 0 && cluster.tree("got").values.map(\.count) == [1_000_000], "\(fetched)")
                // The same on the command line.
                let job = try await cluster.submit(
                    "--keep-files",
                    "7d",
                    "--workspace",
                    "fresh",
                    "--outputs",
                    "x",
                    "--",
                    "touch",
                    "x"
                )
                #expect(try await cluster.finish(job) == 0)
                let refused = try await cluster.baton("submit", "--keep-files", "soon", "--", "true")
                #expect(refused.status == 64 && refused.errors.contains("keep-files"), "\(refused)")
            }
        }

        @Test("FI9 The files of a deleted job make room for others, whatever --keep-files says")
        func deletion() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1", options: ["--files-limit", "3M"])
                let kept = try await make(2_000, seed: 1, keepFiles: "1h", in: cluster)
                #expect(try await cluster.finish(kept) == 0)
                try await cluster.change("delete", kept, count: 1)
                let other = try await make(2_001, seed: 2, keepFiles: "1h", in: cluster)
                #expect(try await cluster.finish(other) == 0)
                #expect(cluster.objects(of: "w1").count == 1)
            }
        }

        @Test(
            "D9 While files of others take its room, a worker runs all else, explain names them, and their deletion is enough"
        )
        func roomTaken() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1", options: ["--files-limit", "3M"])
                let kept = try await make(2_000, seed: 1, keepFiles: "1h", in: cluster)
                #expect(try await cluster.finish(kept) == 0)
                let large = try await make(2_001, seed: 2, in: cluster)
                try await eventually(orFail: "explain does not tell what takes the room.") {
                    let told = try await cluster.baton("explain", "\(large)/make").output
                    return told.contains("by files of job \(kept)") && told.contains("--files-limit")
                }
                let small = try await cluster.submit("--", "true")
                #expect(try await cluster.finish(small) == 0)
                try await cluster.change("delete", kept, count: 1)
                #expect(try await cluster.finish(large) == 0)
                #expect(try await holders(large, in: cluster) == ["w1"])
                let made = try await cluster.show("\(large)/make")
                #expect(made.attempt.int > 1 && made.losses == 0, "\(made)")
            }
        }

        @Test(
            "FI1 A worker whose disk fills up while it keeps files gives the attempt back, and another worker carries it out",
            .enabled(if: FillableDisk.Kind.canMount && geteuid() == 0, "a small file system cannot be mounted here")
        )
        func fullDisk() async throws {
            try await withCluster(workers: 0) { cluster in
                let disk = cluster.home.appending(path: "small")
                try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: false)
                // Only this worker sees the small file system. Its limit for files is larger, so that the disk fills up first.
                let mounting = "mount -t tmpfs -o size=6m tmpfs '\(disk.path)' && exec \"$0\" \"$@\""
                let worker = try cluster.start(
                    [
                        "worker", "--name", "w1", "--slots", "1", "--home", disk.path, "--label=host=w1",
                        "--files-limit", "1G",
                        "--drain-timeout", "0s",
                    ],
                    openFiles: nil,
                    through: ["unshare", "--mount", "sh", "-c", mounting],
                    environment: ["BATON_KEY_FILE": try cluster.keyFile(of: .worker)]
                )
                try await worker.complaint(of: "welcomed")
                let cwd = cluster.home.appending(path: "cwd")
                try FileManager.default.createDirectory(at: cwd, withIntermediateDirectories: false)
                let script = "\(cluster.note("made")); \(FileScript.make("x", bytes: 20_000_000, seed: 1))"
                let job = try await cluster.submit(
                    graph: "{operations: [{name: 'make', command: \"\(script)\", outputs: ['x'], cwd: '\(cwd.path)'}]}"
                )
                try await eventually(orFail: "The worker w1 did not try the operation \(job)/make.") {
                    cluster.notes.contains("made")
                }
                try await cluster.startHost("w2")
                #expect(try await cluster.finish(job) == 0)
                let files = try await cluster.files("\(job)/make")
                #expect(files.map(\.size) == [20_000_000] && files.map(\.holders) == [["w2"]], "\(files)")
                // The worker with the full disk is there, and does what needs no room.
                let small = try await cluster.submit(
                    graph:
                        "{operations: [{command: 'touch y', outputs: ['y'], workspace: 'fresh', labels: ['host=w1']}]}"
                )
                #expect(try await cluster.finish(small) == 0)
                worker.signal(SIGTERM)
                #expect(try await worker.end(of: "the worker on the small disk") == 0)
            }
        }
    }
}
