@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Copies of files beyond the wanted number", .timeLimit(.minutes(60)))
struct SurplusCopiesTests {
    private static let bam = KeptFile("a.bam", 1)
    private static let pause = SurplusCopies.pause + .seconds(1)

    /// A finished operation that wants copies of its file, and a dependent in a queue that starts nothing; the first workers have a copy.
    ///
    /// - Parameters:
    ///   - copies: how many copies are wanted.
    ///   - holders: how many workers have one; the operation ran at the first of them.
    ///   - workers: how many workers there are.
    private func scene(
        copies: Int,
        holders: Int,
        workers: Int
    ) -> (cluster: Cluster, job: JobNumber, sessions: [SessionID]) {
        var cluster = Cluster()
        var sessions = [cluster.join("w1", id: WorkerID(rawValue: 1))]
        let job = cluster.submitWithBlockedDependent(copies: copies)
        cluster.report(in: sessions[0])
        cluster.finish(job / 0, leaving: Self.bam)
        for number in 2..<workers + 1 {
            let session = cluster.join("w\(number)", id: WorkerID(rawValue: UInt64(number)))
            if number <= holders { cluster.report(Self.bam, in: session) } else { cluster.report(in: session) }
            sessions.append(session)
        }
        return (cluster, job, sessions)
    }

    /// The sessions that may delete the file.
    private func spare(_ cluster: Cluster) -> Set<SessionID> {
        Set(
            cluster.scheduler.files.copies.surplus.workers(with: Self.bam.digest).map {
                cluster.scheduler.workers[$0].introduction.session
            }
        )
    }

    @Test(
        "FI9 After a while, as many workers may delete their copy as there are too many, and no more",
        arguments: [(2, 2), (2, 3), (2, 5), (3, 3), (3, 4), (3, 6)]
    )
    func tooMany(copies: Int, holders: Int) {
        var (cluster, _, _) = scene(copies: copies, holders: holders, workers: 6)
        cluster.pass(.seconds(30))
        #expect(spare(cluster).isEmpty)
        cluster.pass(Self.pause)
        #expect(spare(cluster).count == holders - copies)
        // The workers may delete their copies, and need not: a copy is listed until its worker has dropped it.
        #expect(cluster.scheduler.holders(of: Self.bam.digest).count == holders)
        for session in spare(cluster) { cluster.apply(.filesDropped(session, [Self.bam.digest])) }
        #expect(cluster.scheduler.holders(of: Self.bam.digest).count == copies)
        #expect(spare(cluster).isEmpty && cluster.scheduler.files.copies.makers(of: Self.bam.digest).isEmpty)
        cluster.pass(Self.pause)
        #expect(spare(cluster).isEmpty)
    }

    @Test("FI9 Of a file of which one copy suffices, no copy is let go before its job's files are", arguments: 1...4)
    func oneWanted(holders: Int) {
        var (cluster, _, _) = scene(copies: 1, holders: holders, workers: 4)
        cluster.pass(Self.pause)
        cluster.pass(Self.pause)
        #expect(spare(cluster).isEmpty)
    }

    @Test(
        "A drained worker gives up its copy first, otherwise the worker with the most files",
        arguments: [true, false]
    )
    func leastUseful(isDrained: Bool) {
        var (cluster, _, sessions) = scene(copies: 2, holders: 3, workers: 3)
        let others = (50...60 as ClosedRange<UInt64>).map { KeptFile("y", $0).digest }
        cluster.apply(.filesHeld(sessions[1], others, isFirst: false))
        if isDrained { cluster.request { .drain(["w1"], request: $0) } }
        cluster.pass(Self.pause)
        #expect(spare(cluster) == [isDrained ? sessions[0] : sessions[1]])
    }

    @Test("A host with several copies gives up a copy before a host with a single copy")
    func sameHost() {
        var (cluster, _, sessions) = scene(copies: 2, holders: 2, workers: 2)
        var introduction = Cluster.introduction("x", SessionID(rawValue: 800))
        (introduction.host, introduction.id) = ("host-w1", WorkerID(rawValue: 80))
        introduction.life = WorkerLife(rawValue: 80)
        cluster.apply(.workerJoined(introduction))
        // By its number of files alone, the worker w2 would give up its copy first.
        let others = (50...60 as ClosedRange<UInt64>).map { KeptFile("y", $0).digest }
        cluster.apply(.filesHeld(sessions[1], others, isFirst: false))
        cluster.report(Self.bam, in: introduction.session)
        cluster.pass(Self.pause)
        #expect(spare(cluster).isSubset(of: [sessions[0], introduction.session]) && spare(cluster).count == 1)
    }

    @Test("FI9 While a worker with a copy is silent, no copy may be deleted, also not one that was released before")
    func silence() {
        var (cluster, _, sessions) = scene(copies: 2, holders: 3, workers: 3)
        let suspectAfter = cluster.scheduler.configuration.suspectAfter
        cluster.pass(.seconds(45))
        // The worker is silent when surplus copies are looked for, and is heard again before it counts as lost.
        cluster.pass(suspectAfter + .seconds(10), silent: sessions[0])
        #expect(spare(cluster).isEmpty && cluster.scheduler.holders(of: Self.bam.digest).count == 3)
        // Seven milliseconds move the next timer away from the moment of the timer that the silence had set, which would count
        // as current again.
        cluster.pass(.milliseconds(7))
        cluster.pass(Self.pause)
        cluster.pass(Self.pause)
        let spared = spare(cluster)
        #expect(spared.count == 1)
        guard let kept = sessions.first(where: { !spared.contains($0) }) else { return }
        cluster.pass(suspectAfter + .seconds(1), silent: kept)
        #expect(spare(cluster).isEmpty)
        cluster.pass(Self.pause)
        cluster.pass(Self.pause)
        #expect(spare(cluster).count == 1)
    }

    @Test("FI9 Nothing is let go while a copy is in doubt", arguments: [true, false])
    func doubt(isRight: Bool) {
        var (cluster, _, sessions) = scene(copies: 2, holders: 3, workers: 3)
        guard let worker = cluster.scheduler.workers.index(ofSession: sessions[2]) else { return }
        cluster.scheduler.files.doubts.insert([Self.bam.digest], at: worker)
        cluster.pass(Self.pause)
        #expect(spare(cluster).isEmpty)
        if isRight {
            cluster.apply(.filesHeld(sessions[2], [Self.bam.digest], isFirst: false))
        } else {
            cluster.apply(.filesDropped(sessions[2], [Self.bam.digest]))
        }
        cluster.pass(Self.pause)
        #expect(spare(cluster).count == (isRight ? 1 : 0))
    }

    @Test("FI9 A copy is kept again once another one is lost, and made again if it has gone", arguments: [true, false])
    func lost(isGone: Bool) {
        var (cluster, job, sessions) = scene(copies: 2, holders: 3, workers: 4)
        cluster.pass(Self.pause)
        guard let spared = spare(cluster).first, let place = sessions.firstIndex(where: { $0 != spared }) else {
            Issue.record("Nothing is let go.")
            return
        }
        cluster.expel("w\(place + 1)")
        #expect(cluster.retained(in: spared) == [Self.bam.digest] && spare(cluster).isEmpty)
        let makers = cluster.scheduler.files.copies.makers(of: Self.bam.digest)
        #expect(makers.isEmpty)
        if isGone {
            cluster.apply(.filesDropped(spared, [Self.bam.digest]))
            #expect(cluster.scheduler.files.copies.makers(of: Self.bam.digest).count == 1)
        }
        #expect(cluster.state(job / 1) == .ready && cluster.attempts(of: job / 0) == [1])
    }

    @Test(
        "FI9 A copy that an attempt needs is kept, and a released copy is kept again once its worker gets such an attempt"
    )
    func used() {
        var (cluster, job, sessions) = scene(copies: 2, holders: 3, workers: 3)
        cluster.pass(Self.pause)
        guard let spared = spare(cluster).first, let index = sessions.firstIndex(of: spared) else {
            Issue.record("Nothing is let go.")
            return
        }
        // Only that worker takes the dependent.
        let others = (1...3).filter { $0 != index + 1 }.map { "w\($0)" }
        cluster.request { .drain(others, request: $0) }
        cluster.resume("b")
        #expect(cluster.running[job / 1]?.session == spared)
        #expect(spare(cluster).isEmpty)
        // The drained workers get no attempts, and one of them may delete its copy instead.
        cluster.pass(Self.pause)
        #expect(spare(cluster).count == 1 && !spare(cluster).contains(spared))
    }

    @Test("A worker in a new session keeps everything, until it is told again")
    func session() {
        var (cluster, _, sessions) = scene(copies: 2, holders: 3, workers: 3)
        cluster.pass(Self.pause)
        guard let spared = spare(cluster).first, let index = sessions.firstIndex(of: spared) else {
            Issue.record("Nothing is let go.")
            return
        }
        let again = cluster.join("w\(index + 1)", processID: 8, id: WorkerID(rawValue: UInt64(index) + 1))
        #expect(spare(cluster).isEmpty)
        cluster.report(Self.bam, in: again)
        #expect(spare(cluster).isEmpty)
        cluster.pass(Self.pause)
        #expect(spare(cluster).count == 1)
    }

    @Test("FI9 The last wanted copy of a content that another operation left is kept, whatever went before")
    func fewerWanted() {
        var (cluster, job, sessions) = scene(copies: 2, holders: 3, workers: 3)
        let other = cluster.submit(
            .op(),
            .op(queue: 1, on: .needs(0)),
            queues: ["a", "b"],
            templates: [.leavingFiles]
        )
        cluster.finish(other / 0, leaving: Self.bam)
        cluster.pass(Self.pause)
        let spared = spare(cluster)
        #expect(spared.count == 1)
        // The job that wants two copies is over, and the other one needs one.
        cluster.cancel(.operation(job / 1))
        cluster.resume("b")
        for (place, session) in sessions.enumerated() where !spared.contains(session) { cluster.expel("w\(place + 1)") }
        #expect(spare(cluster).isEmpty)
    }
}
