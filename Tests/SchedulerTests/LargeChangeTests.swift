@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Changes of more operations than one turn changes; the cluster checks all invariants after each turn.
@Suite("Large changes", .timeLimit(.minutes(60)))
struct LargeChangeTests {
    /// The numbers of operations that a turn changes.
    private static let sizes = [1, 2, 4, 5]
    /// The number of operations of a job that needs at least two turns.
    private static let count = 9

    /// A cluster in which the test takes the turns.
    private static func cluster(_ size: Int, ahead: Int = 0) -> Cluster {
        var cluster = Cluster(Configuration(sendAhead: .atMost(ahead), operationsPerTurn: size))
        cluster.endsChanges = false
        return cluster
    }

    @Test("Each turn changes so many operations, and the answer comes with the last one", arguments: sizes)
    func turns(size: Int) {
        var cluster = Self.cluster(size)
        let job = cluster.submit(count: Self.count)
        let request = cluster.request { .hold([.job(job)], request: $0) }
        var turns = 1
        while cluster.scheduler.hasTurnLeft {
            #expect(cluster.heldCount(of: job) == turns * size)
            #expect(cluster.answers[request] == nil)
            cluster.apply(.changeContinued)
            turns += 1
        }
        #expect(turns == (Self.count + size - 1) / size)
        #expect(cluster.heldCount(of: job) == Self.count)
        #expect(cluster.report(request) == ChangeReport(changed: Self.count))
    }

    @Test("A change of as many operations as a turn changes takes no turns", arguments: sizes)
    func small(size: Int) {
        var cluster = Self.cluster(size)
        let job = cluster.submit(count: size)
        #expect(cluster.hold(.job(job)) == ChangeReport(changed: size))
        #expect(cluster.setPriority(.job(job), to: .low) == ChangeReport(changed: size))
        #expect(cluster.release(.job(job)) == ChangeReport(changed: size))
        #expect(cluster.cancel(.job(job)) == size)
        #expect(!cluster.scheduler.hasTurnLeft)
    }

    @Test("Between turns others run and are counted, and nothing starts that is being cancelled", arguments: sizes)
    func others(size: Int) {
        var cluster = Self.cluster(size)
        cluster.join("w1")
        let other = cluster.submit(count: 3)
        let job = cluster.submit(count: Self.count)
        let request = cluster.request { .cancel([.job(job)], request: $0) }
        #expect(cluster.scheduler.counts(of: job)?.cancelled == size)
        cluster.finish(other / 0)
        #expect(cluster.state(other / 1) == .executing)
        cluster.finish(other / 1)
        cluster.finish(other / 2)
        #expect(cluster.scheduler.counts(of: job)?.unfinished == Self.count - size)
        #expect(cluster.order == ["1/0", "1/1", "1/2"], "a slot is free, and what is left is to be cancelled")
        cluster.endChanges()
        #expect(cluster.report(request) == ChangeReport(changed: Self.count))
        #expect(cluster.order == ["1/0", "1/1", "1/2"])
        #expect((0..<Self.count).allSatisfy { cluster.outcome(job / $0) == .cancelled })
    }

    @Test("Of what is cancelled together, nothing is skipped or runs because of the rest", arguments: sizes)
    func dependencies(size: Int) {
        var cluster = Self.cluster(size)
        let job = cluster.submit(
            .op(),
            .op(on: .needs(0)),
            .op(on: .after(1)),
            .op(on: .onFailure(0)),
            .op(on: .after(3)),
            .op(on: .needs(4), .onFailure(2)),
            .op(on: .needs(5))
        )
        let dependents = cluster.submit(.op(on: .after(job / 6)), .op(on: .needs(job / 6)))
        let request = cluster.request { .cancel([.job(job)], request: $0) }
        cluster.join("w1", slots: 4)
        #expect(cluster.order.isEmpty)
        cluster.endChanges()
        #expect(cluster.report(request) == ChangeReport(changed: 7))
        for index in 0..<7 {
            #expect(cluster.outcome(job / index) == .cancelled)
            #expect(cluster.last(job / index)?.reason?.message == "Its cancellation was asked for.")
            #expect(cluster.ends[job / index] == 1)
        }
        #expect(cluster.order == ["2/0"])
        #expect(cluster.outcome(dependents / 1) == .skipped)
    }

    @Test("What executes is asked to end in the first turn, and is counted once", arguments: sizes)
    func executing(size: Int) {
        var cluster = Self.cluster(size)
        let session = cluster.join("w1", slots: 2)
        let job = cluster.submit(count: Self.count)
        let request = cluster.request { .cancel([.job(job)], request: $0) }
        let asked = cluster.effects.compactMap { effect in
            if case .endAttempts(session, let tokens) = effect { tokens } else { nil }
        }
        #expect(asked == cluster.started.map { [$0.token] } && asked.count == 2)
        cluster.finish(job / 0, .cancelled(exitStatus: nil, signal: 15))
        cluster.endChanges()
        #expect(cluster.report(request) == ChangeReport(changed: Self.count))
        cluster.finish(job / 1, .cancelled(exitStatus: nil, signal: 15))
        #expect(cluster.order == ["1/0", "1/1"])
        #expect(cluster.record.finished[job]?.cancelled == Self.count)
    }

    @Test("A request that comes between the turns takes effect after the change", arguments: sizes)
    func inOrder(size: Int) {
        var cluster = Self.cluster(size)
        let job = cluster.submit(count: Self.count)
        let hold = cluster.request { .hold([.job(job)], request: $0) }
        let release = cluster.request { .release([.job(job)], request: $0) }
        let again = cluster.request { .hold([.operation(job / 8)], request: $0) }
        let unknown = cluster.request { .release([.operation(job / 0)], request: $0) }
        #expect([hold, release, again, unknown].allSatisfy { cluster.answers[$0] == nil })
        cluster.endChanges()
        #expect(cluster.report(hold) == ChangeReport(changed: Self.count))
        #expect(cluster.report(release) == ChangeReport(changed: Self.count))
        #expect(cluster.report(again) == ChangeReport(changed: 1))
        #expect(
            cluster.report(unknown)
                == ChangeReport(changed: 0, notes: ["1/0 is not held; releasing it has no effect."])
        )
        #expect(cluster.heldCount(of: job) == 1)
        #expect(cluster.scheduler.changes.isEmpty)
    }

    @Test("A request that waits for a change means nothing that was added after it", arguments: sizes)
    func laterAdditions(size: Int) {
        var cluster = Self.cluster(size)
        let job = cluster.submit(count: Self.count)
        cluster.request { .hold([.job(job)], request: $0) }
        let request = cluster.request { .cancel([.queue("default")], request: $0) }
        let later = cluster.submit(count: Self.count)
        cluster.endChanges()
        #expect(cluster.report(request) == ChangeReport(changed: Self.count))
        #expect(cluster.scheduler.counts(of: later)?.ready == Self.count)
    }

    @Test("A dependency that waits for a change knows the target that has finished meanwhile", arguments: sizes)
    func finishedTarget(size: Int) {
        var cluster = Self.cluster(size)
        cluster.join("w1")
        let target = cluster.submit(.op())
        let job = cluster.submit(count: Self.count)
        cluster.request { .hold([.job(job)], request: $0) }
        let request = cluster.request(cluster.dependEvent(job / 8, [.after(target / 0)]))
        cluster.finish(target / 0)
        cluster.endChanges()
        #expect(cluster.report(request) == ChangeReport(changed: 1))
    }

    @Test("A hold asks once what has started, and nothing of it starts before its turn", arguments: sizes)
    func takenBack(size: Int) {
        var cluster = Self.cluster(size, ahead: 3)
        let session = cluster.join("w1")
        let job = cluster.submit(count: Self.count)
        #expect(cluster.sent.count == 4)
        cluster.delayMessages(to: session)
        let request = cluster.request { .hold([.job(job)], request: $0) }
        #expect(!cluster.scheduler.hasTurnLeft && cluster.heldCount(of: job) == 0)
        cluster.deliverMessages(to: session)
        cluster.finish(job / 0)
        #expect(cluster.scheduler.hasTurnLeft && cluster.order == ["1/0"])
        cluster.endChanges()
        #expect(cluster.report(request) == ChangeReport(changed: Self.count - 1))
        #expect(cluster.order == ["1/0"] && cluster.sent.count == 4)
    }

    @Test("The patience with a silent worker does not grow with the number of turns", arguments: sizes)
    func silent(size: Int) {
        for isCancelled in [false, true] {
            var cluster = Self.cluster(size, ahead: 3)
            let session = cluster.join("w1")
            let job = cluster.submit(count: 14)
            cluster.delayMessages(to: session)
            let request = cluster.request { request in
                isCancelled ? .cancel([.job(job)], request: request) : .hold([.job(job)], request: request)
            }
            #expect(cluster.scheduler.hasTurnLeft == isCancelled)
            cluster.pass(cluster.scheduler.configuration.recallPatience)
            #expect(cluster.answers[request] == nil && cluster.scheduler.hasTurnLeft)
            cluster.endChanges()
            #expect(cluster.report(request)?.changed == (isCancelled ? 14 : 10))
            #expect(cluster.report(request)?.unanswered == ["w1"])
        }
    }

    @Test("A change that waits for workers holds up no other request", arguments: sizes)
    func passing(size: Int) {
        var cluster = Self.cluster(size, ahead: 3)
        let session = cluster.join("w1")
        let jobs = (0..<3).map { _ in cluster.submit(count: 14) }
        cluster.delayMessages(to: session)
        let first = cluster.request { .hold([.job(jobs[0])], request: $0) }
        #expect(!cluster.scheduler.hasTurnLeft && cluster.answers[first] == nil)
        #expect(cluster.cancel(.operation(jobs[2] / 0)) == 1)
        let others = [
            cluster.request { .hold([.job(jobs[1])], request: $0) },
            cluster.request { .cancel([.job(jobs[2])], request: $0) },
        ]
        cluster.endChanges()
        #expect(others.map { cluster.report($0)?.changed } == [14, 13] && cluster.answers[first] == nil)
        cluster.pass(cluster.scheduler.configuration.recallPatience)
        cluster.endChanges()
        #expect(cluster.report(first)?.changed == 10)
        #expect(cluster.scheduler.changes.isEmpty)
    }

    @Test("A cancellation whose turns are over still waits for the workers", arguments: sizes)
    func cancelledBeforeAnswer(size: Int) {
        for answers in [false, true] {
            var cluster = Self.cluster(size, ahead: 3)
            let session = cluster.join("w1")
            let job = cluster.submit(count: Self.count)
            cluster.delayMessages(to: session)
            let request = cluster.request { .cancel([.job(job)], request: $0) }
            cluster.endChanges()
            #expect(cluster.answers[request] == nil)
            if answers {
                cluster.deliverMessages(to: session)
            } else {
                cluster.pass(cluster.scheduler.configuration.recallPatience)
            }
            #expect(cluster.report(request) == ChangeReport(changed: Self.count, unanswered: answers ? [] : ["w1"]))
            #expect(cluster.order == ["1/0"])
        }
    }

    @Test("What takes the place of an operation that ended between two turns is left alone", arguments: sizes)
    func reusedPlaces(size: Int) {
        var cluster = Self.cluster(size)
        cluster.join("w1", slots: 2)
        let ending = cluster.submit(count: 2)
        let job = cluster.submit(count: Self.count)
        let request = cluster.request { .hold([.job(job), .job(ending)], request: $0) }
        cluster.finish(ending / 0)
        cluster.finish(ending / 1)
        let later = cluster.submit(count: 3)
        cluster.endChanges()
        #expect(cluster.report(request) == ChangeReport(changed: Self.count))
        #expect(cluster.order == ["1/0", "1/1", "3/0", "3/1"])
        #expect(cluster.heldCount(of: later) == 0)
    }

    @Test("A block that is split before its turn is changed whole", arguments: [1, 2])
    func splitBlock(size: Int) {
        var cluster = Self.cluster(size)
        let job = cluster.submit(.op(), .op(), .op(), .array(10))
        let request = cluster.request { .cancel([.job(job)], request: $0) }
        cluster.scheduler.separate(job, from: 8)
        cluster.endChanges()
        #expect(cluster.report(request) == ChangeReport(changed: 13))
        #expect(cluster.record.finished[job]?.cancelled == 13)
    }

    @Test("An open job that is being cancelled takes nothing between two turns", arguments: sizes)
    func openJob(size: Int) {
        var cluster = Self.cluster(size)
        var submission = Submission(templates: [.noOperation], entries: Array(repeating: .op(), count: Self.count))
        submission.isOpen = true
        _ = cluster.answer(to: submission)
        let job = JobNumber(1)
        let request = cluster.request { .cancel([.job(job)], request: $0) }
        let addition = Submission(templates: [.noOperation], entries: [.op()])
        guard case .refused? = cluster.answer(to: { .add(addition.checked, to: job, ends: [:], request: $0) }) else {
            Issue.record("an operation was added to a job that is being cancelled")
            return
        }
        cluster.endChanges()
        let note = "Job 1 was open, and takes no further operations."
        #expect(cluster.report(request) == ChangeReport(changed: Self.count, notes: [note]))
        #expect(cluster.record.finished[job]?.outcome == .cancelled)
    }

    @Test("Operations whose priority was changed in turns start in the order of one turn", arguments: sizes)
    func order(size: Int) {
        var orders: [[String]] = []
        for size in [size, 100] {
            var cluster = Cluster(Configuration(sendAhead: .atMost(0), operationsPerTurn: size))
            cluster.submit(.op(at: .high), .op(), .op(at: .low), .op(at: .high), .op(), .op(at: .veryLow), .op())
            cluster.setPriority(.queue("default"), to: .high)
            cluster.join("w1")
            cluster.finishAll()
            orders.append(cluster.order)
        }
        #expect(orders[0] == orders[1] && orders[0].count == 7)
    }

    @Test("SU4 A resume finishes in turns what was cancelled, and its answer comes with the last one", arguments: sizes)
    func resumed(size: Int) {
        var cluster = Self.cluster(size)
        cluster.join("w1")
        cluster.suspend("default")
        let job = cluster.submit(count: Self.count)
        cluster.submit(.op(), .op())
        cluster.request { .cancel([.job(job)], request: $0) }
        cluster.endChanges()
        #expect(cluster.scheduler.counts(of: job)?.unfinished == Self.count)
        let change = QueueChange(name: "default", isSuspended: false)
        let resume = cluster.request { .setQueue(change, request: $0) }
        let suspend = cluster.request { .setQueue(QueueChange(name: "default", isSuspended: true), request: $0) }
        var turns = 1
        while cluster.scheduler.counts(of: job) != nil {
            #expect(cluster.scheduler.counts(of: job)?.cancelled == turns * size)
            #expect(cluster.answers[resume] == nil && cluster.answers[suspend] == nil)
            cluster.apply(.changeContinued)
            turns += 1
        }
        #expect(turns == (Self.count + size - 1) / size)
        #expect(cluster.report(resume) == ChangeReport(changed: 1))
        cluster.endChanges()
        #expect(cluster.report(suspend) == ChangeReport(changed: 1))
        #expect((0..<Self.count).allSatisfy { cluster.outcome(job / $0) == .cancelled && cluster.ends[job / $0] == 1 })
        #expect(cluster.order == ["2/0"])
    }

    @Test("SU4 What a resume has not finished at a crash finishes at the restart", arguments: sizes)
    func resumedBeforeCrash(size: Int) {
        var cluster = Self.cluster(size)
        cluster.suspend("default")
        let job = cluster.submit(count: Self.count)
        cluster.request { .cancel([.job(job)], request: $0) }
        cluster.endChanges()
        cluster.request { .setQueue(QueueChange(name: "default", isSuspended: false), request: $0) }
        #expect(cluster.scheduler.hasTurnLeft)
        let committed = cluster.record
        cluster.restart(from: committed)
        #expect((0..<Self.count).allSatisfy { cluster.outcome(job / $0) == .cancelled })
    }

    @Test("All that a request releases at the end of the reconcile window keeps its attempts", arguments: sizes)
    func reconcileWindow(size: Int) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(0), operationsPerTurn: size))
        cluster.join("w1", slots: Self.count)
        var held = Entry.op()
        held.isHeld = true
        let job = cluster.submit(entries: Array(repeating: held, count: Self.count))
        let committed = cluster.record
        cluster.release(.job(job))
        let claimed = cluster.started
        #expect(claimed.count == Self.count)
        cluster.restart(from: committed)
        let request = cluster.request { .release([.job(job)], request: $0) }
        cluster.join("w1", slots: Self.count, holding: claimed)
        cluster.pass(.seconds(5))
        #expect(cluster.report(request) == ChangeReport(changed: Self.count))
        for index in 0..<Self.count {
            let last = cluster.last(job / index)
            #expect(last?.state == .executing && last?.attempt == 1 && last?.losses == 0)
        }
    }
}

extension Cluster {
    /// Submits single operations.
    fileprivate mutating func submit(count: Int) -> JobNumber {
        submit(entries: Array(repeating: .op(), count: count))
    }

    fileprivate mutating func submit(entries: [Entry]) -> JobNumber {
        let submission = Submission(templates: [.noOperation], entries: entries)
        guard case .job(let job, _, _)? = answer(to: submission) else {
            Issue.record("refused: \(effects)")
            return JobNumber(0)
        }
        return job
    }

    /// The number of held operations of a job of single operations.
    fileprivate func heldCount(of job: JobNumber) -> Int {
        (0..<(scheduler.counts(of: job)?.total ?? 0)).count { scheduler.record(of: job / $0)?.isHeld == true }
    }

    /// Takes all turns that wait for no worker.
    fileprivate mutating func endChanges() {
        while scheduler.hasTurnLeft { apply(.changeContinued) }
    }
}
