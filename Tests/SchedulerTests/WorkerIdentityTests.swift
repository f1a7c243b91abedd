@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Ownership of a worker's name among several workers of the same name.
@Suite("Workers of one name", .timeLimit(.minutes(60)))
struct WorkerIdentityTests {
    private let own = WorkerID(rawValue: 1)
    private let other = WorkerID(rawValue: 2)

    private func life(_ start: UInt32, directory: UInt32 = 9, random: UInt16 = 5) -> WorkerLife {
        WorkerLife(directory: directory, start: start, random: random)
    }

    @Test(
        "Another worker of a name is refused while the first is there, and takes nothing from it",
        arguments: [0, 15]
    )
    func refused(silence: Int) {
        var cluster = Cluster()
        let job = cluster.submit(.op())
        let first = cluster.join("w1", id: own)
        cluster.pass(.seconds(silence), silent: first)
        let second = cluster.join("w1", processID: 8, id: other)
        guard case .nameTaken(second, "w1", let by?)? = cluster.effects.first, cluster.effects.count == 1 else {
            Issue.record("\(cluster.effects)")
            return
        }
        #expect(by.id == own && by.processID == 7)
        #expect(cluster.scheduler.session(ofWorker: "w1") == first)
        cluster.finish(job / 0)
        #expect(cluster.outcome(job / 0) == .succeeded && cluster.record.operation(job / 0)?.attempt == 1)
    }

    @Test("A worker gets a name once the first worker of that name is lost or has left", arguments: [true, false])
    func freed(isLost: Bool) {
        var cluster = Cluster()
        let first = cluster.join("w1", id: own)
        if isLost { cluster.pass(.seconds(50), silent: first) } else { cluster.apply(.workerLeft(first)) }
        let second = cluster.join("w1", processID: 8, id: other)
        #expect(cluster.scheduler.session(ofWorker: "w1") == second)
        // Now the first worker has to wait.
        let late = cluster.join("w1", processID: 9, id: own)
        guard case .nameTaken(late, "w1", _)? = cluster.effects.first else {
            Issue.record("\(cluster.effects)")
            return
        }
    }

    @Test(
        "Exactly one of many workers of a name works while the others start again and again, and no operation fails",
        arguments: [2, 3, 10]
    )
    func restartLoop(count: Int) {
        var cluster = Cluster(Configuration(maximumLosses: 2))
        let job = cluster.submit(.op())
        let first = cluster.join("w1", id: own)
        for round in 1...20 {
            for number in 2...count {
                let process = Int32(round * 100 + number)
                let late = cluster.join("w1", processID: process, id: WorkerID(rawValue: UInt64(number)))
                guard case .nameTaken(late, _, _)? = cluster.effects.first else {
                    Issue.record("\(cluster.effects)")
                    return
                }
            }
            cluster.pass(.seconds(1))
        }
        #expect(cluster.scheduler.session(ofWorker: "w1") == first)
        #expect(cluster.record.operation(job / 0)?.losses == 0)
        cluster.finish(job / 0)
        #expect(cluster.outcome(job / 0) == .succeeded && cluster.record.operation(job / 0)?.attempt == 1)
    }

    @Test("A replacing worker takes a name at once: the executing operation gets the next attempt and counts no loss")
    func replaces() {
        var cluster = Cluster(Configuration(maximumLosses: 2))
        let job = cluster.submit(.op())
        var session = cluster.join("w1", id: own)
        for number in 2...8 {
            let evicted = session
            let id = WorkerID(rawValue: UInt64(number))
            session = cluster.join("w1", processID: Int32(number), id: id, replaces: true)
            let told = cluster.effects.contains { effect in
                if case .superseded(evicted, let by, isCopy: false) = effect { by.processID == number } else { false }
            }
            #expect(told && cluster.scheduler.session(ofWorker: "w1") == session)
            #expect(cluster.running[job / 0]?.attempt == UInt32(number))
            #expect(cluster.record.operation(job / 0)?.losses == 0)
            // The evicted worker is told again, after any message.
            guard case .superseded(evicted, _, isCopy: false)? = cluster.apply(.workerHeard(evicted)).first else {
                Issue.record("the evicted worker is not told")
                return
            }
        }
        cluster.finish(job / 0)
        #expect(cluster.outcome(job / 0) == .succeeded && cluster.record.operation(job / 0)?.attempt == 8)
    }

    @Test("A late hello of an earlier life takes nothing from the later life of the worker, also after a restart")
    func lateHelloAfterRestart() {
        var cluster = Cluster()
        let job = cluster.submit(.op())
        cluster.join("w1", life: life(1), id: own)
        cluster.join("w1", life: life(2), id: own)
        let attempt = cluster.running[job / 0]
        cluster.restart()
        let late = cluster.join("w1", life: life(1), id: own)
        guard case .superseded(late, _, isCopy: true)? = cluster.effects.first, cluster.effects.count == 1 else {
            Issue.record("\(cluster.effects)")
            return
        }
        let session = cluster.join("w1", holding: attempt.map { [$0] } ?? [], life: life(2), id: own)
        #expect(cluster.effects.stale == [] && cluster.scheduler.session(ofWorker: "w1") == session)
        #expect(cluster.last(job / 0)?.attempt == attempt?.attempt)
        // If the later life does not come back, the earlier life is refused until the later life is lost.
        cluster.restart()
        cluster.pass(.seconds(46))
        let again = cluster.join("w1", life: life(1), id: own)
        #expect(cluster.scheduler.session(ofWorker: "w1") == again)
    }

    @Test("The name and the attempts of a worker stay its own over two restarts until the worker is lost")
    func secondRestart() {
        var cluster = Cluster()
        let job = cluster.submit(.op())
        cluster.join("w1", id: own)
        let attempt = cluster.running[job / 0]
        cluster.restart()
        cluster.pass(.seconds(20))
        cluster.restart()
        cluster.pass(.seconds(10))
        let stranger = cluster.join("w1", processID: 8, id: other)
        guard case .nameTaken(stranger, "w1", _)? = cluster.effects.first else {
            Issue.record("\(cluster.effects)")
            return
        }
        let session = cluster.join("w1", holding: attempt.map { [$0] } ?? [], id: own)
        #expect(cluster.scheduler.session(ofWorker: "w1") == session && cluster.last(job / 0)?.attempt == 1)
        // The coordinator does not wait for a lost worker.
        cluster.restart()
        cluster.pass(.seconds(46))
        #expect(cluster.record.workers.isEmpty)
    }

    @Test("An operation that is never restarted fails as lost when its worker is replaced")
    func replacesNever() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), templates: [Template(work: Work(.noOperation), restart: .never)])
        cluster.join("w1", id: own)
        cluster.join("w1", processID: 8, id: other, replaces: true)
        #expect(cluster.outcome(job / 0) == .failed)
        let reason = cluster.record.operation(job / 0)?.reason
        #expect(reason?.code == .lost && reason?.message.contains("has taken the place") == true)
    }

    @Test("A worker that is started again takes over its name at once, and its executing attempt is lost")
    func sameWorker() {
        var cluster = Cluster()
        let job = cluster.submit(.op())
        let first = cluster.join("w1", life: life(1), id: own)
        let second = cluster.join("w1", life: life(2), id: own)
        #expect(cluster.scheduler.session(ofWorker: "w1") == second)
        #expect(cluster.running[job / 0]?.attempt == 2 && cluster.record.operation(job / 0)?.losses == 1)
        // A worker that is alive after all has a copy of the directory.
        guard case .superseded(first, _, isCopy: true)? = cluster.apply(.workerHeard(first)).first else {
            Issue.record("the copy is not told")
            return
        }
    }

    @Test("Late messages of an earlier session of the same process are ignored")
    func lateWords() {
        var cluster = Cluster()
        let job = cluster.submit(.op())
        let first = cluster.join("w1", life: life(1), sessionNumber: 1, id: own)
        let attempt = cluster.started[0]
        let second = cluster.join("w1", holding: [attempt], life: life(1), sessionNumber: 2, id: own)
        #expect(cluster.apply(.workerHeard(first)).isEmpty)
        let end = Event.attemptEnded(first, attempt.token, job / 0, AttemptResult(end: .exited(0)), seed: 0)
        #expect(cluster.apply(end).isEmpty)
        #expect(cluster.scheduler.session(ofWorker: "w1") == second && cluster.state(job / 0) == .executing)
    }

    @Test(
        "A worker whose name went to a late hello of its earlier life is asked for a new hello and gets the name back"
    )
    func delayedHello() {
        var cluster = Cluster()
        let session = cluster.join("w1", life: life(2), id: own)
        cluster.pass(.seconds(50), silent: session)
        cluster.join("w1", life: life(1), id: own)
        guard case .unknownSession(session)? = cluster.apply(.workerHeard(session)).first else {
            Issue.record("it is sent away by its own earlier life")
            return
        }
        let again = cluster.join("w1", life: life(2), sessionNumber: 2, id: own)
        #expect(cluster.scheduler.session(ofWorker: "w1") == again)
    }

    @Test("A worker that was evicted by a copy of its directory is refused when it returns as another worker")
    func copies() {
        var cluster = Cluster()
        let first = cluster.join("w1", processID: 7, life: life(6, random: 1), id: own)
        let second = cluster.join("w1", processID: 8, life: life(6, random: 2), id: own)
        guard case .superseded(first, _, isCopy: true)? = cluster.apply(.workerHeard(first)).first else {
            Issue.record("the copy is not told")
            return
        }
        let late = cluster.join("w1", processID: 9, life: life(7), id: other)
        guard case .nameTaken(late, _, _)? = cluster.effects.first else {
            Issue.record("\(cluster.effects)")
            return
        }
        #expect(cluster.scheduler.session(ofWorker: "w1") == second)
    }

    @Test(
        "The name of a worker is kept for it after a restart, until it counts as lost or is replaced"
    )
    func afterRestart() {
        var cluster = Cluster()
        let job = cluster.submit(.op())
        cluster.join("w1", id: own)
        let attempt = cluster.started[0]
        cluster.restart()
        let early = cluster.join("w1", processID: 8, id: other)
        guard case .nameTaken(early, "w1", nil)? = cluster.effects.first, cluster.effects.count == 1 else {
            Issue.record("\(cluster.effects)")
            return
        }
        let session = cluster.join("w1", holding: [attempt], id: own)
        #expect(cluster.scheduler.session(ofWorker: "w1") == session)
        cluster.report(attempt, session: session)
        #expect(cluster.outcome(job / 0) == .succeeded && cluster.record.operation(job / 0)?.attempt == 1)

        for isLate in [true, false] {
            cluster.restart()
            if isLate { cluster.pass(.seconds(46)) }
            let late = cluster.join("w1", processID: 8, id: other, replaces: !isLate)
            #expect(cluster.scheduler.session(ofWorker: "w1") == late)
        }
    }
}
