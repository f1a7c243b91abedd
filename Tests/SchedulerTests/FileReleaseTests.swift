@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Files that workers may delete, and the choice of a worker by its files", .timeLimit(.minutes(60)))
struct FileReleaseTests {
    private static let bam = KeptFile("a.bam", 1)
    private static let log = KeptFile("a.log", 2)

    @Test("FI9 Files are released with the end of their job, and not before, unless another job needs them")
    func release() {
        var cluster = Cluster()
        let w1 = cluster.join("w1", slots: 2)
        let first = cluster.submit(.op(), .op(), templates: [.leavingFiles])
        cluster.finish(first / 0, leaving: Self.bam)
        #expect(cluster.released(in: w1).isEmpty)
        let second = cluster.submit(.op(on: .needs(first / 0)), templates: [.leavingFiles])
        cluster.finish(first / 1, leaving: Self.log)
        #expect(cluster.record.finished[first] != nil && cluster.released(in: w1).isEmpty)
        cluster.finish(second / 0)
        #expect(cluster.record.finished[second] != nil)
        #expect(cluster.released(in: w1) == [Self.bam.digest, Self.log.digest])
    }

    @Test("FI9 Files that a later job needs are kept again")
    func retain() {
        var cluster = Cluster()
        let w1 = cluster.join("w1")
        let first = cluster.submit(.op(), templates: [.leavingFiles])
        cluster.finish(first / 0, leaving: Self.bam)
        #expect(cluster.released(in: w1) == [Self.bam.digest])
        let known = cluster.record.files(of: [Address.operation(first / 0)])
        #expect(known.count == 1)
        cluster.apply(.filesKnown(known))
        #expect(cluster.retained(in: w1) == [Self.bam.digest])
        // The request that was to follow does not come.
        cluster.apply(.workerHeard(w1))
        #expect(cluster.released(in: w1) == [Self.bam.digest])
        let second = cluster.submit(.op(on: .needs(first / 0)))
        cluster.finish(second / 0)
        #expect(cluster.released(in: w1) == [Self.bam.digest])
    }

    @Test("FI9 A job keeps its files for as long as it says", arguments: [Duration.seconds(5), .seconds(3600)])
    func keep(time: Duration) {
        var cluster = Cluster()
        let w1 = cluster.join("w1")
        let settings = JobSettings(keepFiles: time)
        let job = cluster.submit(.op(), templates: [.leavingFiles], settings: settings)
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.record.finished[job] != nil && cluster.released(in: w1).isEmpty)
        cluster.pass(time - .seconds(1))
        #expect(cluster.released(in: w1).isEmpty && cluster.scheduler.files[job / 0] != nil)
        cluster.now = cluster.now + .seconds(1)
        cluster.apply(.timePassed)
        #expect(cluster.released(in: w1) == [Self.bam.digest] && cluster.scheduler.files[job / 0] == nil)
    }

    @Test(
        "FI9 A job keeps its files although the jobs that needed them finish with it, in whatever order",
        arguments: [1, 2, 5],
        [nil, Duration.seconds(3600)]
    )
    func finishTogether(users: Int, time: Duration?) {
        for place in 0...users {
            var cluster = Cluster()
            let w1 = cluster.join("w1")
            cluster.suspend("b")
            let job = cluster.submit(
                .op(),
                .op(queue: 1),
                queues: ["a", "b"],
                templates: [.leavingFiles],
                settings: JobSettings(keepFiles: time)
            )
            cluster.finish(job / 0, leaving: Self.bam)
            var jobs = (0..<users).map { _ in cluster.submit(.op(on: .needs(job / 0)), queues: ["b"]) }
            jobs.insert(job, at: place)
            // What is cancelled in a suspended queue ends once the queue goes on.
            for ending in jobs { cluster.cancel(.job(ending)) }
            #expect(jobs.allSatisfy { cluster.record.finished[$0] == nil } && cluster.released(in: w1).isEmpty)
            cluster.resume("b")
            #expect(jobs.allSatisfy { cluster.record.finished[$0] != nil })
            guard let time else {
                #expect(cluster.released(in: w1) == [Self.bam.digest] && cluster.scheduler.files[job / 0] == nil)
                continue
            }
            #expect(cluster.released(in: w1).isEmpty && Array(cluster.scheduler.jobsWithKeptFiles) == [job])
            cluster.pass(time - .seconds(1))
            #expect(cluster.released(in: w1).isEmpty && cluster.scheduler.files[job / 0] != nil)
            cluster.now = cluster.now + .seconds(1)
            cluster.apply(.timePassed)
            #expect(cluster.released(in: w1) == [Self.bam.digest] && cluster.scheduler.files[job / 0] == nil)
        }
    }

    @Test("FI9 The files of a deleted job are kept no longer, and those of other jobs are", arguments: [false, true])
    func deletion(afterRestart: Bool) {
        var cluster = Cluster()
        var w1 = cluster.join("w1", id: WorkerID(rawValue: 1))
        let settings = JobSettings(keepFiles: .seconds(3600))
        let jobs = [Self.bam, Self.log].map { file in
            let job = cluster.submit(.op(), templates: [.leavingFiles], settings: settings)
            cluster.finish(job / 0, leaving: file)
            return job
        }
        if afterRestart {
            cluster.restart()
            w1 = cluster.join("w1", id: WorkerID(rawValue: 1))
            cluster.report(Self.bam, Self.log, in: w1)
            #expect(cluster.released(in: w1).isEmpty)
        }
        // Nothing is kept of a job that has left none.
        cluster.apply(.jobsDeleted([jobs[0], JobNumber(99)]))
        #expect(cluster.released(in: w1) == [Self.bam.digest])
        #expect(Array(cluster.scheduler.jobsWithKeptFiles) == [jobs[1]])
        cluster.pass(.seconds(3601))
        #expect(cluster.scheduler.files[jobs[1] / 0] == nil)
    }

    @Test("FI9 A worker that reports what it has is told what it may delete")
    func report() {
        var cluster = Cluster()
        let w1 = cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .needs(0)), templates: [.leavingFiles])
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.report(Self.bam, Self.log, in: w1)
        #expect(cluster.released(in: w1) == [Self.log.digest])
        // What it has just kept belongs to an attempt whose end follows.
        cluster.apply(.filesHeld(w1, [KeptFile("x", 3).digest], isFirst: false))
        #expect(cluster.released(in: w1).isEmpty)
    }

    @Test(
        "FI9 What has come for an attempt that was taken back may go after a while, and what an attempt has left stays",
        arguments: [0, 1, 7, 300]
    )
    func cameTooLate(count: Int) {
        var cluster = Cluster()
        let w1 = cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .needs(0)), templates: [.leavingFiles])
        let others = (0..<UInt64(count)).map { KeptFile("x", 100 + $0).digest }
        for digest in others + [Self.bam.digest] {
            cluster.apply(.filesHeld(w1, [digest], isFirst: false))
            #expect(cluster.released(in: w1).isEmpty)
        }
        cluster.finish(job / 0, leaving: Self.bam)
        // Told twice, a content goes no earlier.
        cluster.pass(SparedFiles.timeOfEnds - .seconds(1))
        cluster.apply(.filesHeld(w1, others, isFirst: false))
        #expect(cluster.released(in: w1).isEmpty)
        cluster.now = cluster.now + SparedFiles.stepOfEnds + .seconds(1)
        cluster.apply(.timePassed)
        #expect(cluster.released(in: w1) == Set(others))
        cluster.pass(SparedFiles.time * 2)
        #expect(cluster.released(in: w1).isEmpty && cluster.scheduler.files.unused.count == 0)
    }

    @Test("FI9 An end that comes late has its worker keep the files again")
    func endsLate() {
        var cluster = Cluster()
        let w1 = cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .needs(0)), templates: [.leavingFiles])
        cluster.apply(.filesHeld(w1, [Self.bam.digest], isFirst: false))
        cluster.pass(SparedFiles.timeOfEnds + SparedFiles.stepOfEnds)
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.retained(in: w1) == [Self.bam.digest])
    }

    @Test("FI9 A report in several parts drops nothing before its end")
    func parts() {
        var cluster = Cluster()
        let w1 = cluster.join("w1")
        cluster.suspend("b")
        let job = cluster.submit(
            .op(),
            .op(queue: 1, on: .needs(0)),
            queues: ["a", "b"],
            templates: [.leavingFiles]
        )
        cluster.finish(job / 0, leaving: Self.bam)
        let others = (0..<UInt64(FileTable.longestReport)).map { KeptFile("x", 100 + $0).digest }
        cluster.apply(.filesHeld(w1, others, isFirst: true))
        #expect(cluster.state(job / 1) == .ready)
        cluster.apply(.filesHeld(w1, [Self.bam.digest], isFirst: false))
        #expect(cluster.state(job / 1) == .ready)
        cluster.apply(.filesHeld(w1, others, isFirst: true))
        cluster.apply(.filesHeld(w1, [], isFirst: false))
        #expect(cluster.attempts(of: job / 0) == [1, 2])
    }

    @Test("A dependent goes to the free worker with most of the bytes", arguments: [true, false])
    func placement(isFirstLarger: Bool) {
        var cluster = Cluster()
        let sessions = (1...3).map { cluster.join("w\($0)", slots: 2 * $0, id: WorkerID(rawValue: UInt64($0))) }
        cluster.suspend("b")
        let job = cluster.submit(
            .op(),
            .op(),
            .op(queue: 1, on: .needs(0), .needs(1)),
            queues: ["a", "b"],
            templates: [.leavingFiles]
        )
        let (large, small) = (KeptFile("l", 1, size: 5000), KeptFile("s", 2, size: 10))
        cluster.report(isFirstLarger ? large : small, in: sessions[0])
        cluster.report(isFirstLarger ? small : large, in: sessions[1])
        cluster.finish(job / 0, leaving: large)
        cluster.finish(job / 1, leaving: small)
        // The worker with most slots made both, and has dropped them since.
        cluster.apply(.filesDropped(sessions[2], [large.digest, small.digest]))
        cluster.resume("b")
        #expect(cluster.running[job / 2]?.session == (isFirstLarger ? sessions[0] : sessions[1]))
    }

    @Test("Nobody waits for the worker that has the files")
    func elsewhere() {
        var cluster = Cluster()
        let w1 = cluster.join("w1", slots: 1, id: WorkerID(rawValue: 1))
        let job = cluster.submit(.op(), .op(on: .needs(0)), .op(on: .needs(0)), templates: [.leavingFiles])
        let w2 = cluster.join("w2", slots: 1, id: WorkerID(rawValue: 2))
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(Set([1, 2].compactMap { cluster.running[job / $0]?.session }) == [w1, w2])
        #expect(cluster.running[job / 1]?.session == w1)
    }
}
