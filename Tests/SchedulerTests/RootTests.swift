@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// The roots of skips, and their meaning for other operations (DE9, DE24, DE25, D10).
@Suite("Roots of skips") struct RootTests {
    @Test("DE24 The root of a skip travels along a chain and into other jobs, also over a restart")
    func chain() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let first = cluster.submit(.op("bad"), .op("slow"), .op(on: .needs(0)), .op(on: .needs(2), .after(1)))
        cluster.finish(first / 0, .exited(3))
        for index in 2...3 { #expect(cluster.last(first / index)?.skippedFor == .failed(first / 0)) }
        cluster.restart()
        let second = cluster.submit(
            .op(on: .needs(first / 3)),
            .op(on: .onFailure(0)),
            .op(on: .on(.job(first), .success))
        )
        #expect(cluster.last(second / 0)?.skippedFor == .failed(first / 0))
        #expect(cluster.last(second / 0)?.reason?.code == .dependency)
        #expect(cluster.last(second / 2)?.skippedFor == .failed(first / 0))
        #expect(cluster.outcome(second / 1) == nil)
    }

    @Test("DE24 D10 An operation that was not needed has no root, and its job succeeds")
    func notNeeded() {
        var cluster = Cluster()
        cluster.join("w1", slots: 4)
        let job = cluster.submit(
            .op(),
            .op(on: .onFailure(0)),
            .op(on: .needs(1)),
            .op(on: .onFailure(2)),
            .op(on: .after(3))
        )
        cluster.finish(job / 0)
        for index in 1...3 {
            #expect(cluster.last(job / index)?.skippedFor == .notNeeded)
            #expect(cluster.last(job / index)?.reason?.code == .notNeeded)
        }
        #expect(cluster.state(job / 4) == .executing)
        cluster.finish(job / 4)
        let counts = cluster.record.finished[job]
        #expect((counts?.skipped, counts?.notNeeded, counts?.outcome) == (3, 3, .succeeded))
        #expect(cluster.record.roots[job] == nil)
    }

    @Test("EL3 An operation that waits for the failure of all is skipped as soon as one has not failed")
    func failureOfAll() {
        var cluster = Cluster()
        cluster.join("w1", slots: 9)
        let job = cluster.submit(
            .op("a"),
            .op("b"),
            .op("c"),
            .op(on: .onFailureOfAll(0), .onFailureOfAll(1)),
            .op(on: .onFailureOfAll(1), .onFailureOfAll(2)),
            .op(on: .onFailureOfAll(0), .onFailure(1), .onFailure(2))
        )
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.state(job / 3) == .pending)
        cluster.finish(job / 1, .exited(1))
        #expect(cluster.state(job / 3) == .executing)
        #expect([4, 5].map { cluster.state(job / $0) } == [.pending, .pending])
        cluster.finish(job / 2)
        #expect(cluster.last(job / 4)?.skippedFor == .notNeeded)
        #expect(cluster.last(job / 4)?.reason?.message == "It runs only on the failure of 1/2 (c), which succeeded.")
        #expect(cluster.state(job / 5) == .executing)
    }

    @Test("EL3 A success or a cancellation rules out the failure of all at once, also before the submission")
    func failureOfAllRuledOut() {
        var cluster = Cluster()
        cluster.join("w1", slots: 9)
        let job = cluster.submit(.op(), .op(), .op(), .op(on: .onFailureOfAll(0), .onFailureOfAll(1)))
        cluster.cancel(.operation(job / 1))
        cluster.finish(job / 1, .cancelled(exitStatus: nil, signal: 15))
        #expect(cluster.last(job / 3)?.skippedFor == .cancelled(job / 1))
        #expect(cluster.state(job / 0) == .executing)
        let later = cluster.submit(
            .op(on: .on(.operation(job / 1), .failureOfAll), .on(.operation(job / 2), .failureOfAll))
        )
        #expect(cluster.last(later / 0)?.skippedFor == .cancelled(job / 1))
    }

    @Test("DE9 An operation with several onFailure starts after one failure once all dependencies are finished")
    func oneFailure() {
        var cluster = Cluster()
        cluster.join("w1", slots: 4)
        let job = cluster.submit(.op(), .op(), .op(), .op(on: .onFailure(0), .onFailure(1), .onFailure(2)))
        cluster.finish(job / 0)
        cluster.finish(job / 1, .exited(1))
        #expect(cluster.state(job / 3) == .pending)
        cluster.finish(job / 2)
        #expect(cluster.state(job / 3) == .executing)
    }

    @Test(
        "DE9 DE24 The root of a skip by several onFailure is the first cancelled dependency in their order"
    )
    func ruledOutTogether() {
        var cluster = Cluster()
        let earlier = cluster.submit(.op(), .op(), .op())
        let job = cluster.submit(
            .op(on: .onFailure(earlier / 2), .onFailure(earlier / 1), .onFailure(earlier / 0)),
            .op(on: .onFailure(earlier / 0), .after(earlier / 1))
        )
        cluster.cancel(.operation(earlier / 1))
        cluster.cancel(.operation(earlier / 2))
        #expect(cluster.state(job / 0) == .pending)
        cluster.join("w1")
        cluster.finish(earlier / 0)
        #expect(cluster.last(job / 0)?.skippedFor == .cancelled(earlier / 2))
        #expect(cluster.last(job / 1)?.skippedFor == .notNeeded)
        #expect(cluster.record.finished[job]?.outcome == .cancelled)
    }

    @Test(
        "DE9 Adding or removing one of several onFailure changes which of them count, also after a restart",
        arguments: [false, true]
    )
    func changed(_ restarts: Bool) {
        var cluster = Cluster()
        cluster.join("w1", slots: 4)
        let earlier = cluster.submit(.op(), .op(), .op())
        let job = cluster.submit(
            .op(on: .onFailure(earlier / 0), .onFailure(earlier / 1)),
            .op(on: .onFailure(earlier / 0), .after(earlier / 2))
        )
        _ = cluster.depend(job / 1, .onFailure(earlier / 1))
        cluster.finish(earlier / 0)
        if restarts {
            cluster.restart()
            cluster.pass(.seconds(60))
        }
        #expect(cluster.state(job / 0) == .pending && cluster.state(job / 1) == .pending)
        cluster.undepend(job / 0, .operation(earlier / 1))
        #expect(cluster.last(job / 0)?.skippedFor == .notNeeded)
        #expect(cluster.state(job / 1) == .pending)
        cluster.undepend(job / 1, .operation(earlier / 0))
        #expect(cluster.state(job / 1) == .pending)
        #expect(cluster.scheduler.violations().isEmpty)
    }

    @Test("DE25 An array succeeded if all its needed elements did, and was not needed if none was")
    func arrays() {
        var cluster = Cluster()
        cluster.join("w1", slots: 8)
        let job = cluster.submit(
            .op(),
            .array(2, on: .onFailure(0)),
            .op(on: .needs(1)),
            .op(on: .onFailure(1)),
            .array(2),
            .op(on: .onFailure(4)),
            .op(on: .needs(4))
        )
        cluster.finish(job / 0)
        for index in 1...4 { #expect(cluster.last(job / index)?.skippedFor == .notNeeded) }
        cluster.finish(job / 6, .exited(1))
        #expect(cluster.last(job / 8)?.skippedFor == .failed(job / 6))
        #expect(cluster.state(job / 7) == .pending)
        cluster.finish(job / 5)
        #expect(cluster.state(job / 7) == .executing)
    }

    @Test("D10 A job whose skips have a failed root has failed, and with a cancelled root it was cancelled")
    func outcomes() {
        var cluster = Cluster()
        cluster.join("w1")
        let first = cluster.submit(.op())
        let second = cluster.submit(.op())
        cluster.cancel(.operation(second / 0))
        let behindSecond = cluster.submit(.op(on: .on(.job(second), .success)), .op(on: .on(.job(second), .failure)))
        cluster.finish(first / 0, .exited(1))
        let behindFirst = cluster.submit(.op(on: .on(.job(first), .success)))
        for (job, outcome, root) in [
            (first, .failed, first / 0), (second, .cancelled, second / 0), (behindSecond, .cancelled, second / 0),
            (behindFirst, .failed, first / 0),
        ] as [(JobNumber, Outcome, OperationID)] {
            #expect(cluster.record.finished[job]?.outcome == outcome)
            #expect(cluster.record.roots[job] == root)
        }
    }

    @Test("D13 A key with another submission is refused, naming its job, and an unknown digest is not compared")
    func keys() {
        var cluster = Cluster()
        func submission(_ count: Int, isKnown: Bool = true) -> Submission {
            var submission = Submission(key: "k", templates: [.noOperation], entries: [.array(count)])
            if isKnown { submission.keyDigest = submission.digest }
            return submission
        }
        let first = cluster.answer(to: submission(3))
        guard case .job(let job, _, isNew: true)? = first else {
            Issue.record("\(first as Any)")
            return
        }
        #expect(cluster.answer(to: submission(3)) == .job(job, operations: 3, isNew: false))
        #expect(cluster.answer(to: submission(4, isKnown: false)) == .job(job, operations: 3, isNew: false))
        guard case .refused(let refusal)? = cluster.answer(to: submission(4)) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .keyConflict && refusal.message.contains("job \(job)"))
    }
}
