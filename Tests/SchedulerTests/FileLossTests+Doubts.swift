@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Files that did not come, or came damaged, and the copies that are in doubt for it.
extension FileLossTests {
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

    /// Why the earlier attempt of the producer was not enough, once it runs again.
    private func recordedLosses(_ cluster: Cluster, of job: JobNumber) -> [String?]? {
        cluster.record.attempts[job / 0]?.map { $0.reason.message }
    }

    @Test(
        "FI8 What came damaged was damaged at its worker, whether the worker has answered or not",
        arguments: [true, false]
    )
    func damageIsTold(isAnswered: Bool) {
        guard let scene = doubtful() else { return }
        var (cluster, job, w1, _) = scene
        if isAnswered { cluster.apply(.filesDropped(w1, [Self.bam.digest])) }
        let losses = (cluster.scheduler.impediments(of: job / 1) ?? []).compactMap { impediment -> FileLoss? in
            if case .files(_, _, _, let loss, _, _, _) = impediment { loss } else { nil }
        }
        #expect(losses == [FileLoss(.damage, of: "w1")])
        cluster.resume("a")
        #expect(recordedLosses(cluster, of: job) == ["Its files were damaged at w1."])
    }

    @Test("FI6 Files that a living worker no longer has are missing there, and files of a lost worker are lost with it")
    func absenceIsTold() {
        for isDropped in [true, false] {
            var (cluster, job, w1) = cluster()
            if isDropped { cluster.apply(.filesDropped(w1, [Self.bam.digest])) } else { cluster.expel("w1") }
            cluster.join("w2", id: WorkerID(rawValue: 2))
            let expected = isDropped ? "Its files were missing at w1." : "Its files were lost with w1."
            #expect(recordedLosses(cluster, of: job) == [expected])
        }
    }

    @Test("FI8 In one message, the damaged files count as damaged and the others as missing")
    func mixedLosses() {
        for isDamagedFirst in [true, false] {
            var (cluster, job, w1) = cluster()
            let other = cluster.submit(
                .op(),
                .op(queue: 1, on: .needs(0)),
                queues: ["a", "b"],
                templates: [.leavingFiles]
            )
            let log = KeptFile("a.log", 2)
            cluster.finish(other / 0, leaving: log)
            guard let worker = cluster.scheduler.workers.index(ofSession: w1) else { return }
            // A copy that no attempt needed has arrived damaged at another worker. The original counts until its worker has verified it.
            let digests = isDamagedFirst ? [Self.bam.digest, log.digest] : [log.digest, Self.bam.digest]
            cluster.scheduler.files.doubts.insert([Self.bam.digest], at: worker)
            cluster.suspend("a")
            cluster.apply(.filesDropped(w1, digests))
            #expect(cluster.scheduler.files[job / 0]?.loss == FileLoss(.damage, of: "w1"))
            #expect(cluster.scheduler.files[other / 0]?.loss == FileLoss(.absence, of: "w1"))
        }
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

    /// A finished operation with a file at the busy worker w1, and dependents for which the worker w2 fetches the file.
    private func fetching(dependents: Int = 1) -> (cluster: Cluster, job: JobNumber, w1: SessionID, w2: SessionID) {
        var (cluster, job, w1) = cluster(dependents: dependents)
        cluster.submit(.op(), queues: ["busy"])
        let w2 = cluster.join("w2", slots: 2, id: WorkerID(rawValue: 2))
        for index in 1...dependents { cluster.delayFetches(of: job / index, at: w2) }
        cluster.resume("b")
        #expect(cluster.workers[w2]?.fetching.map(\.operation) == (1...dependents).map { job / $0 })
        return (cluster, job, w1, w2)
    }

    /// Lets the first attempt for which a worker fetches files come back, because no worker has sent anything.
    private func giveUp(_ id: OperationID, at session: SessionID, in cluster: inout Cluster) {
        guard let attempt = cluster.workers[session]?.fetching.first, attempt.operation == id else {
            Issue.record("Nothing is fetched for \(id).")
            return
        }
        cluster.workers[session]?.fetching.removeFirst()
        cluster.apply(.filesMissing(session, attempt.token, [Self.bam.digest]))
    }

    @Test(
        "FI6 A present worker's copy of which nothing was sent is looked at and counts, until attempts come back again and again",
        arguments: [true, false]
    )
    func unsent(isAnswered: Bool) {
        var (cluster, job, w1, w2) = fetching()
        for _ in 1...FileDoubts.mostQuestions {
            giveUp(job / 1, at: w2, in: &cluster)
            #expect(cluster.questioned(in: w1) == [Self.bam.digest])
            #expect(cluster.scheduler.holders(of: Self.bam.digest) == [w1] && cluster.attempts(of: job / 0) == [1])
            if isAnswered { cluster.apply(.filesHeld(w1, [Self.bam.digest], isFirst: false)) }
        }
        giveUp(job / 1, at: w2, in: &cluster)
        #expect(cluster.scheduler.holders(of: Self.bam.digest).isEmpty)
        #expect(cluster.state(job / 1) == .pending && cluster.attempts(of: job / 0) == [1, 2])
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.endFetches(of: Self.bam, at: w2)
        cluster.finish(job / 1)
        #expect(cluster.attempts(of: job / 1) == [1] && cluster.record.finished[job]?.succeeded == 2)
    }

    @Test("FI6 Attempts that were sent before a copy is looked at raise no further question about it")
    func unsentTogether() {
        var (cluster, job, w1, w2) = fetching(dependents: 2)
        for round in 1...FileDoubts.mostQuestions {
            for index in 1...2 {
                giveUp(job / index, at: w2, in: &cluster)
                #expect(cluster.questioned(in: w1) == (index == 1 ? [Self.bam.digest] : []), "round \(round)")
                #expect(cluster.scheduler.holders(of: Self.bam.digest) == [w1])
            }
        }
        #expect(cluster.attempts(of: job / 0) == [1])
        // A copy that came damaged is lost as before, and a right one counts as a new one.
        let givers = [Self.bam.digest: [w1]]
        guard let attempt = cluster.workers[w2]?.fetching.first else {
            Issue.record("Nothing is fetched.")
            return
        }
        cluster.workers[w2]?.fetching.removeFirst()
        cluster.suspend("a")
        cluster.apply(.filesMissing(w2, attempt.token, [Self.bam.digest], givers: givers))
        #expect(cluster.scheduler.holders(of: Self.bam.digest).isEmpty && cluster.state(job / 1) == .pending)
        cluster.apply(.filesHeld(w1, [Self.bam.digest], isFirst: false))
        giveUp(job / 2, at: w2, in: &cluster)
        #expect(cluster.scheduler.holders(of: Self.bam.digest) == [w1])
    }

    @Test("FI6 A copy of which nothing was sent is lost at once with a worker that has dropped it, or that is silent")
    func unsentAndGone() {
        for isSilent in [true, false] {
            var (cluster, job, w1, w2) = fetching()
            if isSilent {
                cluster.pass(cluster.scheduler.configuration.suspectAfter, silent: w1)
            } else {
                giveUp(job / 1, at: w2, in: &cluster)
                cluster.apply(.filesDropped(w1, [Self.bam.digest]))
                #expect(cluster.attempts(of: job / 0) == [1], "nobody waits for it yet")
            }
            giveUp(job / 1, at: w2, in: &cluster)
            #expect(cluster.scheduler.holders(of: Self.bam.digest).isEmpty)
            #expect(cluster.state(job / 1) == .pending && cluster.attempts(of: job / 0) == [1, 2])
        }
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
}
