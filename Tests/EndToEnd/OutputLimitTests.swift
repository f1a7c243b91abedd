@_spi(Baton) import BatonKeys
import Foundation
import Testing

/// The kept output of operations that print more than the limit.
@Suite("The limit of output", .timeLimit(.minutes(60)))
struct OutputLimitTests {
    private static let mebibyte = 1 << 20

    @Test("A very long output takes at most its limit and 64 MiB of disk, and its end can be read")
    func endless() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.startWorker("w1", options: ["--output-limit", "8M"])
            let outputs = cluster.home.appending(path: "workers/w1/outputs").path
            let rounds = try (0..<10).map { [try cluster.gate("\($0)")] }
            let pieces = "for i in $(seq 0 9); do yes | head -c 60000000; \(cluster.waitAtGate("$i")); done"
            let job = try await cluster.submit(script: pieces)
            async let end: Void = Self.open(rounds, whenShort: outputs)
            let waiter = try cluster.start("wait", job)
            var most = 0
            while waiter.isRunning {
                most = max(most, Self.room(of: outputs))
                try await Task.sleep(for: .milliseconds(2))
            }
            try await end
            #expect(try await waiter.end() == 0)
            #expect(most <= 72 * Self.mebibyte)
            #expect(Self.room(of: outputs) <= 72 * Self.mebibyte)
            try await expectTheEnd(of: job, length: 600_000_000, in: cluster)
        }
    }

    @Test("Each of six operations that print at once takes at most its limit and 64 MiB of disk")
    func many() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.startWorker("w1", options: ["--slots", "6", "--output-limit", "8M"])
            let outputs = cluster.home.appending(path: "workers/w1/outputs").path
            let rounds = try (0..<5).map { round in try (1...6).map { try cluster.gate("\($0)-\(round)") } }
            let pieces = "for i in $(seq 0 4); do yes | head -c 60000000; \(cluster.waitAtGate("{}-$i")); done"
            let job = try await cluster.submit(script: pieces, "--array", "1-6")
            async let end: Void = Self.open(rounds, whenShort: outputs)
            let waiter = try cluster.start("wait", job)
            var most = 0
            while waiter.isRunning {
                most = max(most, Self.largest(in: outputs))
                try await Task.sleep(for: .milliseconds(2))
            }
            try await end
            #expect(try await waiter.end() == 0)
            #expect(most <= 72 * Self.mebibyte, "\(most)")
            #expect(Self.largest(in: outputs) <= 72 * Self.mebibyte)
            for index in 0..<6 {
                let log = try await cluster.baton("log", "\(job)/\(index)")
                let missing = "The first \(300_000_000 - log.bytes.count) bytes of this output of \(job)/\(index)"
                #expect(log.errors.hasPrefix("\(missing) are missing: "), "\(log.errors)")
            }
        }
    }

    /// Starts a worker of one slot whose directory is a mounted file system, which it alone sees.
    ///
    /// - Parameter mount: the arguments of mount(8) before the directory.
    /// - Returns: the worker, which is welcomed, and the path of the directory.
    private func startWorker(
        in cluster: TestCluster,
        onDisk mount: String,
        _ arguments: String = ""
    ) async throws -> (worker: ChildProcess, disk: String) {
        let disk = cluster.home.appending(path: "disk").path
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        let options = geteuid() == 0 ? "--mount" : "--mount --user --map-root-user"
        let worker = try cluster.start(
            script: """
                \(try cluster.giveKey(of: .worker)); exec unshare \(options) sh -c 'mount \(mount) disk && exec "\(TestCluster.program)" \
                worker --name w1 --slots 1 --home disk \(arguments)'
                """
        )
        try await worker.error(containing: "welcomed")
        return (worker, disk)
    }

    @Test(
        "A long stream is cut on a file system that cannot free a part of a file",
        .enabled(if: FillableDisk.Kind.canMount, "a small file system cannot be mounted here")
    )
    func cut() async throws {
        try await withCluster(workers: 0) { cluster in
            let (worker, _) = try await startWorker(in: cluster, onDisk: "-t ramfs ramfs", "--output-limit 1M")
            let (printed, gate) = (try cluster.gate(), try cluster.gate())
            let job = try await cluster.submit(
                script: "yes | head -c 30000000; \(printed.wait); echo z; \(gate.wait); printf 'yy\\n'"
            )
            try await printed.arrival()
            while try await !cluster.baton("log", job).errors.contains("no longer kept") {
                try await Task.sleep(for: .milliseconds(20))
            }
            try await printed.open()
            try await gate.arrival()
            let early = try await cluster.baton("log", job)
            #expect(early.bytes.allSatisfy { $0 != 0 } && early.errors.contains("no longer kept"), "\(early.errors)")
            try await gate.open()
            #expect(try await cluster.wait(job) == 0)
            let log = try await cluster.baton("log", job)
            #expect(log.output.hasSuffix("yy\n") && log.bytes.allSatisfy { $0 != 0 })
            #expect(log.bytes.count <= 65 * Self.mebibyte)
            #expect(log.errors.contains("The first ") && log.errors.contains("no longer kept"), "\(log.errors)")
            worker.signal(SIGTERM)
            #expect(try await worker.end() == 0)
        }
    }

    @Test(
        "An operation on a full disk loses its own output alone, and has none of an earlier operation",
        .enabled(if: FillableDisk.Kind.canMount, "a small file system cannot be mounted here")
    )
    func fullDisk() async throws {
        try await withCluster(workers: 0) { cluster in
            let (worker, disk) = try await startWorker(in: cluster, onDisk: "-t tmpfs -o size=4m tmpfs")
            let before = try await cluster.submit(script: "head -c 30000 /dev/zero")
            #expect(try await cluster.wait(before) == 0)
            let during = try await cluster.submit(script: "cat /dev/zero > '\(disk)/filler'; echo printed")
            #expect(try await cluster.wait(during) == 1)
            #expect(try await cluster.baton("log", during).bytes == [])
            let after = try await cluster.submit(script: "rm '\(disk)/filler'; echo after")
            #expect(try await cluster.wait(after) == 0)
            #expect(try await cluster.baton("log", after).output == "after\n")
            #expect(try await cluster.baton("log", before).bytes == [UInt8](repeating: 0, count: 30_000))
            worker.signal(SIGTERM)
            #expect(try await worker.end() == 0)
        }
    }

    // Up to its end an operation was watched, and afterwards nobody looked.
    @Test("What a process of another session prints after the end of its operation is kept within the limit")
    func late() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.startWorker("w1", options: ["--output-limit", "1M"])
            let outputs = cluster.home.appending(path: "workers/w1/outputs").path
            let late = "echo > started; : < late; head -c 5000000 /dev/zero; echo > printed"
            let job = try await cluster.submit(
                script: "mkfifo late started; setsid sh -c '\(late)' & read x < started; echo done"
            )
            #expect(try await cluster.wait(job) == 0)
            let printed = try cluster.start(script: ": > late; until [ -e printed ]; do sleep 0.05; done")
            #expect(try await printed.end() == 0)
            while Self.largest(in: outputs) > Self.mebibyte + 65_536 { try await Task.sleep(for: .milliseconds(20)) }
        }
    }

    @Test("An invalid size of --output-limit is refused")
    func sizes() async throws {
        try await withCluster(workers: nil) { cluster in
            for size in ["", "M", "1X", "-1M", "+1M", "1.5G", "4096", "9999999999999999999T"] {
                let result = try await cluster.baton("worker", "--output-limit=\(size)")
                #expect(result.status == 64 && result.errors.contains("size"), "\(size): \(result)")
            }
        }
    }

    /// Expects that the end of an output of lines "y" can be read, and that the log states the number of missing bytes.
    private func expectTheEnd(of job: String, length: Int, in cluster: TestCluster) async throws {
        let log = try await cluster.baton("log", job)
        #expect(log.status == 74)
        let missing = length - log.bytes.count
        #expect(log.errors.hasPrefix("The first \(missing) bytes of this output of \(job)/0 are missing: "))
        #expect(log.bytes.count >= 4 * Self.mebibyte)
        #expect(zip(log.bytes, 0...).allSatisfy { $0 == UInt8(ascii: ($1 + missing) % 2 == 0 ? "y" : "\n") })
        let json = try await cluster.baton("log", "--json", job)
        let lines = json.output.split(separator: "\n").prefix(2).map(String.init)
        try #require(lines.count == 2)
        #expect(try JSONValue(parsing: lines[0]).missing.int == missing)
        #expect(try JSONValue(parsing: lines[1]).offset.int == missing)
    }

    /// Opens the gates behind each piece of operations' outputs once the files of the outputs have become short.
    ///
    /// A piece fits into the 64 MiB. Without the gates, a thread of the worker that a busy machine stops would let an operation print
    /// more than that.
    private static func open(_ rounds: [[Gate]], whenShort outputs: String) async throws {
        for gates in rounds {
            for gate in gates { try await gate.arrival() }
            while largest(in: outputs) > 12 * mebibyte { try await Task.sleep(for: .milliseconds(2)) }
            for gate in gates { try await gate.open() }
        }
    }

    /// The disk space of a directory's files, in bytes.
    private static func room(of directory: String) -> Int { rooms(in: directory).reduce(0, +) }

    /// The disk space of a directory's largest file, in bytes.
    private static func largest(in directory: String) -> Int { rooms(in: directory).max() ?? 0 }

    private static func rooms(in directory: String) -> [Int] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.compactMap { name in
            var status = stat()
            return lstat(directory + "/" + name, &status) == 0 ? Int(status.st_blocks) * 512 : nil
        }
    }
}
