@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Lost files, and operations that run again", .timeLimit(.minutes(60)))
struct FileLossTests {
    private static let queues = ["a", "b"]
    private static let bam = KeptFile("a.bam", 1)

    /// A finished operation with a file at the worker w1, and dependents in a queue that starts nothing.
    ///
    /// - Parameter dependents: the number of dependents, whose indices begin with 1.
    private func cluster(
        _ template: Template = .leavingFiles,
        dependents: Int = 1
    ) -> (cluster: Cluster, job: JobNumber, w1: SessionID) {
        var cluster = Cluster()
        let w1 = cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.suspend("b")
        var entries = [Entry.op("align")]
        for _ in 0..<dependents { entries.append(.op(queue: 1, template: 1, on: .needs(0))) }
        let submission = Submission(queueNames: Self.queues, templates: [template, .leavingFiles], entries: entries)
        _ = cluster.answer(to: submission)
        let job = JobNumber(1)
        cluster.finish(job / 0, leaving: Self.bam)
        return (cluster, job, w1)
    }

    @Test(
        "FI6 The producer runs again as the next attempt, and its outcome, its times and its job's counts stay as they were"
    )
    func runsAgain() {
        var (cluster, job, _) = cluster(dependents: 3)
        let first = cluster.last(job / 0)
        let counts = cluster.scheduler.counts
        #expect(first?.hasFiles == true && cluster.state(job / 1) == .ready)
        cluster.now = cluster.now + .seconds(5)
        cluster.expel("w1")
        for index in 1...3 { #expect(cluster.state(job / index) == .pending) }
        #expect(cluster.attempts(of: job / 0) == [1])

        cluster.join("w2", slots: 9, id: WorkerID(rawValue: 2))
        #expect(cluster.attempts(of: job / 0) == [1, 2])
        #expect(cluster.last(job / 0)?.attempt == 2)
        #expect(cluster.record.attempts[job / 0]?.map(\.reason) == [Reason(.files, "Its files were lost with w1.")])
        #expect(cluster.scheduler.counts.succeeded == counts.succeeded)
        cluster.now = cluster.now + .seconds(5)
        cluster.finish(job / 0, leaving: Self.bam)

        let last = cluster.last(job / 0)
        #expect(
            last?.outcome == .succeeded && last?.finishedAt == first?.finishedAt && last?.startedAt == first?.startedAt
        )
        #expect(last?.attempt == 2 && last?.worker == "w2" && cluster.ends[job / 0] == 1)
        #expect(cluster.record.files[job / 0]?.attempt == 2)
        for index in 1...3 { #expect(cluster.state(job / index) == .ready) }
        cluster.resume("b")
        for index in 1...3 { #expect(cluster.attempts(of: job / index) == [1]) }
        for index in 1...3 { cluster.finish(job / index) }
        #expect(cluster.record.finished[job]?.succeeded == 4)
    }

    @Test("FI6 A silent worker's files are not lost before the worker is")
    func silence() {
        var (cluster, job, w1) = cluster()
        let configuration = cluster.scheduler.configuration
        cluster.pass(configuration.suspectAfter, silent: w1)
        #expect(cluster.state(job / 1) == .ready)
        cluster.pass(configuration.lostAfter, silent: w1)
        #expect(cluster.state(job / 1) == .pending)
        cluster.join("w2", id: WorkerID(rawValue: 2))
        #expect(cluster.attempts(of: job / 0) == [1, 2])
    }

    @Test("FI8 A copy that a worker drops is lost, and one of two copies is enough")
    func dropped() {
        var (cluster, job, w1) = cluster()
        let w2 = cluster.join("w2", id: WorkerID(rawValue: 2))
        cluster.report(Self.bam, in: w2)
        cluster.apply(.filesDropped(w1, [Self.bam.digest]))
        #expect(cluster.state(job / 1) == .ready && cluster.scheduler.holders(of: Self.bam.digest) == [w2])
        cluster.apply(.filesDropped(w2, [Self.bam.digest]))
        #expect(cluster.attempts(of: job / 0) == [1, 2])
    }

    @Test("FI6 A worker that comes back with the files ends a rerun that has not started, and nothing runs")
    func comesBack() {
        var (cluster, job, _) = cluster()
        cluster.expel("w1")
        #expect(cluster.state(job / 1) == .pending)
        cluster.suspend("a")
        let w1 = cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.report(Self.bam, in: w1)
        cluster.resume("a")
        #expect(cluster.state(job / 1) == .ready)
        #expect(cluster.attempts(of: job / 0) == [1] && cluster.last(job / 0)?.attempt == 1)
    }

    /// The first report of a worker that has joined again: with the file, empty, in parts, or never.
    enum Report: CaseIterable {
        case withFile, empty, inParts, none
    }

    @Test(
        "FI6 What was lost with a worker that is back does not run again before that has told what it has",
        arguments: Report.allCases
    )
    func asksFirst(_ report: Report) {
        var (cluster, job, _) = cluster()
        cluster.expel("w1")
        let w1 = cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.join("w2", id: WorkerID(rawValue: 2))
        #expect(cluster.attempts(of: job / 0) == [1] && cluster.state(job / 1) == .pending)
        let others = (1...2).map { _ in cluster.submit(.op(), queues: ["a"]) / 0 }
        for other in others { #expect(cluster.state(other) == .executing) }
        for other in others { cluster.finish(other) }
        #expect(cluster.attempts(of: job / 0) == [1], "what comes behind it in its queue passes it")
        switch report {
        case .withFile: cluster.report(Self.bam, in: w1)
        case .empty: cluster.report(in: w1)
        case .inParts:
            let first = (0..<UInt64(FileTable.longestReport)).map { KeptFile("f", 1000 + $0).digest }
            cluster.apply(.filesHeld(w1, first, isFirst: true))
            #expect(cluster.attempts(of: job / 0) == [1])
            cluster.apply(.filesHeld(w1, [Self.bam.digest], isFirst: false))
        case .none: cluster.expel("w1")
        }
        let hasFile = report == .withFile || report == .inParts
        #expect(cluster.attempts(of: job / 0) == (hasFile ? [1] : [1, 2]))
        #expect(cluster.state(job / 1) == (hasFile ? .ready : .pending))
        if !hasFile { cluster.finish(job / 0, leaving: Self.bam) }
        cluster.resume("b")
        cluster.finish(job / 1)
        #expect(cluster.record.finished[job]?.succeeded == 2)
    }

    @Test("FI6 Files that are lost again with another worker wait for no report of the first one")
    func lostWithAnother() {
        var (cluster, job, _) = cluster()
        cluster.expel("w1")
        cluster.suspend("a")
        let w2 = cluster.join("w2", id: WorkerID(rawValue: 2))
        cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.resume("a")
        #expect(cluster.attempts(of: job / 0) == [1])
        cluster.report(Self.bam, in: w2)
        #expect(cluster.state(job / 1) == .ready)
        cluster.apply(.filesDropped(w2, [Self.bam.digest]))
        #expect(cluster.attempts(of: job / 0) == [1, 2])
    }

    @Test("FI6 A rerun at a worker that has not started it is called back once the files are there")
    func comesBackLate() {
        var (cluster, job, _) = cluster()
        let first = cluster.last(job / 0)
        cluster.expel("w1")
        cluster.suspend("a")
        let w2 = cluster.join("w2", id: WorkerID(rawValue: 2))
        cluster.delayMessages(to: w2)
        cluster.resume("a")
        #expect(cluster.sent.last?.operation == job / 0 && cluster.sent.last?.attempt == 2)
        let w1 = cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.report(Self.bam, in: w1)
        #expect(cluster.state(job / 1) == .ready)
        cluster.deliverMessages(to: w2)
        // Nobody is told of an attempt that never ran, and the next one takes its number.
        #expect(cluster.attempts(of: job / 0) == [1] && cluster.last(job / 0)?.attempt == 1)
        #expect(cluster.last(job / 0)?.token == first?.token)
        cluster.expel("w1")
        #expect(cluster.attempts(of: job / 0) == [1, 2])
        #expect(cluster.record.attempts[job / 0]?.count == 1)
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.scheduler.holders(of: Self.bam.digest) == [w2])
    }

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

    @Test("FI6 Only what was lost runs again")
    func onlyLost() {
        var cluster = Cluster()
        let w1 = cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.suspend("b")
        let submission = Submission(
            queueNames: Self.queues,
            templates: [.leavingFiles],
            entries: [.op(), .op(on: .needs(0)), .op(queue: 1, on: .needs(0), .needs(1))]
        )
        _ = cluster.answer(to: submission)
        let job = JobNumber(1)
        cluster.finish(job / 0, leaving: KeptFile("f", 1))
        cluster.finish(job / 1, leaving: KeptFile("g", 2), KeptFile("h", 3))
        cluster.apply(.filesDropped(w1, [KeptFile("h", 3).digest]))
        #expect(cluster.attempts(of: job / 0) == [1] && cluster.attempts(of: job / 1) == [1, 2])
    }

    @Test("FI6 Nobody needs the files of a dependent that is cancelled, and nothing runs again")
    func cancelled() {
        var (cluster, job, _) = cluster(dependents: 2)
        cluster.expel("w1")
        cluster.resume("b")
        cluster.cancel(.operation(job / 1))
        #expect(cluster.outcome(job / 1) == .cancelled)
        cluster.cancel(.operation(job / 2))
        #expect(cluster.record.finished[job] != nil)
        cluster.join("w2", id: WorkerID(rawValue: 2))
        #expect(cluster.attempts(of: job / 0) == [1])
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

    @Test("FI6 Of an array, only the elements wait that need what was lost", arguments: [1, 5, 60])
    func elements(count: Int) {
        var cluster = Cluster()
        let w1 = cluster.join("w1", slots: count, id: WorkerID(rawValue: 1))
        cluster.suspend("b")
        let submission = Submission(
            queueNames: Self.queues,
            templates: [.leavingFiles],
            entries: [.array(count), .array(count, queue: 1, on: .needsElements(0))]
        )
        _ = cluster.answer(to: submission)
        let job = JobNumber(1)
        for index in 0..<count { cluster.finish(job / index, leaving: KeptFile("f", UInt64(index))) }
        let lost = (0..<count).filter { $0 % 3 == 1 || count == 1 }
        cluster.apply(.filesDropped(w1, lost.map { KeptFile("f", UInt64($0)).digest }))
        for index in 0..<count {
            #expect(cluster.state(job / (count + index)) == (lost.contains(index) ? .pending : .ready))
            #expect(cluster.attempts(of: job / index) == (lost.contains(index) ? [1, 2] : [1]))
        }
        cluster.resume("b")
        for index in lost { cluster.finish(job / index, leaving: KeptFile("f", UInt64(index))) }
        while let next = cluster.running.keys.min() { cluster.finish(next, leaving: KeptFile("g", UInt64(next.index))) }
        #expect(cluster.record.finished[job]?.succeeded == 2 * count)
    }

    @Test("FI3 An attempt that a worker cannot start for want of files comes back, and what made them runs again")
    func missing() {
        var (cluster, job, w1) = cluster()
        cluster.delayMessages(to: w1)
        cluster.resume("b")
        guard let attempt = cluster.sent.last, attempt.operation == job / 1 else {
            Issue.record("The dependent was not sent.")
            return
        }
        cluster.workers[w1]?.inbox = []
        cluster.apply(.filesMissing(w1, attempt.token, [Self.bam.digest]))
        cluster.deliverMessages(to: w1)
        #expect(cluster.state(job / 1) == .pending)
        #expect(cluster.attempts(of: job / 0) == [1, 2])
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.attempts(of: job / 1) == [1])
    }

    @Test(
        "FI8 Only the copies are lost that came damaged, and nothing runs again while another one is left",
        arguments: 1...4
    )
    func damaged(copies: Int) {
        var (cluster, job, w1) = cluster()
        var holders = [w1]
        for number in 2..<copies + 2 {
            let session = cluster.join("w\(number)", id: WorkerID(rawValue: UInt64(number)))
            if number <= copies { cluster.report(Self.bam, in: session) }
            holders.append(session)
        }
        // The last worker has no copy, and gets the dependent each time.
        let receiver = holders.removeLast()
        for session in holders { cluster.delayMessages(to: session) }
        cluster.delayMessages(to: receiver)
        cluster.resume("b")
        for (number, giver) in holders.enumerated() {
            guard let attempt = cluster.sent.last, attempt.operation == job / 1 else {
                Issue.record("The dependent was not sent.")
                return
            }
            #expect(cluster.attempts(of: job / 0) == [1] && cluster.sent.count == number + 2)
            cluster.workers[attempt.session]?.inbox = []
            let givers = [Self.bam.digest: [giver]]
            cluster.apply(.filesMissing(attempt.session, attempt.token, [Self.bam.digest], givers: givers))
            #expect(cluster.scheduler.holders(of: Self.bam.digest).count == copies - number - 1)
        }
        #expect(cluster.state(job / 1) == .pending)
        #expect(cluster.sent.last?.operation == job / 0 && cluster.sent.last?.token != cluster.started.first?.token)
    }

    /// A dependent at the worker w2 that has got the only copy, at w1, damaged.
    private func doubtful() -> (cluster: Cluster, job: JobNumber, w1: SessionID, w2: SessionID)? {
        var (cluster, job, w1) = cluster()
        let w2 = cluster.join("w2", id: WorkerID(rawValue: 2))
        for session in [w1, w2] { cluster.delayMessages(to: session) }
        cluster.resume("b")
        guard let attempt = cluster.sent.last, attempt.operation == job / 1 else {
            Issue.record("The dependent was not sent.")
            return nil
        }
        for session in [w1, w2] { cluster.workers[session]?.inbox = [] }
        cluster.suspend("a")
        let givers = [Self.bam.digest: [w1]]
        cluster.apply(.filesMissing(attempt.session, attempt.token, [Self.bam.digest], givers: givers))
        #expect(cluster.questioned(in: w1) == [Self.bam.digest] && cluster.questioned(in: w2).isEmpty)
        #expect(cluster.scheduler.holders(of: Self.bam.digest).isEmpty && cluster.state(job / 1) == .pending)
        return (cluster, job, w1, w2)
    }

    @Test("FI8 A copy in doubt does not count when its worker names it with all others, and is asked for again")
    func namedAgain() {
        guard let scene = doubtful() else { return }
        var (cluster, job, w1, w2) = scene
        let other = KeptFile("other", 7)
        cluster.report(Self.bam, other, in: w1)
        #expect(cluster.questioned(in: w1) == [Self.bam.digest])
        #expect(cluster.scheduler.holders(of: Self.bam.digest).isEmpty && cluster.state(job / 1) == .pending)
        #expect(cluster.scheduler.holders(of: other.digest) == [w1])
        // The copy of another worker is not in doubt.
        cluster.report(Self.bam, in: w2)
        #expect(cluster.questioned(in: w2).isEmpty && cluster.scheduler.holders(of: Self.bam.digest) == [w2])
    }

    @Test(
        "FI8 A copy that its worker has found right counts again, and one that it has dropped does not",
        arguments: [true, false]
    )
    func answered(isRight: Bool) {
        guard let scene = doubtful() else { return }
        var (cluster, job, w1, _) = scene
        if isRight {
            cluster.apply(.filesHeld(w1, [Self.bam.digest], isFirst: false))
            #expect(cluster.state(job / 1) != .pending && cluster.scheduler.holders(of: Self.bam.digest) == [w1])
        } else {
            cluster.apply(.filesDropped(w1, [Self.bam.digest]))
            #expect(cluster.state(job / 1) == .pending && cluster.scheduler.holders(of: Self.bam.digest).isEmpty)
        }
        // Either way the next report counts as it is.
        cluster.report(Self.bam, in: w1)
        #expect(cluster.questioned(in: w1).isEmpty && cluster.scheduler.holders(of: Self.bam.digest) == [w1])
    }

    @Test("FI9 A copy that is found right after its job has ended may go")
    func rightTooLate() {
        guard let scene = doubtful() else { return }
        var (cluster, job, w1, _) = scene
        cluster.cancel(.operation(job / 1))
        #expect(cluster.record.finished[job] != nil)
        cluster.apply(.filesHeld(w1, [Self.bam.digest], isFirst: false))
        #expect(cluster.released(in: w1) == [Self.bam.digest])
    }

    @Test("FI3 An attempt fails that needs files of which nobody knows who made them")
    func unknown() {
        var (cluster, job, w1) = cluster()
        cluster.delayMessages(to: w1)
        cluster.resume("b")
        guard let attempt = cluster.sent.last else { return }
        cluster.workers[w1]?.inbox = []
        cluster.apply(.filesMissing(w1, attempt.token, [KeptFile("x", 99).digest]))
        #expect(cluster.last(job / 1)?.reason?.code == .input)
    }

    @Test("A declared output that is not there fails the attempt, which is retried like any other failure")
    func unkept() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), templates: [.leavingFiles(retries: 1)])
        cluster.finish(job / 0, .unkeptFiles("No file matches *.bam."))
        cluster.pass(.seconds(60))
        cluster.finish(job / 0, .unkeptFiles("No file matches *.bam."))
        #expect(cluster.last(job / 0)?.reason == Reason(.files, "No file matches *.bam."))
        #expect(cluster.outcome(job / 0) == .failed)
    }

    @Test("explain tells which operation makes lost files again, and why that does not run")
    func explain() {
        var (cluster, job, _) = cluster()
        cluster.expel("w1")
        let impediments = cluster.scheduler.impediments(of: job / 1) ?? []
        guard
            case .files(let id, let name, let files, let worker, let others, let isExecuting, let reasons)? =
                impediments.first
        else {
            Issue.record("The files are not told: \(impediments)")
            return
        }
        #expect(id == job / 0 && name == "align" && files == 1 && worker == "w1" && others == 0 && !isExecuting)
        #expect(reasons == [.noWorker(silent: [])])
        let wait = cluster.scheduler.waiting(in: job, limit: 10)?.groups.first?.wait
        guard case .impediment(.files)? = wait else {
            Issue.record("The job does not tell what it waits for: \(wait as Any)")
            return
        }
    }

    @Test("FI6 Requests about a finished operation that runs again change nothing")
    func requests() {
        var (cluster, job, _) = cluster()
        cluster.expel("w1")
        let held = cluster.hold(.operation(job / 0))
        let cancelled = cluster.cancel(.operation(job / 0))
        let moved = cluster.setPriority(.operation(job / 0), to: .low)
        #expect(held?.changed == 0 && cancelled == 0 && moved?.changed == 0)
        cluster.join("w2", id: WorkerID(rawValue: 2))
        #expect(cluster.attempts(of: job / 0) == [1, 2])
        let progress = cluster.reportProgress(job / 0, 0.5, attempt: 2)
        #expect(progress?.changed == 0)
    }

    @Test("FI6 A removed dependency needs no files any more")
    func undepend() {
        var (cluster, job, _) = cluster()
        cluster.expel("w1")
        cluster.undepend(job / 1, .operation(job / 0))
        #expect(cluster.state(job / 1) == .ready)
        cluster.join("w2", id: WorkerID(rawValue: 2))
        #expect(cluster.attempts(of: job / 0) == [1])
    }
}
