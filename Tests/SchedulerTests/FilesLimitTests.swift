@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("The limit of a job's files", .timeLimit(.minutes(60)))
struct FilesLimitTests {
    /// A cluster with a limit for each job, and a worker with enough slots.
    private func cluster(allowing limit: Int64?) -> (cluster: Cluster, w1: SessionID) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(0), jobFilesLimit: limit))
        let w1 = cluster.join("w1", slots: 9, id: WorkerID(rawValue: 1))
        return (cluster, w1)
    }

    @Test(
        "The smaller limit of a job's and the coordinator's counts, to the byte, and the one is named that has to be raised",
        arguments: [
            (nil, nil, nil), (3000, nil, "--files-limit"), (nil, 3000, "--job-files-limit"),
            (3000, 4000, "--files-limit"),
            (4000, 3000, "--job-files-limit"), (3000, 3000, "--job-files-limit"),
        ] as [(Int64?, Int64?, String?)]
    )
    func limits(asked: Int64?, allowed: Int64?, option: String?) {
        for last: Int64 in [999, 1000, 1001, 1 << 40] {
            var (cluster, w1) = cluster(allowing: allowed)
            let settings = JobSettings(filesLimit: asked)
            let job = cluster.submit(.op(), .op(), .op(), templates: [.leavingFiles], settings: settings)
            cluster.finish(job / 0, leaving: KeptFile("a", 1))
            cluster.finish(job / 2, leaving: KeptFile("c", 3))
            let file = KeptFile("b", 2, size: last)
            // Its worker tells what it has kept before the end of the attempt.
            cluster.apply(.filesHeld(w1, [file.digest], isFirst: false))
            cluster.finish(job / 1, leaving: file)
            guard let option, last > 1000 else {
                #expect(cluster.outcome(job / 1) == .succeeded && cluster.last(job / 1)?.hasFiles == true)
                continue
            }
            let record = cluster.last(job / 1)
            #expect(record?.outcome == .failed && record?.hasFiles == false && record?.exitStatus == nil)
            #expect(record?.reason?.code == .files)
            let sentence = record?.reason?.message ?? ""
            // A higher limit of the job would not help where the coordinator does not allow as much.
            let (other, told) = allowed == 4000 && last > 2000 ? ("--job-files-limit", "4000B") : (option, "3000B")
            #expect(sentence.contains("(\(other))") && sentence.contains(told), "\(sentence)")
            #expect(sentence.contains(last == 1001 ? "3001B" : "1T"), "\(sentence)")
            #expect(cluster.record.files[job / 1] == nil)
            #expect(cluster.released(in: w1).contains(file.digest))
        }
    }

    @Test("A content counts once an operation, and again for each operation that leaves it")
    func contents() {
        var (cluster, w1) = cluster(allowing: nil)
        let settings = JobSettings(filesLimit: 3000)
        let job = cluster.submit(.op(), .op(), .op(), .op(), templates: [.leavingFiles], settings: settings)
        cluster.finish(job / 0, leaving: KeptFile("a", 1), KeptFile("b", 1), KeptFile("c", 1), KeptFile("d", 2))
        cluster.finish(job / 1, leaving: KeptFile("a", 1))
        #expect(cluster.outcome(job / 1) == .succeeded)
        cluster.finish(job / 2, leaving: KeptFile("a", 1))
        #expect(cluster.outcome(job / 2) == .failed)
        // The worker needs the content for the other operations.
        #expect(cluster.released(in: w1).isEmpty && cluster.state(job / 3) == .executing)
    }

    @Test("Files beyond the limit are retried as any failure, and what they took is free for the next attempt")
    func retries() {
        var (cluster, w1) = cluster(allowing: 1500)
        let job = cluster.submit(.op(), .op(), templates: [.leavingFiles(retries: 2)])
        for content: UInt64 in 1...2 {
            cluster.finish(job / 0, leaving: KeptFile("a", content, size: 1501))
            #expect(cluster.released(in: w1) == [KeptFile("a", content).digest])
            #expect(cluster.record.attempts[job / 0]?.last?.reason.code == .files)
            cluster.pass(.seconds(60))
        }
        cluster.finish(job / 0, leaving: KeptFile("a", 3, size: 1500))
        #expect(cluster.outcome(job / 0) == .succeeded)
        #expect(cluster.record.files[job / 0]?.attempt == 3)
    }

    @Test("What runs again replaces what it had left, also after a restart")
    func reruns() {
        for isRestarted in [false, true] {
            for size: Int64 in [1, 1000, 2000, 2001] {
                var (cluster, _) = cluster(allowing: 3000)
                cluster.suspend("b")
                let job = cluster.submit(
                    .op(),
                    .op(),
                    .op(queue: 1, on: .needs(0)),
                    queues: ["a", "b"],
                    templates: [.leavingFiles]
                )
                cluster.finish(job / 0, leaving: KeptFile("a", 1, size: 2000))
                cluster.finish(job / 1, leaving: KeptFile("b", 2))
                if isRestarted {
                    cluster.restart()
                    let w1 = cluster.join("w1", slots: 9, id: WorkerID(rawValue: 1))
                    cluster.report(KeptFile("a", 1), KeptFile("b", 2), in: w1)
                }
                cluster.expel("w1")
                let w2 = cluster.join("w2", slots: 9, id: WorkerID(rawValue: 2))
                // Soon after a restart, nothing is lost before it has told what it has.
                cluster.report(in: w2)
                cluster.finish(job / 0, leaving: KeptFile("a", 3, size: size))
                #expect(cluster.outcome(job / 0) == .succeeded)
                cluster.resume("b")
                if size <= 2000 {
                    #expect(cluster.record.files[job / 0]?.files.map(\.size) == [size])
                    #expect(cluster.attempts(of: job / 2) == [1])
                } else {
                    #expect(cluster.last(job / 2)?.reason?.code == .input)
                    #expect(cluster.last(job / 2)?.reason?.message.contains("3001B") == true)
                }
            }
        }
    }

    @Test("Each job has a limit of its own, and workers cannot tell sizes that add up to none")
    func jobs() {
        var (cluster, _) = cluster(allowing: 1 << 50)
        for _ in 0..<3 {
            let job = cluster.submit(.op(), .op(), .op(), templates: [.leavingFiles])
            cluster.finish(job / 0, leaving: KeptFile("a", 1, size: 1 << 48), KeptFile("b", 2, size: -5))
            #expect(cluster.outcome(job / 0) == .succeeded)
            let files = (UInt64(10)..<15).map { KeptFile("\($0)", $0, size: .max) }
            if let attempt = cluster.running[job / 1] { cluster.finish(attempt, leaving: files) }
            #expect(cluster.outcome(job / 1) == .failed)
            cluster.finish(job / 2, leaving: KeptFile("a", 3, size: 1 << 48))
            #expect(cluster.outcome(job / 2) == .succeeded)
        }
    }
}
