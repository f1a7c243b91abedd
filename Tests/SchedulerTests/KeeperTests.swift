@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("The coordinator's own worker, which keeps files and runs nothing", .timeLimit(.minutes(60)))
struct KeeperTests {
    private static let bam = KeptFile("a.bam", 1)
    private static let log = KeptFile("a.log", 2)
    private static let name = "archive"

    @Test("A keeper gets no attempt and no completion hook, however many slots it claims", arguments: [0, 1, 64])
    func runsNothing(slots: Int) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(4)))
        cluster.joinKeeper(Self.name, slots: slots)
        let job = cluster.submit(.op(), .op(on: .needs(0)), .op(), templates: [.leavingFiles])
        cluster.pass(.seconds(30))
        #expect(cluster.sent.isEmpty)
        #expect(cluster.scheduler.impediments(of: job / 0) == [.noWorker(silent: [])])
        let w1 = cluster.join("w1")
        cluster.finishAll()
        #expect(cluster.started.allSatisfy { $0.session == w1 } && cluster.started.count == 3)
    }

    @Test("An operation that no worker can ever take is refused, although there is a keeper")
    func unplaceable() {
        var cluster = Cluster()
        cluster.joinKeeper(Self.name)
        let submission = Submission(templates: [.asking(resources: ["gpu": 1])], entries: [.op()])
        // Without a worker, nobody knows what there will be.
        #expect(cluster.scheduler.unplaceable(submission) == nil)
        cluster.join("w1")
        let refusal = cluster.scheduler.unplaceable(submission)
        #expect(refusal?.message.contains("w1") == true && refusal?.message.contains(Self.name) == false)
    }

    @Test("A keeper's copy saves what is lost with a worker, and the loss of the keeper is that of a worker")
    func copies() {
        var cluster = Cluster()
        let keeper = cluster.joinKeeper(Self.name)
        let w1 = cluster.join("w1")
        cluster.suspend("b")
        let job = cluster.submit(
            .op(),
            .op(queue: 1, on: .needs(0)),
            queues: ["a", "b"],
            templates: [.leavingFiles]
        )
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.apply(.filesHeld(keeper, [Self.bam.digest], isFirst: false))
        #expect(cluster.scheduler.holders(of: Self.bam.digest) == [w1, keeper])
        cluster.expel("w1")
        #expect(cluster.scheduler.holders(of: Self.bam.digest) == [keeper])
        #expect(cluster.state(job / 1) == .ready)
        cluster.join("w2", id: WorkerID(rawValue: 2))
        #expect(cluster.attempts(of: job / 0) == [1])
        cluster.apply(.filesDropped(keeper, [Self.bam.digest]))
        #expect(cluster.attempts(of: job / 0) == [1, 2])
    }

    @Test("A keeper keeps for an hour what nobody needs, and no longer", arguments: [true, false])
    func spares(isFirst: Bool) {
        var cluster = Cluster()
        let keeper = cluster.joinKeeper(Self.name)
        cluster.apply(.filesHeld(keeper, [Self.bam.digest, Self.log.digest], isFirst: isFirst))
        #expect(cluster.released(in: keeper).isEmpty)
        cluster.pass(SparedFiles.time - .seconds(1))
        #expect(cluster.released(in: keeper).isEmpty)
        cluster.now = cluster.now + .seconds(1)
        cluster.apply(.timePassed)
        #expect(cluster.released(in: keeper) == [Self.bam.digest, Self.log.digest])
    }

    @Test(
        "What a job has come to need stays, and the hour begins anew once the job is over",
        arguments: [1, 1800, 3599] as [Int64]
    )
    func sparesAgain(seconds: Int64) {
        var cluster = Cluster()
        let keeper = cluster.joinKeeper(Self.name)
        cluster.join("w1")
        cluster.apply(.filesHeld(keeper, [Self.bam.digest, Self.log.digest], isFirst: false))
        cluster.pass(.seconds(seconds))
        let job = cluster.submit(.op(), .op(on: .needs(0)), templates: [.leavingFiles])
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.finish(job / 1)
        #expect(cluster.record.finished[job] != nil && cluster.released(in: keeper).isEmpty)
        cluster.pass(.seconds(3600 - seconds - 1))
        cluster.now = cluster.now + .seconds(1)
        cluster.apply(.timePassed)
        // The first hour is over, in which the job has needed one of the two.
        #expect(cluster.released(in: keeper) == [Self.log.digest])
        cluster.pass(.seconds(seconds - 1))
        cluster.now = cluster.now + .seconds(1)
        cluster.apply(.timePassed)
        #expect(cluster.released(in: keeper) == [Self.bam.digest])
    }

    @Test("After a restart, the hour begins anew with the keeper's report")
    func sparesAfterRestart() {
        var cluster = Cluster()
        let earlier = cluster.joinKeeper(Self.name)
        cluster.apply(.filesHeld(earlier, [Self.bam.digest], isFirst: true))
        cluster.pass(.seconds(3000))
        cluster.restart()
        let keeper = cluster.joinKeeper(Self.name)
        cluster.apply(.filesHeld(keeper, [Self.bam.digest], isFirst: true))
        cluster.pass(SparedFiles.time - .seconds(1))
        #expect(cluster.released(in: keeper).isEmpty)
        cluster.now = cluster.now + .seconds(1)
        cluster.apply(.timePassed)
        #expect(cluster.released(in: keeper) == [Self.bam.digest])
    }

    @Test("What the coordinator's process was sent counts as the keeper's before the keeper tells it")
    func sent() {
        var cluster = Cluster()
        let keeper = cluster.joinKeeper(Self.name)
        let w1 = cluster.join("w1")
        cluster.apply(.filesSent([Self.bam.digest]))
        #expect(cluster.scheduler.holders(of: Self.bam.digest) == [keeper])
        // A report that was on its way.
        cluster.apply(.filesHeld(keeper, [], isFirst: true))
        #expect(cluster.scheduler.holders(of: Self.bam.digest) == [keeper])
        cluster.apply(.filesHeld(keeper, [Self.bam.digest], isFirst: false))
        #expect(cluster.scheduler.holders(of: Self.bam.digest) == [keeper] && cluster.released(in: w1).isEmpty)
        // A report without it tells that it has gone.
        cluster.apply(.filesHeld(keeper, [], isFirst: true))
        #expect(cluster.scheduler.holders(of: Self.bam.digest).isEmpty)
    }

    @Test("A keeper cannot be drained, stopped or forgotten, alone or with others", arguments: [[], ["w1"]])
    func staysInPlace(others: [String]) throws {
        var cluster = Cluster()
        cluster.joinKeeper(Self.name)
        cluster.join("w1")
        let names = others + [Self.name]
        let requests = [
            cluster.request { .drain(names, request: $0) },
            cluster.request { .stop(names, isImmediate: false, request: $0) },
            cluster.request { .stop(names, isImmediate: true, request: $0) },
            cluster.request { .forget(names, request: $0) },
        ]
        for request in requests {
            guard case .refused(let refusal) = cluster.answers[request] else {
                Issue.record("\(request) was not refused")
                continue
            }
            #expect(refusal.code == .invalid && refusal.message.contains(Self.name) || !others.isEmpty)
        }
        #expect(cluster.scheduler.worker(named: Self.name)?.condition == .alive)
        #expect(cluster.scheduler.worker(named: "w1")?.condition == .alive)
        #expect(cluster.scheduler.worker(named: Self.name)?.isKeeper == true)
    }
}

extension Cluster {
    /// Lets the coordinator's own worker join.
    @discardableResult
    mutating func joinKeeper(
        _ name: String,
        slots: Int = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> SessionID {
        let session = SessionID(rawValue: nextSession)
        nextSession += 1
        var introduction = Self.introduction(name, session, slots: slots)
        introduction.id = WorkerID(rawValue: 99)
        introduction.replaces = true
        introduction.isKeeper = true
        apply(.workerJoined(introduction), sourceLocation: sourceLocation)
        return session
    }
}
