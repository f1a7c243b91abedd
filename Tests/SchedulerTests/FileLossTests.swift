@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Lost files, and operations that run again", .timeLimit(.minutes(60)))
struct FileLossTests {
    static let queues = ["a", "b"]
    static let bam = KeptFile("a.bam", 1)

    /// A finished operation with a file at the worker w1, and dependents in a queue that starts nothing.
    ///
    /// - Parameter dependents: the number of dependents, whose indices begin with 1.
    func cluster(
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

    @Test(
        "FI8 A holder that has found its copy damaged is named so, and one without a copy as missing it",
        arguments: [true, false]
    )
    func damagedAtHolder(isDamaged: Bool) {
        var (cluster, job, w1) = cluster()
        cluster.apply(.filesDropped(w1, [Self.bam.digest, KeptFile("x", 9).digest], areDamaged: isDamaged))
        let words = isDamaged ? "damaged" : "missing"
        #expect(cluster.attempts(of: job / 0) == [1, 2])
        #expect(cluster.record.attempts[job / 0]?.map(\.reason) == [Reason(.files, "Its files were \(words) at w1.")])
        let loss = FileLoss(isDamaged ? .damage : .absence, of: "w1")
        #expect(cluster.scheduler.files[job / 0]?.loss == loss)
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.state(job / 1) == .ready && cluster.scheduler.files[job / 0]?.loss == nil)
    }

    @Test(
        "FI8 An attempt whose files are lost at its worker is given back under its number, and nobody is to blame",
        arguments: [true, false]
    )
    func lostInputs(isElsewhere: Bool) {
        var (cluster, job, w1) = cluster()
        if isElsewhere {
            let w2 = cluster.join("w2", id: WorkerID(rawValue: 2))
            cluster.report(Self.bam, in: w2)
        }
        cluster.resume("b")
        guard let attempt = cluster.running[job / 1] else {
            Issue.record("The dependent does not run.")
            return
        }
        #expect(isElsewhere || attempt.session == w1)
        cluster.apply(.filesDropped(attempt.session, [Self.bam.digest], areDamaged: true))
        cluster.report(attempt, .lostInputs("It was changed."))
        #expect(cluster.scheduler.allWorkers.allSatisfy { $0.fault == nil })
        #expect(cluster.attempts(of: job / 0) == (isElsewhere ? [1] : [1, 2]))
        if !isElsewhere { cluster.finish(job / 0, leaving: Self.bam) }
        #expect(cluster.attempts(of: job / 1) == [1, 1])
        let other = cluster.submit(.op(), queues: ["c"])
        cluster.finish(job / 1)
        cluster.finish(other / 0)
        #expect(cluster.last(job / 1)?.attempt == 1 && cluster.last(job / 1)?.losses == 0)
        #expect(cluster.record.finished[job]?.succeeded == 2)
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
            case .files(let id, let name, let files, let loss, let others, let isExecuting, let reasons)? =
                impediments.first
        else {
            Issue.record("The files are not told: \(impediments)")
            return
        }
        #expect(
            id == job / 0 && name == "align" && files == 1 && loss?.phrase == "lost with w1" && others == 0
                && !isExecuting
        )
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
