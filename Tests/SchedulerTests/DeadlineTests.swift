@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Deadlines", .timeLimit(.minutes(60)))
struct DeadlineTests {
    private static func template(deadline seconds: Int64, retries: UInt16 = 0) -> Template {
        var template = Template.retrying(retries)
        template.deadline = .seconds(seconds)
        return template
    }

    /// The end of an attempt that its worker was asked to end.
    private static let ended = AttemptEnd.cancelled(exitStatus: nil, signal: 15)

    @Test("SC5 What has not started by its deadline fails, whatever it waits for")
    func waiting() {
        var cluster = Cluster()
        cluster.join("w1")
        cluster.suspend("still")
        var held = Entry.op(template: 1)
        held.isHeld = true
        var array = Entry.array(1000)
        array.template = 1
        let job = cluster.submit(
            .op(),
            .op(template: 1, on: .after(0)),
            held,
            .op(template: 1, delay: .seconds(9)),
            .op(queue: 1, template: 1),
            .op(template: 1, on: .needs(1)),
            array,
            .op(on: .needs(1)),
            .op(on: .onFailure(1)),
            queues: ["default", "still"],
            templates: [.noOperation, Self.template(deadline: 10)]
        )
        cluster.pass(.milliseconds(9999))
        #expect(cluster.ends.isEmpty)
        cluster.pass(.milliseconds(1))
        for index in [1, 2, 3, 4, 5, 6, 1005] {
            #expect(cluster.outcome(job / index) == .failed, "\(index)")
            #expect(cluster.last(job / index)?.reason == Reason(.deadline, "It had not started by its deadline."))
            #expect(cluster.last(job / index)?.attempt == 0)
        }
        #expect(cluster.outcome(job / 1006) == .skipped)
        #expect(cluster.state(job / 0) == .executing)
        cluster.finish(job / 0)
        cluster.finish(job / 1007)
        #expect(cluster.outcome(job / 1007) == .succeeded)
        #expect(cluster.record.finished[job]?.outcome == .failed)
    }

    @Test("SC5 What executes at its deadline is asked to end, and decides by its end, without a retry")
    func executing() throws {
        var cluster = Cluster()
        let session = cluster.join("w1", slots: 4)
        let job = cluster.submit(
            .op(),
            .op(),
            .op(),
            .op(),
            .op(on: .onFailure(0)),
            templates: [Self.template(deadline: 10, retries: 3)]
        )
        cluster.pass(.seconds(9))
        #expect(cluster.workers[session]?.ending.isEmpty == true)
        cluster.pass(.seconds(1))
        #expect(cluster.workers[session]?.ending.count == 4)
        // It had waited for nothing but the others, and has the same deadline.
        #expect(cluster.outcome(job / 4) == .failed)
        #expect(cluster.last(job / 0)?.isCancelled == false)
        cluster.finish(job / 0, Self.ended)
        #expect(cluster.outcome(job / 0) == .failed)
        #expect(cluster.last(job / 0)?.reason == Reason(.deadline, "It had not ended by its deadline."))
        #expect(cluster.last(job / 0)?.signal == 15)
        cluster.finish(job / 1)
        #expect(cluster.outcome(job / 1) == .succeeded)
        cluster.finish(job / 2, .exited(3))
        #expect(cluster.outcome(job / 2) == .failed && cluster.last(job / 2)?.attempt == 1)
        #expect(cluster.last(job / 2)?.reason?.code == .deadline)
        #expect(cluster.cancel(.operation(job / 3)) == 1)
        cluster.finish(job / 3, Self.ended)
        #expect(cluster.outcome(job / 3) == .cancelled && cluster.last(job / 3)?.isCancelled == true)
    }

    @Test("SC5 What waits for its retry, and what is lost at a worker, fails at its deadline")
    func retriesAndLosses() {
        var cluster = Cluster()
        let session = cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .op(), templates: [Self.template(deadline: 50, retries: 3)])
        cluster.pass(.seconds(49))
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.state(job / 0) == .pending)
        cluster.pass(.seconds(1))
        // The retry may have begun.
        if cluster.state(job / 0) == .executing { cluster.finish(job / 0, Self.ended) }
        #expect(cluster.last(job / 0)?.reason == Reason(.deadline, "It had not ended by its deadline."))
        cluster.apply(.workerLeft(session))
        cluster.pass(.seconds(60))
        #expect(cluster.outcome(job / 1) == .failed && cluster.last(job / 1)?.reason?.code == .deadline)
    }

    @Test(
        "SC5 The deadline of a job spares what is there for failures, and a later one of an operation counts for nothing"
    )
    func job() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(
            .op(),
            .op(template: 1, on: .after(0)),
            .op(on: .onFailure(0)),
            .op(on: .needs(2)),
            .array(10),
            templates: [.noOperation, Self.template(deadline: 60)],
            settings: JobSettings(deadline: .seconds(10))
        )
        cluster.pass(.seconds(10))
        #expect(cluster.outcome(job / 1) == .failed)
        #expect((4..<14).allSatisfy { cluster.outcome(job / $0) == .failed })
        cluster.finish(job / 0, Self.ended)
        #expect(cluster.outcome(job / 0) == .failed)
        cluster.finish(job / 2)
        cluster.finish(job / 3)
        #expect(cluster.outcome(job / 2) == .succeeded && cluster.outcome(job / 3) == .succeeded)
        #expect(cluster.record.finished[job]?.outcome == .failed)
        // The timer of the operation's own deadline has gone with the job.
        cluster.pass(.seconds(100))
    }

    @Test("SC5 A restart keeps the deadlines, and what had been asked to end is asked again", arguments: [4, 10])
    func restart(seconds: Int64) throws {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(), templates: [Self.template(deadline: 10)])
        cluster.pass(.seconds(seconds))
        let attempt = try #require(cluster.running[job / 0])
        cluster.restart()
        let session = cluster.join("w1", holding: [attempt])
        cluster.pass(.seconds(10 - seconds))
        #expect(cluster.outcome(job / 1) == .failed)
        #expect(cluster.workers[session]?.ending == [attempt.token])
        cluster.report(attempt, Self.ended, session: session)
        #expect(cluster.outcome(job / 0) == .failed && cluster.last(job / 0)?.reason?.code == .deadline)
    }

    @Test("SC5 Nothing ends at its deadline before the workers of a restarted coordinator had their time to come back")
    func reconcileWindow() throws {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(), templates: [Self.template(deadline: 10)])
        cluster.pass(.seconds(9))
        let attempt = try #require(cluster.running[job / 0])
        cluster.restart()
        cluster.pass(.seconds(1))
        #expect(cluster.ends.isEmpty)
        let session = cluster.join("w1", holding: [attempt])
        #expect(cluster.outcome(job / 1) == .failed)
        #expect(cluster.workers[session]?.ending == [attempt.token])
    }

    @Test(
        "SC5 What was executing at its deadline does not start again, also before all workers have come back",
        arguments: [9, 10] as [Int64],
        [nil, .seconds(10)] as [Duration?]
    )
    func executingInWindow(seconds: Int64, deadlineOfJob: Duration?) throws {
        var cluster = Cluster()
        for name in ["w1", "w2"] { cluster.join(name) }
        let job = cluster.submit(
            .op(),
            templates: [Self.template(deadline: deadlineOfJob == nil ? 10 : 3600, retries: 3)],
            settings: JobSettings(deadline: deadlineOfJob)
        )
        cluster.pass(.seconds(seconds))
        let attempt = try #require(cluster.running[job / 0])
        let name = try #require(cluster.workers[attempt.session]?.name)
        cluster.restart()
        // A deadline of before the restart has passed without a look at the clock.
        if seconds < 10 { cluster.pass(.seconds(10 - seconds)) }
        let session = cluster.join(name, holding: [attempt])
        #expect(cluster.workers[session]?.ending == [attempt.token])
        cluster.report(attempt, .interrupted, session: session)
        #expect(cluster.started.isEmpty)
        #expect(cluster.outcome(job / 0) == .failed && cluster.last(job / 0)?.reason?.code == .deadline)
    }

    @Test(
        "SC5 What an earlier coordinator asked to end at its deadline has failed, also if the record's clock is behind"
    )
    func earlierClock() throws {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .op(template: 1), templates: [Self.template(deadline: 10), .noOperation])
        let other = cluster.submit(.op())
        cluster.pass(.seconds(9))
        let attempt = try #require(cluster.running[job / 0])
        cluster.restart()
        let session = cluster.join("w1", slots: 2, holding: [attempt])
        cluster.report(attempt, Self.ended, session: session)
        #expect(cluster.outcome(job / 0) == .failed && cluster.last(job / 0)?.reason?.code == .deadline)
        // An attempt of this coordinator's own was ended for nothing that it knows.
        cluster.finish(other / 0, Self.ended)
        #expect(cluster.outcome(other / 0) == .cancelled)
    }

    @Test("SC5 An operation that a lost request had ended does not fail at a deadline of other operations of its job")
    func lostCancellation() throws {
        var cluster = Cluster()
        cluster.join("w1", slots: 3)
        let job = cluster.submit(
            .op(template: 1),
            .op(),
            .op(template: 1),
            templates: [.noOperation, Self.template(deadline: 10)]
        )
        cluster.pass(.seconds(9))
        let attempts = try (0..<3).map { try #require(cluster.running[job / $0]) }
        cluster.restart()
        let session = cluster.join("w1", slots: 3, holding: attempts)
        for attempt in attempts { cluster.report(attempt, Self.ended, session: session) }
        #expect((0..<3).map { cluster.outcome(job / $0) } == [.failed, .cancelled, .failed])
        #expect(cluster.last(job / 1)?.reason?.code != .deadline)
    }

    @Test("SC5 The operations of a large job end in turns, and those that need others are not skipped meanwhile")
    func turns() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(0), operationsPerTurn: 2))
        cluster.endsChanges = false
        let submission = Submission(
            templates: [Self.template(deadline: 10)],
            entries: (0..<9).map { $0 == 0 ? .op() : .op(on: .needs($0 - 1)) }
        )
        guard case .job(let job, _, _)? = cluster.answer(to: submission) else {
            Issue.record("refused: \(cluster.effects)")
            return
        }
        cluster.pass(.seconds(10))
        cluster.join("w1")
        while cluster.scheduler.hasTurnLeft { cluster.apply(.changeContinued) }
        #expect(cluster.started.isEmpty)
        #expect((0..<9).allSatisfy { cluster.last(job / $0)?.reason?.code == .deadline })
    }

    @Test("SC5 A cancellation after the deadline of a large job finds its operations finished")
    func cancelledAfterwards() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(0), operationsPerTurn: 2))
        cluster.endsChanges = false
        let entries = (0..<9).map { _ in Entry.op() }
        guard
            case .job(let job, _, _)? = cluster.answer(
                to: Submission(templates: [Self.template(deadline: 10)], entries: entries)
            )
        else {
            Issue.record("refused: \(cluster.effects)")
            return
        }
        cluster.pass(.seconds(10))
        let request = cluster.request { .cancel([.operation(job / 8)], request: $0) }
        #expect(cluster.report(request) == nil)
        while cluster.scheduler.hasTurnLeft { cluster.apply(.changeContinued) }
        #expect(cluster.report(request)?.changed == 0)
        #expect(cluster.last(job / 8)?.reason?.code == .deadline)
    }

    @Test("SC5 What is added to an open job has its deadline from then on, and a job past its own takes nothing more")
    func additions() throws {
        var cluster = Cluster()
        var open = Submission(templates: [Self.template(deadline: 10)], entries: [.op()])
        open.isOpen = true
        open.settings.deadline = .seconds(20)
        guard case .job(let job, _, _)? = cluster.answer(to: open) else {
            Issue.record("refused: \(cluster.effects)")
            return
        }
        cluster.pass(.seconds(5))
        let addition = try ValidatedSubmission(
            addition: Submission(
                templates: [Self.template(deadline: 10), .noOperation],
                entries: [.op(), .op(template: 1)]
            )
        )
        _ = cluster.answer { .add(addition, to: job, ends: [:], request: $0) }
        cluster.pass(.seconds(5))
        #expect(cluster.outcome(job / 0) == .failed && cluster.outcome(job / 1) == nil)
        cluster.pass(.seconds(5))
        #expect(cluster.outcome(job / 1) == .failed && cluster.outcome(job / 2) == nil)
        cluster.pass(.seconds(5))
        #expect(cluster.outcome(job / 2) == .failed)
        #expect(cluster.record.finished[job]?.outcome == .failed)
    }
}
