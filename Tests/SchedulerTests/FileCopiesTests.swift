@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Copies of files that workers make for nobody's attempt", .timeLimit(.minutes(60)))
struct FileCopiesTests {
    private static let bam = KeptFile("a.bam", 1)

    /// An operation that runs at the worker w1, and a dependent in a queue that starts nothing; the other workers have joined since.
    private func scene(
        copies: Int,
        workers: Int,
        settings: JobSettings = JobSettings()
    ) -> (cluster: Cluster, job: JobNumber, sessions: [SessionID]) {
        var cluster = Cluster()
        var sessions = [cluster.join("w1", id: WorkerID(rawValue: 1))]
        let job = cluster.submitWithBlockedDependent(copies: copies, settings: settings)
        for number in 2..<workers + 1 {
            sessions.append(cluster.join("w\(number)", id: WorkerID(rawValue: UInt64(number))))
        }
        for session in sessions { cluster.report(in: session) }
        return (cluster, job, sessions)
    }

    /// Lets a keeper join that has a name, and tell that it has some files.
    private func joinKeeper(
        _ name: String,
        keepsAll: Bool,
        with files: [KeptFile] = [],
        _ cluster: inout Cluster
    ) -> SessionID {
        let session = SessionID(rawValue: cluster.nextSession)
        cluster.nextSession += 1
        var introduction = Cluster.introduction(name, session)
        introduction.id = WorkerID(rawValue: 1000 + session.rawValue)
        introduction.life = WorkerLife(rawValue: session.rawValue)
        (introduction.isKeeper, introduction.keepsAll) = (true, keepsAll)
        cluster.apply(.workerJoined(introduction))
        cluster.apply(.filesHeld(session, files.map(\.digest), isFirst: true))
        return session
    }

    /// The sessions of the workers that are to make a copy of a content.
    private func makers(of digest: ContentDigest, in cluster: Cluster) -> [SessionID] {
        cluster.scheduler.files.copies.makers(of: digest).map {
            cluster.scheduler.workers[$0].introduction.session
        }
    }

    // MARK: - What is copied

    @Test("As many workers as the operation wants copy its files at once, and nobody waits for them", arguments: 1...5)
    func wanted(copies: Int) {
        var (cluster, job, sessions) = scene(copies: copies, workers: 4)
        let (one, other) = (Self.bam, KeptFile("b", 2))
        cluster.finish(job / 0, leaving: one, other)
        #expect(cluster.state(job / 1) == .ready)
        let copied = sessions.map { cluster.copied(in: $0) }
        let expected = min(copies, sessions.count) - 1
        for file in [one, other] {
            #expect(copied.count { $0.contains(file.digest) } == expected)
            #expect(makers(of: file.digest, in: cluster).count == expected)
        }
        #expect(copied[0].isEmpty && copied.allSatisfy { Set($0).count == $0.count })
        for (session, digests) in zip(sessions, copied).dropFirst() {
            cluster.apply(.filesHeld(session, digests, isFirst: false))
        }
        #expect(cluster.scheduler.holders(of: one.digest).count == expected + 1)
    }

    @Test("FI11 A worker may read what it copies, as long as it does, and nothing else in the name of a copy")
    func mayRead() {
        var (cluster, job, sessions) = scene(copies: 2, workers: 3)
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.copied(in: sessions[1]) == [Self.bam.digest] && cluster.copied(in: sessions[2]).isEmpty)
        func mayRead(_ place: Int, _ digest: ContentDigest) -> Bool {
            cluster.scheduler.mayRead(sessions[place], .copy(5), digest)
        }
        #expect(mayRead(1, Self.bam.digest) && !mayRead(2, Self.bam.digest) && !mayRead(0, Self.bam.digest))
        #expect(!mayRead(1, KeptFile("x", 9).digest))
        cluster.apply(.filesHeld(sessions[1], [Self.bam.digest], isFirst: false))
        #expect(!mayRead(1, Self.bam.digest) && makers(of: Self.bam.digest, in: cluster).isEmpty)
    }

    @Test("A host without a copy comes first, and then the worker with the least to copy")
    func spread() {
        var (cluster, job, sessions) = scene(copies: 2, workers: 2)
        // Another worker on the host of w1, which would come first otherwise.
        var introduction = Cluster.introduction("x", SessionID(rawValue: 800))
        (introduction.host, introduction.id) = ("host-w1", WorkerID(rawValue: 80))
        introduction.life = WorkerLife(rawValue: 80)
        cluster.apply(.workerJoined(introduction))
        cluster.report(in: introduction.session)
        let files = (1...5 as ClosedRange<UInt64>).map { KeptFile("f\($0)", $0) }
        cluster.apply(.filesHeld(sessions[1], (50...60).map { KeptFile("y", $0).digest }, isFirst: false))
        guard let attempt = cluster.running[job / 0] else {
            Issue.record("The operation does not run.")
            return
        }
        cluster.finish(attempt, leaving: files)
        #expect(cluster.copied(in: sessions[1]).count == 5 && cluster.copied(in: introduction.session).isEmpty)
        // Where only that host is left, it is better than none.
        cluster.expel("w2")
        #expect(cluster.copied(in: introduction.session).count == 5)
    }

    @Test(
        "A worker is told of 64 contents at once, and of another one with each that has come",
        arguments: [1, 64, 65, 200]
    )
    func bound(count: Int) {
        var (cluster, job, sessions) = scene(copies: 2, workers: 2)
        guard let attempt = cluster.running[job / 0] else {
            Issue.record("The operation does not run.")
            return
        }
        cluster.finish(attempt, leaving: (0..<UInt64(count)).map { KeptFile("f\($0)", 100 + $0) })
        var open = cluster.copied(in: sessions[1])
        #expect(open.count == min(count, FileCopies.mostUnderWay))
        var told = open.count
        while let next = open.popLast() {
            cluster.apply(.filesHeld(sessions[1], [next], isFirst: false))
            let more = cluster.copied(in: sessions[1])
            #expect(more.count <= 1)
            told += more.count
            open += more
        }
        #expect(told == count)
    }

    // MARK: - Losses

    @Test("FI6 A lost copy is made again from another one, and nothing runs again", arguments: [true, false])
    func lost(byDrop: Bool) {
        var (cluster, job, sessions) = scene(copies: 2, workers: 3)
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.apply(.filesHeld(sessions[1], [Self.bam.digest], isFirst: false))
        if byDrop { cluster.apply(.filesDropped(sessions[0], [Self.bam.digest])) } else { cluster.expel("w1") }
        // Of a worker that has dropped it, it may be asked again.
        #expect(makers(of: Self.bam.digest, in: cluster).count == 1)
        #expect(cluster.scheduler.holders(of: Self.bam.digest) == [sessions[1]])
        #expect(cluster.state(job / 1) == .ready && cluster.attempts(of: job / 0) == [1])
    }

    @Test("FI6 A copy of a worker that is only silent counts, and one of a lost worker does not")
    func silent() {
        var (cluster, job, sessions) = scene(copies: 2, workers: 3)
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.apply(.filesHeld(sessions[1], [Self.bam.digest], isFirst: false))
        let configuration = cluster.scheduler.configuration
        cluster.pass(configuration.suspectAfter + .seconds(1), silent: sessions[0])
        #expect(cluster.scheduler.holders(of: Self.bam.digest).count == 2)
        #expect(makers(of: Self.bam.digest, in: cluster).isEmpty)
        cluster.pass(configuration.lostAfter, silent: sessions[0])
        #expect(makers(of: Self.bam.digest, in: cluster) == [sessions[2]])
    }

    @Test("What a silent worker was not told of is copied elsewhere, and what it was told of once it is lost")
    func silentMaker() {
        var (cluster, job, sessions) = scene(copies: 2, workers: 2)
        guard let attempt = cluster.running[job / 0] else {
            Issue.record("The operation does not run.")
            return
        }
        let files = (0..<UInt64(70)).map { KeptFile("f\($0)", 100 + $0) }
        cluster.finish(attempt, leaving: files)
        let w3 = cluster.join("w3", id: WorkerID(rawValue: 3))
        cluster.report(in: w3)
        let configuration = cluster.scheduler.configuration
        cluster.pass(configuration.suspectAfter + .seconds(1), silent: sessions[1])
        #expect(files.count { makers(of: $0.digest, in: cluster) == [w3] } == 70 - FileCopies.mostUnderWay)
        cluster.pass(configuration.lostAfter, silent: sessions[1])
        #expect(files.count { makers(of: $0.digest, in: cluster) == [w3] } == 70)
    }

    @Test("While the only worker with a file is silent, nobody is asked to copy it, and is once it is heard again")
    func silentGiver() {
        var (cluster, job, sessions) = scene(copies: 2, workers: 1)
        cluster.finish(job / 0, leaving: Self.bam)
        let configuration = cluster.scheduler.configuration
        cluster.pass(configuration.suspectAfter + .seconds(1), silent: sessions[0])
        let w2 = cluster.join("w2", id: WorkerID(rawValue: 2))
        cluster.report(in: w2)
        #expect(makers(of: Self.bam.digest, in: cluster).isEmpty)
        cluster.apply(.workerHeard(sessions[0]))
        #expect(cluster.copied(in: w2) == [Self.bam.digest])
        #expect(cluster.state(job / 1) == .ready)
    }

    @Test("What was under way is forgotten with the session, and asked for in the next one")
    func session() {
        var (cluster, job, sessions) = scene(copies: 2, workers: 2)
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.copied(in: sessions[1]) == [Self.bam.digest])
        let again = cluster.join("w2", processID: 8, id: WorkerID(rawValue: 2))
        #expect(makers(of: Self.bam.digest, in: cluster).isEmpty)
        cluster.report(in: again)
        #expect(cluster.copied(in: again) == [Self.bam.digest])
        // An answer of the earlier session says nothing.
        cluster.apply(.filesNotCopied(sessions[1], [Self.bam.digest]))
        #expect(makers(of: Self.bam.digest, in: cluster) == [again])
    }

    @Test("A worker that joins takes copies that nobody could make, once it has told what it has")
    func newcomer() {
        var (cluster, job, _) = scene(copies: 3, workers: 1)
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(makers(of: Self.bam.digest, in: cluster).isEmpty)
        let w2 = cluster.join("w2", id: WorkerID(rawValue: 2))
        #expect(makers(of: Self.bam.digest, in: cluster).isEmpty)
        cluster.report(in: w2)
        #expect(makers(of: Self.bam.digest, in: cluster) == [w2])
        let w3 = cluster.join("w3", id: WorkerID(rawValue: 3))
        cluster.report(Self.bam, in: w3)
        #expect(makers(of: Self.bam.digest, in: cluster) == [w2] && cluster.copied(in: w3).isEmpty)
    }

    @Test("A draining worker gets no copies to make before it is undrained")
    func drain() {
        var (cluster, job, sessions) = scene(copies: 2, workers: 2)
        cluster.request { .drain(["w2"], request: $0) }
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(makers(of: Self.bam.digest, in: cluster).isEmpty)
        cluster.request { .undrain(["w2"], request: $0) }
        #expect(makers(of: Self.bam.digest, in: cluster) == [sessions[1]])
    }

    // MARK: - What cannot be copied

    @Test("A worker without room is not asked again before it has dropped something, and another one is")
    func noRoom() {
        var (cluster, job, sessions) = scene(copies: 2, workers: 3)
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.apply(.filesNotCopied(sessions[1], [Self.bam.digest]))
        #expect(cluster.copied(in: sessions[2]) == [Self.bam.digest])
        cluster.apply(.filesNotCopied(sessions[2], [Self.bam.digest]))
        #expect(makers(of: Self.bam.digest, in: cluster).isEmpty)
        // It says nothing of what it was not asked for.
        cluster.apply(.filesNotCopied(sessions[0], [Self.bam.digest, KeptFile("x", 9).digest]))
        cluster.apply(.filesDropped(sessions[2], [KeptFile("x", 9).digest]))
        #expect(cluster.copied(in: sessions[2]) == [Self.bam.digest])
        #expect(cluster.state(job / 1) == .ready && cluster.attempts(of: job / 0) == [1])
    }

    @Test(
        "FI8 A copy that came damaged at a copying worker does not count before it is looked at",
        arguments: [true, false]
    )
    func damaged(isRight: Bool) {
        var (cluster, job, sessions) = scene(copies: 2, workers: 4)
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.apply(.filesHeld(sessions[1], [Self.bam.digest], isFirst: false))
        cluster.apply(.filesDropped(sessions[1], [Self.bam.digest]))
        guard let maker = makers(of: Self.bam.digest, in: cluster).first else {
            Issue.record("Nobody makes a copy.")
            return
        }
        cluster.apply(.filesNotCopied(maker, [Self.bam.digest], givers: [Self.bam.digest: [sessions[0]]]))
        #expect(cluster.questioned(in: sessions[0]) == [Self.bam.digest])
        // It may be read: who reads it compares. But no copy is made of it, and nothing runs again.
        #expect(cluster.scheduler.holders(of: Self.bam.digest) == [sessions[0]])
        #expect(makers(of: Self.bam.digest, in: cluster).isEmpty)
        #expect(cluster.state(job / 1) == .ready)
        if isRight {
            cluster.apply(.filesHeld(sessions[0], [Self.bam.digest], isFirst: false))
            #expect(makers(of: Self.bam.digest, in: cluster).count == 1)
            #expect(makers(of: Self.bam.digest, in: cluster) != [maker])
        } else {
            cluster.apply(.filesDropped(sessions[0], [Self.bam.digest]))
            #expect(cluster.state(job / 1) == .pending && cluster.attempts(of: job / 0) == [1, 2])
        }
    }

    @Test("FI8 With another copy, one in doubt is replaced")
    func doubted() {
        var (cluster, job, sessions) = scene(copies: 3, workers: 5)
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.apply(.filesHeld(sessions[1], [Self.bam.digest], isFirst: false))
        let maker = makers(of: Self.bam.digest, in: cluster)
        #expect(maker == [sessions[2]])
        cluster.apply(.filesNotCopied(sessions[2], [Self.bam.digest], givers: [Self.bam.digest: [sessions[1]]]))
        // One in its place, and one in place of the copy in doubt.
        #expect(Set(makers(of: Self.bam.digest, in: cluster)) == [sessions[3], sessions[4]])
    }

    @Test("FI6 A silent worker that is back gives copies once it has told what it has", arguments: [false, true])
    func back(hasFile: Bool) {
        var (cluster, job, sessions) = scene(copies: 2, workers: 1)
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.pass(cluster.scheduler.configuration.suspectAfter, silent: sessions[0])
        let other = cluster.join("w2", id: WorkerID(rawValue: 2))
        cluster.report(in: other)
        #expect(makers(of: Self.bam.digest, in: cluster).isEmpty)
        let again = cluster.join("w1", id: WorkerID(rawValue: 1))
        #expect(makers(of: Self.bam.digest, in: cluster).isEmpty)
        if hasFile { cluster.report(Self.bam, in: again) } else { cluster.report(in: again) }
        #expect(makers(of: Self.bam.digest, in: cluster) == (hasFile ? [other] : []))
    }

    // MARK: - What is released

    @Test("FI9 What nobody needs any more is not copied, and who copies it may delete it")
    func released() {
        var (cluster, job, sessions) = scene(copies: 2, workers: 2)
        guard let attempt = cluster.running[job / 0] else {
            Issue.record("The operation does not run.")
            return
        }
        let files = (0..<UInt64(80)).map { KeptFile("f\($0)", 100 + $0) }
        cluster.finish(attempt, leaving: files)
        let told = cluster.copied(in: sessions[1])
        cluster.cancel(.operation(job / 1))
        cluster.resume("b")
        #expect(cluster.record.finished[job] != nil)
        #expect(cluster.released(in: sessions[0]) == Set(files.map(\.digest)))
        #expect(cluster.released(in: sessions[1]) == Set(told))
        #expect(files.allSatisfy { makers(of: $0.digest, in: cluster).isEmpty })
        #expect(!cluster.scheduler.mayRead(sessions[1], .copy(1), told[0]))
        // A copy that has come meanwhile asks for no further one.
        cluster.apply(.filesHeld(sessions[1], [told[0]], isFirst: false))
        #expect(cluster.copied(in: sessions[1]).isEmpty)
    }

    @Test("FI9 What a job keeps beyond its end has its copies made again, also after a restart of the coordinator")
    func keptBeyondTheEnd() {
        var (cluster, job, sessions) = scene(copies: 2, workers: 3, settings: JobSettings(keepFiles: .seconds(36_000)))
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.apply(.filesHeld(sessions[1], [Self.bam.digest], isFirst: false))
        cluster.cancel(.operation(job / 1))
        cluster.resume("b")
        #expect(cluster.record.finished[job] != nil && cluster.scheduler.files[job / 0]?.copies == 2)
        cluster.expel("w1")
        #expect(makers(of: Self.bam.digest, in: cluster) == [sessions[2]])
        cluster.restart()
        let w2 = cluster.join("w2", id: WorkerID(rawValue: 2))
        cluster.report(Self.bam, in: w2)
        let w3 = cluster.join("w3", id: WorkerID(rawValue: 3))
        cluster.report(in: w3)
        cluster.pass(cluster.scheduler.configuration.reconcileTime + cluster.scheduler.configuration.lostAfter)
        #expect(makers(of: Self.bam.digest, in: cluster) == [w3])
    }

    @Test("FI6 After a restart nothing is copied before the workers have told what they have")
    func restart() {
        var (cluster, job, sessions) = scene(copies: 2, workers: 3)
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.apply(.filesHeld(sessions[1], [Self.bam.digest], isFirst: false))
        cluster.restart()
        let again = (1...3).map { cluster.join("w\($0)", id: WorkerID(rawValue: UInt64($0))) }
        let reports: [(SessionID, [KeptFile])] = [(again[2], []), (again[0], [Self.bam]), (again[1], [Self.bam])]
        for (session, files) in reports {
            #expect(makers(of: Self.bam.digest, in: cluster).isEmpty)
            cluster.apply(.filesHeld(session, files.map(\.digest), isFirst: true))
        }
        #expect(!cluster.scheduler.reconciliation.isOpen)
        #expect(makers(of: Self.bam.digest, in: cluster).isEmpty)
        cluster.expel("w1")
        #expect(makers(of: Self.bam.digest, in: cluster) == [again[2]])
        #expect(cluster.scheduler.files[job / 0]?.copies == 2)
    }

    @Test("FI6 A rerun that makes other files has these copied, and the copies of the earlier ones go")
    func otherContents() {
        var (cluster, job, sessions) = scene(copies: 2, workers: 3)
        let log = KeptFile("a.log", 2)
        cluster.finish(job / 0, leaving: Self.bam, log)
        let copying = makers(of: log.digest, in: cluster)
        #expect(copying.count == 1)
        // The last copy of one file is lost, while the other one is being copied.
        cluster.apply(.filesDropped(sessions[0], [Self.bam.digest]))
        #expect(cluster.attempts(of: job / 0) == [1, 2])
        let other = KeptFile("a.bam", 3)
        cluster.finish(job / 0, leaving: other)
        #expect(makers(of: log.digest, in: cluster).isEmpty)
        #expect(copying.allSatisfy { cluster.released(in: $0).contains(log.digest) })
        #expect(makers(of: other.digest, in: cluster).count == 1)
        #expect(cluster.scheduler.files[job / 0]?.copies == 2)
    }

    @Test(
        "A content that several operations left has as many copies as the one that wants most",
        arguments: [true, false]
    )
    func shared(isGreedyFirst: Bool) {
        var cluster = Cluster()
        let sessions = (1...4).map { cluster.join("w\($0)", slots: 2, id: WorkerID(rawValue: UInt64($0))) }
        for session in sessions { cluster.report(in: session) }
        cluster.suspend("b")
        func submit(_ copies: Int) -> JobNumber {
            cluster.submit(
                .op(),
                .op(queue: 1, on: .needs(0)),
                queues: ["a", "b"],
                templates: [.leavingFiles(copies: copies)]
            )
        }
        let jobs = (isGreedyFirst ? [3, 1] : [1, 3]).map { submit($0) }
        for job in jobs { cluster.finish(job / 0, leaving: Self.bam) }
        let holders = cluster.scheduler.holders(of: Self.bam.digest).count
        #expect(cluster.scheduler.files.copies.count(of: Self.bam.digest) == 3)
        #expect(holders + makers(of: Self.bam.digest, in: cluster).count >= 3)
        let greedy = isGreedyFirst ? jobs[0] : jobs[1]
        cluster.cancel(.operation(greedy / 1))
        cluster.resume("b")
        #expect(cluster.scheduler.files.copies.count(of: Self.bam.digest) == 1)
        #expect(cluster.sessions(holding: Self.bam).allSatisfy { !cluster.released(in: $0).contains(Self.bam.digest) })
    }

    // MARK: - Archives

    @Test(
        "An archive is to have a copy of everything, whatever copies are wanted, and of what was there before",
        arguments: 1...3
    )
    func archive(copies: Int) {
        var (cluster, job, sessions) = scene(copies: copies, workers: 1)
        let early = KeptFile("early", 5)
        let other = cluster.submit(.op(), .op(queue: 1, on: .needs(0)), queues: ["a", "b"], templates: [.leavingFiles])
        cluster.finish(job / 0, leaving: early)
        let archive = joinKeeper("archive", keepsAll: true, &cluster)
        #expect(makers(of: early.digest, in: cluster) == [archive])
        cluster.finish(other / 0, leaving: Self.bam)
        #expect(cluster.copied(in: archive) == [Self.bam.digest])
        cluster.apply(.filesHeld(archive, [early.digest, Self.bam.digest], isFirst: false))
        // Its copies count as others do, and are given.
        cluster.expel("w1")
        #expect(cluster.scheduler.holders(of: early.digest) == [archive])
        #expect(cluster.state(job / 1) == .ready && cluster.attempts(of: job / 0) == [1])
        let again = joinKeeper("archive2", keepsAll: true, with: [early], &cluster)
        #expect(makers(of: Self.bam.digest, in: cluster) == [again])
        #expect(sessions.count == 1)
    }

    @Test("What an archive loses is known with the operation that left it, and what nobody needs is no loss")
    func archiveLosses() {
        var (cluster, job, sessions) = scene(copies: 1, workers: 1)
        cluster.finish(job / 0, leaving: Self.bam)
        let archive = joinKeeper("archive", keepsAll: true, &cluster)
        let keeper = joinKeeper("coordinator", keepsAll: false, with: [Self.bam], &cluster)
        func archived(by session: SessionID) -> [OperationID] {
            cluster.scheduler.archived([KeptFile("x", 9).digest, Self.bam.digest], by: session).map(\.operation)
        }
        #expect(archived(by: archive).isEmpty)
        cluster.apply(.filesHeld(archive, [Self.bam.digest], isFirst: false))
        #expect(archived(by: archive) == [job / 0])
        #expect(archived(by: sessions[0]).isEmpty && archived(by: keeper).isEmpty)
        cluster.apply(.filesDropped(archive, [Self.bam.digest]))
        #expect(archived(by: archive).isEmpty && makers(of: Self.bam.digest, in: cluster) == [archive])
        cluster.apply(.filesHeld(archive, [Self.bam.digest], isFirst: false))
        cluster.cancel(.operation(job / 1))
        cluster.resume("b")
        #expect(cluster.record.finished[job] != nil && archived(by: archive).isEmpty)
    }

    @Test("A keeper that does not keep everything takes no copies")
    func keeper() {
        var (cluster, job, _) = scene(copies: 3, workers: 1)
        let keeper = joinKeeper("coordinator", keepsAll: false, &cluster)
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.copied(in: keeper).isEmpty && makers(of: Self.bam.digest, in: cluster).isEmpty)
    }

    // MARK: - Any order

    @Test(
        "In any order of events, copies are planned as far as they can be made, and never one too many",
        arguments: UInt64(0)..<80
    )
    func random(seed: UInt64) {
        var run = FileCopiesRun(seed: seed)
        run.run()
        #expect(run.faults.isEmpty)
    }

    @Test("The random histories let surplus copies go")
    func randomSurplus() {
        let counts = (UInt64(0)..<20).map { seed in
            var run = FileCopiesRun(seed: seed)
            run.run()
            return run.surplusCount
        }
        #expect(counts.reduce(0, +) > 0)
    }
}

extension Cluster {
    /// The sessions of the workers with a copy of a file.
    fileprivate func sessions(holding file: KeptFile) -> [SessionID] { scheduler.holders(of: file.digest) }
}
