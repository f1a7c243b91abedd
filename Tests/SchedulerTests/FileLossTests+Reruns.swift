@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// How operations run again, to which end, and which never do.
extension FileLossTests {
    @Test("FI6 The same file is lost twice, and the producer runs a third time")
    func twice() {
        var (cluster, job, _) = cluster()
        for number in 2...4 {
            cluster.expel("w\(number - 1)")
            cluster.join("w\(number)", id: WorkerID(rawValue: UInt64(number)))
            #expect(cluster.attempts(of: job / 0).last == UInt32(number))
            cluster.finish(job / 0, leaving: Self.bam)
        }
        #expect(cluster.record.attempts[job / 0]?.map(\.attempt) == [1, 2, 3])
        #expect(cluster.state(job / 1) == .ready)
    }

    @Test("FI6 A rerun that leaves other bytes replaces the files, and the dependents take the new ones")
    func otherBytes() {
        var (cluster, job, _) = cluster()
        let other = KeptFile("a.bam", 2)
        cluster.expel("w1")
        let w2 = cluster.join("w2", id: WorkerID(rawValue: 2))
        cluster.finish(job / 0, leaving: other)
        #expect(cluster.record.files[job / 0]?.files == [other])
        cluster.resume("b")
        guard let attempt = cluster.running[job / 1] else {
            Issue.record("The dependent does not run.")
            return
        }
        #expect(attempt.hasInputs)
        #expect(cluster.scheduler.mayRead(w2, attempt.token, other.digest))
        #expect(!cluster.scheduler.mayRead(w2, attempt.token, Self.bam.digest))
    }

    @Test("FI6 What a rerun needs in turn runs again as well, over any number of stages", arguments: [3, 40, 2000])
    func lineage(stages: Int) {
        var cluster = Cluster()
        cluster.checkInterval = stages > 100 ? 500 : 1
        cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.suspend("b")
        var entries = [Entry.op()]
        for stage in 1...stages { entries.append(.op(queue: stage == stages ? 1 : 0, on: .needs(stage - 1))) }
        _ = cluster.answer(
            to: Submission(queueNames: Self.queues, templates: [.leavingFiles], entries: entries)
        )
        let job = JobNumber(1)
        for stage in 0..<stages { cluster.finish(job / stage, leaving: KeptFile("f", UInt64(stage))) }
        cluster.expel("w1")
        cluster.join("w2", id: WorkerID(rawValue: 2))
        for stage in 0..<stages {
            #expect(cluster.started.last?.operation == job / stage && cluster.started.last?.attempt == 2)
            cluster.finish(job / stage, leaving: KeptFile("f", UInt64(stage)))
        }
        cluster.resume("b")
        cluster.finish(job / stages)
        #expect(cluster.record.finished[job]?.succeeded == stages + 1)
    }

    @Test("FI6 A rerun ends with its job")
    func jobEnds() {
        var (cluster, job, _) = cluster()
        cluster.expel("w1")
        let w2 = cluster.join("w2", id: WorkerID(rawValue: 2))
        guard let rerun = cluster.running[job / 0] else {
            Issue.record("The producer does not run again.")
            return
        }
        cluster.resume("b")
        cluster.cancel(.job(job))
        #expect(cluster.record.finished[job] != nil && cluster.outcome(job / 0) == .succeeded)
        #expect(cluster.workers[w2]?.ending == [rerun.token])
        cluster.report(rerun, .cancelled(exitStatus: 0, signal: nil))
        let next = cluster.submit(.op())
        #expect(cluster.running[next / 0] != nil)
    }

    @Test("FI7 Where nothing may run again, the dependents fail with the names of the files")
    func never() {
        var (cluster, job, _) = cluster(.leavingFilesOnce, dependents: 2)
        cluster.expel("w1")
        for index in 1...2 {
            #expect(cluster.outcome(job / index) == .failed)
            #expect(
                cluster.last(job / index)?.reason
                    == Reason(
                        .input,
                        "It needs a.bam of 1/0 (align), lost with w1, and 1/0 cannot run again: it is never restarted."
                    )
            )
        }
        #expect(cluster.outcome(job / 0) == .succeeded)
    }

    @Test("FI7 A rerun that fails for good lets the dependents fail, after its retries", arguments: [UInt16(0), 2])
    func rerunFails(retries: UInt16) {
        var (cluster, job, _) = cluster(.leavingFiles(retries: retries), dependents: 2)
        cluster.expel("w1")
        cluster.join("w2", id: WorkerID(rawValue: 2))
        for attempt in 0...UInt32(retries) {
            #expect(cluster.attempts(of: job / 0).last == 2 + attempt)
            cluster.finish(job / 0, .exited(3))
            cluster.pass(.seconds(60))
        }
        for index in 1...2 {
            #expect(cluster.outcome(job / index) == .failed && cluster.last(job / index)?.reason?.code == .input)
        }
        #expect(cluster.outcome(job / 0) == .succeeded && cluster.ends[job / 0] == 1)
        #expect(cluster.record.finished[job]?.failed == 2)
    }

    @Test("RT4 The attempt whose files were lost had what the next one has")
    func grownLimits() {
        var template = Template.leavingFiles(retries: 3)
        template.work.timeout = .seconds(60)
        template.timeoutUpTo = .seconds(600)
        template.retryDelay = .zero
        var cluster = Cluster()
        cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.suspend("b")
        let submission = Submission(
            queueNames: Self.queues,
            templates: [template],
            entries: [.op(), .op(queue: 1, on: .needs(0))]
        )
        _ = cluster.answer(to: submission)
        let job = JobNumber(1)
        cluster.finish(job / 0, .timedOut)
        cluster.pass(.milliseconds(1))
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.expel("w1")
        cluster.join("w2", id: WorkerID(rawValue: 2))
        #expect(cluster.record.attempts[job / 0]?.map(\.limits.timeout) == [nil, Duration.seconds(120)])
        #expect(cluster.started.last?.attempt == 3 && cluster.started.last?.work.timeout == .seconds(120))
    }

    @Test("FI6 A rerun that fails is not repeated once its files are back")
    func retry() {
        var (cluster, job, _) = cluster(.leavingFiles(retries: 2))
        cluster.expel("w1")
        cluster.join("w2", id: WorkerID(rawValue: 2))
        let w3 = cluster.join("w3", id: WorkerID(rawValue: 3))
        cluster.report(Self.bam, in: w3)
        cluster.finish(job / 0, .exited(3))
        cluster.pass(.seconds(600))
        #expect(cluster.attempts(of: job / 0) == [1, 2] && cluster.state(job / 1) == .ready)
    }

    @Test("FI6 A rerun whose worker is lost runs once more")
    func rerunLost() {
        var (cluster, job, _) = cluster()
        cluster.expel("w1")
        cluster.join("w2", id: WorkerID(rawValue: 2))
        cluster.expel("w2")
        cluster.join("w3", id: WorkerID(rawValue: 3))
        #expect(cluster.attempts(of: job / 0) == [1, 2, 3])
        #expect(cluster.record.attempts[job / 0]?.map(\.reason.code) == [.files, .lost])
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.state(job / 1) == .ready)
    }

    @Test(
        "FI6 The record tells of a rerun that was lost, though the files have come back meanwhile",
        arguments: [true, false]
    )
    func rerunLostInVain(isRestarted: Bool) {
        var (cluster, job, _) = cluster()
        cluster.expel("w1")
        cluster.join("w2", id: WorkerID(rawValue: 2))
        #expect(cluster.attempts(of: job / 0) == [1, 2])
        cluster.suspend("a")
        cluster.expel("w2")
        let w1 = cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.report(Self.bam, in: w1)
        #expect(cluster.state(job / 1) == .ready && cluster.scheduler.graph.reruns.isEmpty)
        #expect(cluster.last(job / 0)?.attempt == 2 && cluster.last(job / 0)?.outcome == .succeeded)
        #expect(cluster.record.attempts[job / 0]?.map(\.reason.code) == [.files, .lost])
        var present = w1
        if isRestarted {
            cluster.restart()
            present = cluster.join("w1", id: WorkerID(rawValue: 1))
            cluster.report(Self.bam, in: present)
            #expect(cluster.scheduler.graph.reruns.isEmpty && cluster.state(job / 1) == .ready)
        }
        cluster.resume("a")
        cluster.apply(.filesDropped(present, [Self.bam.digest]))
        #expect(cluster.attempts(of: job / 0).last == 3)
    }

    @Test("FI6 A rerun that is called back again and again is taken for no attempt under way after a restart")
    func calledBackOften() {
        var (cluster, job, w1) = cluster()
        cluster.delayMessages(to: w1)
        for _ in 0..<3 {
            cluster.apply(.filesDropped(w1, [Self.bam.digest]))
            #expect(cluster.sent.last?.operation == job / 0 && cluster.sent.last?.attempt == 2)
            cluster.apply(.filesHeld(w1, [Self.bam.digest], isFirst: false))
            cluster.deliverMessages(to: w1)
            cluster.delayMessages(to: w1)
            #expect(cluster.last(job / 0)?.attempt == 1)
        }
        cluster.restart()
        let again = cluster.join("w1", id: WorkerID(rawValue: 1))
        #expect(cluster.scheduler.graph.reruns.isEmpty)
        cluster.report(Self.bam, in: again)
        #expect(cluster.state(job / 1) == .ready && cluster.started.isEmpty)
    }

    @Test("FI7 The dependents in another job fail once the job of the files has finished")
    func otherJob() {
        var cluster = Cluster()
        cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.suspend("b")
        let first = cluster.submit(.op(), templates: [.leavingFiles])
        cluster.finish(first / 0, leaving: Self.bam)
        #expect(cluster.record.finished[first] != nil)
        let second = cluster.submit(.op(queue: 1, on: .needs(first / 0)), queues: Self.queues)
        #expect(cluster.state(second / 0) == .ready)
        cluster.expel("w1")
        #expect(cluster.last(second / 0)?.reason?.code == .input)
        #expect(cluster.last(second / 0)?.reason?.message.contains("job 1 has finished") == true)
    }
}
