@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Files of submitters", .timeLimit(.minutes(60)))
struct SentFilesTests {
    private static let data = KeptFile("data/a", 1)
    private static let script = KeptFile("run", 2)

    /// A submission of entries that need its files, whose operation comes behind them.
    private func submission(
        _ entries: [Entry],
        queues: [String] = ["default"],
        templates: [Template] = [Template(work: Work(.commands([["use"]])))]
    ) throws -> Submission {
        var submission = Submission(queueNames: queues, templates: templates, entries: entries)
        try submission.send(["."])
        submission.sent?.files = [Self.data, Self.script]
        return submission
    }

    /// A cluster with a worker w1 that has the files, and takes nothing.
    private func cluster() -> (cluster: Cluster, keeper: SessionID) {
        var cluster = Cluster()
        let keeper = cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.report(Self.data, Self.script, in: keeper)
        cluster.suspend("b")
        return (cluster, keeper)
    }

    @Test("The operation with the files is finished with the job, and the commands start with these as inputs")
    func finished() throws {
        var (cluster, _) = cluster()
        _ = cluster.answer(to: try submission([.op("a"), .array(3), .op(on: .needs(0))]))
        let (job, sent) = (JobNumber(1), JobNumber(1) / 5)
        let record = try #require(cluster.last(sent))
        #expect(
            record.outcome == .succeeded && record.attempt == 0 && record.hasFiles && record.finishedAt == cluster.now
        )
        #expect(record.reason?.code == .sent && record.startedAt == nil)
        #expect(
            cluster.record.files[sent]?.files == [Self.data, Self.script] && cluster.record.files[sent]?.attempt == 0
        )
        #expect(cluster.record.jobs[job]?.submission.sent == nil, "the record has the files of the operation")
        #expect(cluster.started.map(\.operation) == [job / 0] && cluster.sent.last?.assignment.hasInputs == true)
        for index in 0...4 { cluster.finish(job / index) }
        #expect(cluster.record.finished[job]?.succeeded == 6 && cluster.ends[sent] == 1)
    }

    @Test("An array that needs the files stays one node")
    func array() throws {
        var (cluster, _) = cluster()
        _ = cluster.answer(to: try submission([.array(1000, queue: 1)], queues: ["a", "b"]))
        #expect(Array(cluster.scheduler.graph.nodeIndexes).count == 1)
        #expect(cluster.state(JobNumber(1) / 7) == .ready)
    }

    @Test("A barrier that needs the files waits for nothing behind it")
    func barrier() throws {
        var (cluster, _) = cluster()
        _ = cluster.answer(to: try submission([.op("first"), Entry(name: "barrier", isBarrier: true), .op("last")]))
        let job = JobNumber(1)
        #expect(cluster.outcome(job / 3) == .succeeded)
        for index in 0...2 {
            #expect(cluster.started.map(\.operation).last == job / index)
            cluster.finish(job / index)
        }
        #expect(cluster.record.finished[job]?.outcome == .succeeded)
    }

    @Test("Workers may delete the files once the job is finished, and not before")
    func release() throws {
        var (cluster, keeper) = cluster()
        _ = cluster.answer(to: try submission([.op()]))
        #expect(cluster.released(in: keeper).isEmpty)
        cluster.finish(JobNumber(1) / 0)
        #expect(cluster.released(in: keeper) == [Self.data.digest, Self.script.digest])
    }

    @Test(
        "FI7 Without a copy of the files, what needs them fails with the names, also after a restart",
        arguments: [true, false]
    )
    func lost(isRestarted: Bool) throws {
        var (cluster, _) = cluster()
        _ = cluster.answer(to: try submission([.op(queue: 1), .op(queue: 1, on: .needs(0))], queues: ["a", "b"]))
        let job = JobNumber(1)
        if isRestarted {
            cluster.restart()
            let session = cluster.join("w1", id: WorkerID(rawValue: 1))
            #expect(cluster.state(job / 0) != .finished)
            cluster.report(in: session)
            // Until then, the queue starts nothing, and nobody looks for what its operations need.
            cluster.resume("b")
        } else {
            cluster.expel("w1")
        }
        let record = try #require(cluster.last(job / 0))
        #expect(record.outcome == .failed && record.reason?.code == .input, "\(record)")
        #expect(record.reason?.message.contains("data/a, run of \(job / 2) (sent)") == true, "\(record)")
        #expect(record.reason?.message.contains("has to be submitted again") == true, "\(record)")
        #expect(cluster.outcome(job / 1) == .skipped && cluster.outcome(job / 2) == .succeeded)
        #expect(cluster.attempts(of: job / 2).isEmpty)
    }

    @Test("After a restart, the files are there once their worker has told so")
    func restart() throws {
        var (cluster, _) = cluster()
        _ = cluster.answer(to: try submission([.op(queue: 1)], queues: ["a", "b"]))
        cluster.restart()
        let session = cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.report(Self.data, Self.script, in: session)
        cluster.resume("b")
        #expect(cluster.started.map(\.operation) == [JobNumber(1) / 0])
    }

    @Test("A later job may need them by name, as files of any operation")
    func laterJob() throws {
        var (cluster, keeper) = cluster()
        _ = cluster.answer(to: try submission([.op(queue: 1)], queues: ["a", "b"]))
        let later = cluster.submit(.op(on: .needs(JobNumber(1) / 1)))
        #expect(cluster.started.map(\.operation) == [later / 0] && cluster.sent.last?.assignment.hasInputs == true)
        cluster.resume("b")
        cluster.cancel(.job(JobNumber(1)))
        #expect(cluster.released(in: keeper).isEmpty)
        cluster.finish(later / 0)
        #expect(cluster.released(in: keeper) == [Self.data.digest, Self.script.digest])
    }

    @Test("An open job may begin with files alone")
    func open() throws {
        var (cluster, keeper) = cluster()
        var submission = Submission(queueNames: [], templates: [], entries: [])
        try submission.send(["."])
        submission.sent?.files = [Self.data]
        submission.isOpen = true
        _ = cluster.answer(to: submission)
        #expect(cluster.outcome(JobNumber(1) / 0) == .succeeded && cluster.record.finished[JobNumber(1)] == nil)
        #expect(cluster.released(in: keeper).isEmpty)
    }

    @Test("Contents without a copy are told, in their order")
    func uncopied() {
        let (cluster, _) = cluster()
        let others = [KeptFile("x", 9).digest, KeptFile("y", 3).digest]
        #expect(cluster.scheduler.uncopied([others[0], Self.data.digest, others[1]]) == others)
    }
}
