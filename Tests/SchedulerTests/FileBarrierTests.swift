@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Barriers beside operations that run again", .timeLimit(.minutes(60)))
struct FileBarrierTests {
    private static let bam = KeptFile("a.bam", 1)

    /// A finished operation of the queue a with a file at the worker w1, and a dependent in the queue b, which starts nothing.
    private func cluster(
        slots: Int = 4,
        _ configuration: Configuration = Configuration(sendAhead: .atMost(0))
    ) -> (cluster: Cluster, job: JobNumber, w1: SessionID) {
        var cluster = Cluster(configuration)
        let w1 = cluster.join("w1", slots: slots, id: WorkerID(rawValue: 1))
        cluster.suspend("b")
        let job = cluster.submit(
            .op("align"),
            .op(queue: 1, on: .needs(0)),
            queues: ["a", "b"],
            templates: [.leavingFiles]
        )
        cluster.finish(job / 0, leaving: Self.bam)
        return (cluster, job, w1)
    }

    /// A worker loses the file.
    private func lose(_ session: SessionID, in cluster: inout Cluster) {
        cluster.apply(.filesDropped(session, [Self.bam.digest]))
    }

    @Test("BA1 A barrier starts only once nothing of its queue runs again")
    func barrierWaits() {
        var (cluster, job, w1) = cluster()
        lose(w1, in: &cluster)
        #expect(cluster.attempts(of: job / 0) == [1, 2])
        let wall = cluster.submit(.barrier(), queues: ["a"])
        let other = cluster.submit(.barrier(), queues: ["c"])
        #expect(cluster.state(wall / 0) == .ready && cluster.state(other / 0) == .executing)
        #expect(
            cluster.scheduler.impediments(of: wall / 0) == [.besideReruns(queue: "a", count: 1, first: [job / 0])]
        )
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.state(wall / 0) == .executing)
    }

    @Test("BA1 A barrier waits for each of several operations that run again, however they end", arguments: [2, 5])
    func several(count: Int) {
        var cluster = Cluster()
        let w1 = cluster.join("w1", slots: 9, id: WorkerID(rawValue: 1))
        cluster.suspend("b")
        let submission = Submission(
            queueNames: ["a", "b"],
            templates: [.leavingFiles],
            entries: [.array(count), .array(count, queue: 1, on: .needsElements(0))]
        )
        _ = cluster.answer(to: submission)
        let job = JobNumber(1)
        for index in 0..<count { cluster.finish(job / index, leaving: KeptFile("f", UInt64(index + 1))) }
        cluster.apply(.filesDropped(w1, (0..<count).map { KeptFile("f", UInt64($0 + 1)).digest }))
        let wall = cluster.submit(.barrier(), queues: ["a"])
        for index in 0..<count {
            #expect(cluster.state(wall / 0) == .ready)
            if index % 2 == 0 {
                cluster.finish(job / index, leaving: KeptFile("f", UInt64(index + 1)))
            } else {
                cluster.finish(job / index, .exited(1))
            }
        }
        #expect(cluster.state(wall / 0) == .executing)
    }

    /// How something that runs again is over at its worker.
    enum End: CaseIterable {
        case cancelled, succeeded, failed, returned, lost
    }

    @Test(
        "BA1 FI6 What runs again keeps its place until it is over at its worker, though its job has finished",
        arguments: End.allCases
    )
    func endsWithJob(_ end: End) {
        var (cluster, job, w1) = cluster()
        if end == .returned { cluster.delayMessages(to: w1) }
        lose(w1, in: &cluster)
        guard let rerun = cluster.sent.last, rerun.operation == job / 0, rerun.attempt == 2 else {
            Issue.record("The producer does not run again.")
            return
        }
        cluster.resume("b")
        cluster.cancel(.job(job))
        #expect(cluster.record.finished[job] != nil && cluster.outcome(job / 0) == .succeeded)
        let last = cluster.last(job / 0)
        let wall = cluster.submit(.barrier(), queues: ["a"])
        #expect(
            cluster.scheduler.impediments(of: wall / 0) == [.besideReruns(queue: "a", count: 1, first: [job / 0])]
        )
        #expect(cluster.state(wall / 0) == .ready)
        switch end {
        case .cancelled:
            #expect(cluster.workers[w1]?.ending == [rerun.token])
            cluster.report(rerun, .cancelled(exitStatus: 0, signal: nil))
        case .succeeded: cluster.finish(rerun, leaving: [Self.bam])
        case .failed: cluster.report(rerun, .exited(1))
        case .returned: cluster.deliverMessages(to: w1)
        case .lost:
            cluster.expel("w1")
            cluster.join("w2", id: WorkerID(rawValue: 2))
        }
        #expect(cluster.scheduler.graph.reruns.isEmpty && cluster.scheduler.graph.endingJobs.isEmpty)
        #expect(cluster.scheduler.files.isEmpty && cluster.last(job / 0) == last)
        #expect(cluster.attempts(of: job / 0) == (end == .returned ? [1] : [1, 2]))
        #expect(cluster.state(wall / 0) == .executing)
        cluster.finish(wall / 0)
        #expect(cluster.record.finished[wall]?.succeeded == 1)
    }

    @Test("BA1 FI6 Nothing runs again in a queue while a barrier of it is at a worker")
    func rerunWaits() {
        var (cluster, job, w1) = cluster()
        let wall = cluster.submit(.barrier(), queues: ["a"])
        #expect(cluster.state(wall / 0) == .executing)
        let late = cluster.submit(.op(), queues: ["a"])
        lose(w1, in: &cluster)
        #expect(cluster.attempts(of: job / 0) == [1] && cluster.state(job / 1) == .pending)
        guard case .files(_, _, _, _, _, _, let reasons)? = cluster.scheduler.impediments(of: job / 1)?.first else {
            Issue.record("The lost file is not told.")
            return
        }
        #expect(reasons == [.barrier(wall / 0, queue: "a", unfinished: 0, first: [])])
        cluster.finish(wall / 0)
        #expect(cluster.attempts(of: job / 0) == [1, 2] && cluster.state(late / 0) == .executing)
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.state(job / 1) == .ready)
    }

    @Test("BA1 FI6 What runs again for a barrier does not wait for that, even if the barrier was at a worker")
    func neededByBarrier() {
        for isSent in [false, true] {
            var cluster = Cluster()
            let w1 = cluster.join("w1", slots: 4, id: WorkerID(rawValue: 1))
            let job = cluster.submit(
                .op(),
                Entry(isBarrier: true, dependencies: [.needs(0)]),
                queues: ["a"],
                templates: [.leavingFiles]
            )
            cluster.suspend("a")
            cluster.finish(job / 0, leaving: Self.bam)
            if isSent {
                cluster.delayMessages(to: w1)
                cluster.resume("a")
                guard let attempt = cluster.sent.last, attempt.operation == job / 1 else {
                    Issue.record("The barrier was not sent.")
                    return
                }
                cluster.workers[w1]?.inbox = []
                cluster.apply(.filesMissing(w1, attempt.token, [Self.bam.digest]))
                cluster.deliverMessages(to: w1)
            } else {
                lose(w1, in: &cluster)
                cluster.resume("a")
            }
            #expect(cluster.order == ["1/0", "1/0"])
            cluster.finish(job / 0, leaving: Self.bam)
            #expect(cluster.order == ["1/0", "1/0", "1/1"])
        }
    }

    @Test("BA1 A barrier waits for what was sent ahead to run again, and no longer once that is called back")
    func sentAhead() {
        for isCalledBack in [false, true] {
            var (cluster, job, w1) = cluster(slots: 1, Configuration(sendAhead: .atMost(2)))
            let busy = cluster.submit(.op(), queues: ["c"])
            lose(w1, in: &cluster)
            #expect(cluster.sent.last?.operation == job / 0 && cluster.attempts(of: job / 0) == [1])
            let wall = cluster.submit(.barrier(), queues: ["a"])
            #expect(cluster.sent.last?.operation == job / 0)
            if isCalledBack {
                cluster.apply(.filesHeld(w1, [Self.bam.digest], isFirst: false))
                #expect(cluster.sent.last?.operation == wall / 0)
                // Nobody is told of an attempt that never ran.
                #expect(cluster.last(job / 0)?.attempt == 1)
            }
            cluster.finish(busy / 0)
            if !isCalledBack {
                #expect(cluster.attempts(of: job / 0) == [1, 2] && cluster.state(wall / 0) == .ready)
                cluster.finish(job / 0, leaving: Self.bam)
            }
            #expect(cluster.state(wall / 0) == .executing)
        }
    }

    @Test("BA1 A barrier waits after a restart for what ran again before it")
    func rerunOverRestart() {
        var (cluster, job, w1) = cluster()
        lose(w1, in: &cluster)
        let wall = cluster.submit(.barrier(), queues: ["a"])
        guard let rerun = cluster.running[job / 0] else {
            Issue.record("The producer does not run again.")
            return
        }
        cluster.restart()
        let again = cluster.join("w1", slots: 4, holding: [rerun], id: WorkerID(rawValue: 1))
        cluster.report(in: again)
        #expect(!cluster.scheduler.reconciliation.isOpen && cluster.started.isEmpty)
        var attempt = rerun
        attempt.session = again
        cluster.finish(attempt, leaving: [Self.bam])
        #expect(cluster.started.map(\.operation) == [wall / 0])
    }

    @Test("BA1 FI6 What is to run again waits after a restart for the barrier that ran before it")
    func barrierOverRestart() {
        var (cluster, job, _) = cluster()
        let wall = cluster.submit(.barrier(), queues: ["a"])
        guard let barrier = cluster.running[wall / 0] else {
            Issue.record("The barrier does not run.")
            return
        }
        cluster.restart()
        let again = cluster.join("w1", slots: 4, holding: [barrier], id: WorkerID(rawValue: 1))
        cluster.report(in: again)
        #expect(cluster.state(job / 1) == .pending && cluster.started.isEmpty)
        cluster.report(barrier, session: again)
        #expect(cluster.started.map(\.operation) == [job / 0] && cluster.started.last?.attempt == 2)
    }
}
