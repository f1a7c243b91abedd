@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Files after a restart of the coordinator", .timeLimit(.minutes(60)))
struct FileRestartTests {
    private static let bam = KeptFile("a.bam", 1)

    /// A finished operation with a file at the worker w1, and a dependent in a queue that starts nothing.
    private func cluster() -> (cluster: Cluster, job: JobNumber) {
        var cluster = Cluster()
        cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.suspend("b")
        let job = cluster.submit(
            .op("align"),
            .op(queue: 1, on: .needs(0)),
            queues: ["a", "b"],
            templates: [.leavingFiles]
        )
        cluster.finish(job / 0, leaving: Self.bam)
        return (cluster, job)
    }

    @Test("FI6 Nothing is lost before the workers have told what they have")
    func reports() {
        var (cluster, job) = cluster()
        cluster.restart()
        #expect(cluster.state(job / 1) == .ready)
        cluster.resume("b")
        let w1 = cluster.join("w1", id: WorkerID(rawValue: 1))
        #expect(cluster.scheduler.reconciliation.isOpen && cluster.running.isEmpty)
        #expect(cluster.scheduler.holders(of: Self.bam.digest).isEmpty && !cluster.scheduler.isLost(Self.bam.digest))
        cluster.report(Self.bam, in: w1)
        #expect(!cluster.scheduler.reconciliation.isOpen)
        #expect(cluster.started.map(\.operation) == [job / 1])
        #expect(cluster.record.events.history(job / 1).filter { $0 == "pending" }.isEmpty)
    }

    @Test("FI6 What nobody reports is lost once the wait is over", arguments: [true, false])
    func lost(isSilent: Bool) {
        var (cluster, job) = cluster()
        cluster.restart()
        let session = cluster.join("w1", id: WorkerID(rawValue: 1))
        if isSilent {
            cluster.pass(cluster.scheduler.configuration.reconcileTime)
        } else {
            cluster.report(in: session)
        }
        #expect(!cluster.scheduler.reconciliation.isOpen)
        #expect(cluster.state(job / 1) == .pending && cluster.scheduler.isLost(Self.bam.digest))
        #expect(cluster.started.map(\.operation) == [job / 0] && cluster.started.last?.attempt == 2)
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.state(job / 1) == .ready && !cluster.scheduler.isLost(Self.bam.digest))
    }

    @Test("FI6 A worker that keeps no files is not waited for")
    func olderWorker() {
        var (cluster, job) = cluster()
        cluster.restart()
        var introduction = Cluster.introduction("w1", SessionID(rawValue: 900))
        introduction.life = WorkerLife(rawValue: UInt64(introduction.processID))
        introduction.knowsFiles = false
        cluster.apply(.workerJoined(introduction))
        #expect(!cluster.scheduler.reconciliation.isOpen)
        #expect(cluster.started.map(\.operation) == [job / 0])
    }

    @Test("FI6 A rerun goes on over a restart, and its number is not used again", arguments: [true, false])
    func goesOn(comesBack: Bool) {
        var (cluster, job) = cluster()
        cluster.expel("w1")
        cluster.join("w2", id: WorkerID(rawValue: 2))
        guard let rerun = cluster.running[job / 0] else {
            Issue.record("The producer does not run again.")
            return
        }
        cluster.restart()
        guard comesBack else {
            cluster.join("w3", id: WorkerID(rawValue: 3))
            cluster.pass(.seconds(600))
            #expect(cluster.started.map(\.attempt) == [3])
            cluster.finish(job / 0, leaving: Self.bam)
            #expect(cluster.record.attempts[job / 0]?.map(\.reason.code) == [.files, .lost])
            #expect(cluster.state(job / 1) == .ready)
            return
        }
        let w2 = cluster.join("w2", holding: [rerun], id: WorkerID(rawValue: 2))
        cluster.report(in: w2)
        #expect(cluster.workers[w2]?.running == [rerun.token] && cluster.workers[w2]?.ending.isEmpty == true)
        #expect(cluster.state(job / 1) == .pending)
        var attempt = rerun
        attempt.session = w2
        cluster.finish(attempt, leaving: [Self.bam])
        #expect(cluster.record.files[job / 0]?.attempt == 2 && cluster.state(job / 1) == .ready)
        #expect(cluster.started.isEmpty)
    }

    @Test(
        "OB10 A wait for files is told once, however often the coordinator starts again, and whatever else is waited for",
        arguments: [false, true]
    )
    func toldOnce(isHeld: Bool) {
        var (cluster, job) = cluster()
        cluster.expel("w1")
        #expect(cluster.last(job / 1)?.state == .pending && cluster.last(job / 1)?.reason?.code == .input)
        if isHeld { cluster.hold(.operation(job / 1)) }
        for number in 2...4 {
            cluster.restart()
            #expect(!cluster.scheduler.reconciliation.isOpen)
            #expect(cluster.state(job / 1) == .pending)
            cluster.join("w\(number)", id: WorkerID(rawValue: UInt64(number)))
            // What is held lets nothing run again before it could use the files.
            #expect((cluster.running[job / 0] != nil) == !isHeld)
            cluster.expel("w\(number)")
        }
        let newcomer = cluster.join("w5", id: WorkerID(rawValue: 5))
        cluster.report(in: newcomer)
        if isHeld { cluster.release(.operation(job / 1)) }
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.state(job / 1) == .ready)
        cluster.restart()
        #expect(cluster.scheduler.reconciliation.isOpen)
        let w5 = cluster.join("w5", id: WorkerID(rawValue: 5))
        cluster.report(Self.bam, in: w5)
        cluster.resume("b")
        #expect(cluster.running[job / 1] != nil)
        #expect(cluster.record.events.faults.isEmpty)
    }

    @Test("FI6 Files are known after any number of restarts, with the attempt that made them")
    func afterRerun() {
        var (cluster, job) = cluster()
        cluster.expel("w1")
        cluster.join("w2", id: WorkerID(rawValue: 2))
        cluster.finish(job / 0, leaving: Self.bam)
        for _ in 0..<3 {
            cluster.restart()
            let w2 = cluster.join("w2", id: WorkerID(rawValue: 2))
            cluster.report(Self.bam, in: w2)
            #expect(cluster.state(job / 1) == .ready && cluster.started.isEmpty)
        }
        cluster.expel("w2")
        cluster.join("w3", id: WorkerID(rawValue: 3))
        #expect(cluster.started.last?.attempt == 3)
        #expect(cluster.record.attempts[job / 0]?.map(\.attempt) == [1, 2])
    }

    @Test("FI9 What a finished job keeps stays kept over a restart")
    func keptFiles() {
        var cluster = Cluster()
        cluster.join("w1")
        let settings = JobSettings(keepFiles: .seconds(3600))
        let job = cluster.submit(.op(), templates: [.leavingFiles], settings: settings)
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.restart()
        let w1 = cluster.join("w1")
        cluster.report(Self.bam, in: w1)
        #expect(cluster.released(in: w1).isEmpty)
        cluster.pass(.seconds(3600))
        #expect(cluster.scheduler.files[job / 0] == nil)
    }
}
