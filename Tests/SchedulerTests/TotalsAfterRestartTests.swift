@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Tests of the totals of queues, attempts and jobs, which the record carries from one coordinator to the next.
@Suite("Totals after a restart", .timeLimit(.minutes(60)))
struct TotalsAfterRestartTests {
    /// The figures of a cluster that a restart must not change.
    private struct Figures: Equatable {
        var submitted: [String: Int]
        var ended: [String: EndCounts]
        var counts: [String: JobCounts]
        var attempts: AttemptTotals
        var jobs: EndCounts

        init(_ scheduler: Scheduler) {
            let queues = scheduler.queueFigures
            submitted = Dictionary(uniqueKeysWithValues: queues.map { ($0.label, $0.submitted) })
            ended = Dictionary(uniqueKeysWithValues: queues.map { ($0.label, $0.ended) })
            counts = Dictionary(uniqueKeysWithValues: queues.map { ($0.label, $0.counts) })
            attempts = scheduler.attemptTotals
            jobs = scheduler.jobsFinished
        }

        /// The submitted operations that are neither ended nor unfinished, which must be none.
        var missing: Int {
            submitted.reduce(0) { sum, queue in
                sum + queue.value - (ended[queue.key]?.sum ?? 0) - (counts[queue.key]?.unfinished ?? 0)
            }
        }
    }

    private static let ends: [AttemptEnd] = [
        .exited(0), .exited(0), .exited(3), .cancelled(exitStatus: nil, signal: 15), .stopped, .interrupted,
    ]

    /// Work in several queues: submissions of random sizes, ends of all kinds, retries, cancellations, and lost workers.
    private func work(_ cluster: inout Cluster, steps: Int, _ random: inout SplitMix) {
        for _ in 0..<steps {
            switch random.number(0...11) {
            case 0, 1:
                let entries = (0..<random.number(1...6)).map { position in
                    var entry = Entry.op(queue: random.number(0...2), template: random.number(0...1))
                    if position > 0, random.chance(30) {
                        entry.dependencies = [Dependency(on: .entry(position - 1), condition: .success)]
                    }
                    if random.chance(15) { entry.array = .numbers(first: 1, step: 1, count: 30) }
                    return entry
                }
                let submission = Submission(
                    queueNames: ["a", "b", "c"],
                    templates: [.noOperation, Template(work: Work(.noOperation), retries: 2)],
                    entries: entries
                )
                _ = cluster.answer(to: submission)
            case 2 where random.chance(40):
                let sessions = cluster.workers.keys.sorted { $0.rawValue < $1.rawValue }
                // The silent worker is lost with its attempts.
                if let session = random.pick(sessions) { cluster.pass(.seconds(3_600), silent: session) }
            case 3: cluster.join("w\(random.number(1...4))", slots: 3)
            case 4 where random.chance(30):
                if let job = random.pick(cluster.record.unfinished)?.job.number { cluster.cancel(.job(job)) }
            case 5: cluster.pass(.seconds(30))
            default:
                guard let operation = random.pick(cluster.running.keys.sorted()), let end = random.pick(Self.ends)
                else { continue }
                cluster.finish(operation, end)
                // The operation may wait for a retry.
                cluster.running[operation] = nil
            }
        }
    }

    @Test(
        "Restarts in the middle of work change no total, however often they come",
        arguments: 0..<(Thoroughness.isFull ? 12 : 4)
    )
    func restarts(run: Int) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        var cluster = Cluster()
        cluster.checkInterval = 7
        for _ in 0..<6 {
            work(&cluster, steps: Int.random(in: 5...60, using: &random), &random)
            let before = Figures(cluster.scheduler)
            #expect(before.missing == 0, "seed \(seed)")
            cluster.restart()
            let after = Figures(cluster.scheduler)
            #expect(after == before, "seed \(seed)")
            #expect(after.missing == 0, "seed \(seed)")
        }
    }

    @Test(
        "A crash loses totals and state together: they agree after the loss of any number of batches",
        arguments: 0..<12
    )
    func crashes(run: Int) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        var cluster = Cluster()
        cluster.checkInterval = 7
        for _ in 0..<6 {
            work(&cluster, steps: random.number(5...60), &random)
            cluster.restart(from: cluster.record.withoutLast(random.number(0...20)))
            let figures = Figures(cluster.scheduler)
            #expect(figures.missing == 0, "seed \(seed)")
            #expect(cluster.record.totalFaults.isEmpty, "seed \(seed)")
            let ended = figures.ended
            #expect(ended == cluster.record.totals.queues, "seed \(seed)")
            let ends = cluster.record.operations.values.filter { $0.outcome != nil }
            #expect(ended.values.reduce(0) { $0 + $1.sum } == ends.count, "seed \(seed)")
            let succeeded = ends.count { $0.outcome == .succeeded }
            #expect(figures.attempts.succeeded == succeeded, "seed \(seed)")
        }
    }

    @Test(
        "A lost attempt counts once, whether its worker is lost before a restart or after it",
        arguments: [false, true]
    )
    func losses(isLostBefore: Bool) {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        cluster.submit(.op(), .op(), .op())
        if isLostBefore { cluster.pass(.seconds(3_600), silent: SessionID(rawValue: 1)) }
        cluster.restart()
        cluster.pass(.seconds(3_600))
        #expect(cluster.scheduler.attemptTotals.started == 2 && cluster.scheduler.attemptTotals.lost == 2)
        cluster.join("w2", slots: 3)
        cluster.finishAll()
        cluster.restart()
        #expect(cluster.scheduler.attemptTotals.started == 5 && cluster.scheduler.attemptTotals.succeeded == 3)
        #expect(cluster.scheduler.queueFigures.first?.ended.succeeded == 3)
        #expect(cluster.scheduler.jobsFinished.succeeded == 1)
    }

    @Test(
        "Attempts that are lost when worker and coordinator die together count like those in the record, started or not",
        arguments: [true, false]
    )
    func lossesWithCoordinator(isReplaced: Bool) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(3)))
        let session = cluster.join("w1", slots: 2)
        cluster.join("w2")
        cluster.submit(.op(), .op(), .op(), .op(), .op(), .op(), .op(), .op())
        let there = cluster.sent.filter { $0.session == session }
        let started = cluster.started.count { $0.session == session }
        #expect(started == 2 && there.count > started)
        cluster.restart()
        if isReplaced {
            // The other worker is still missing, and could claim what was sent to the dead one: the losses wait for that.
            cluster.join("w1", processID: 8)
            #expect(cluster.record.totals.attempts.lost == UInt64(started))
        }
        cluster.join("w2", processID: 9)
        cluster.pass(.seconds(3_600))
        let rows = cluster.record.attempts.values.joined()
        let lost = rows.filter { $0.reason.code == .lost }
        #expect(lost.count { $0.startedAt == nil } >= there.count - started)
        #expect(cluster.scheduler.attemptTotals.lost == UInt64(lost.count))
        #expect(cluster.record.totals.attempts.lost == UInt64(lost.count))
    }

    @Test("The totals of a deleted queue stay, and a later one of its name continues them, also after a restart")
    func deletedQueue() throws {
        var cluster = Cluster()
        cluster.join("w1")
        func ends(_ queue: String) throws -> EndCounts {
            try #require(cluster.scheduler.queueFigures.first { $0.label == queue }).ended
        }
        var count = 0
        for (isRestartedBefore, isRestartedAfter) in [(false, false), (true, false), (false, true), (true, true)] {
            cluster.submit(.op(), .op(), queues: ["images"])
            cluster.finishAll()
            count += 2
            #expect(try ends("images").succeeded == count)
            if isRestartedBefore {
                cluster.restart()
                #expect(try ends("images").succeeded == count)
                cluster.join("w1")
            }
            _ = cluster.answer { .deleteQueue("images", request: $0) }
            if isRestartedAfter {
                cluster.restart()
                cluster.join("w1")
            }
            #expect(try ends("images").sum == count)
            cluster.submit(.op(), queues: ["images"])
            #expect(try ends("images").sum == count)
            cluster.finishAll()
            count += 1
            #expect(try ends("images").succeeded == count)
            #expect(cluster.scheduler.queueFigures.count { $0.label == "images" } == 1)
            _ = cluster.answer { .deleteQueue("images", request: $0) }
        }
        #expect(cluster.scheduler.jobsFinished.succeeded == 8)
    }

    @Test("The record gets the totals of those queues that have new ends, and nothing if nothing has ended")
    func changedTotals() {
        var scheduler = Scheduler()
        func submit(_ queue: String) {
            let submission = Submission(queueNames: [queue], templates: [.noOperation], entries: [.op()])
            _ = scheduler.submit(submission, at: Timestamp(rawValue: 1))
        }
        func cancel(_ job: UInt32) {
            let request = RequestID(rawValue: 100 + UInt64(job))
            _ = scheduler.apply(.cancel([.job(JobNumber(job))], request: request), at: Timestamp(rawValue: 2))
        }
        var totals = scheduler.takeChangedTotals()
        #expect(totals == nil)
        for queue in ["a", "b"] { submit(queue) }
        totals = scheduler.takeChangedTotals()
        #expect(totals?.queues == ["a": EndCounts(), "b": EndCounts()], "new queues get their labels")
        submit("a")
        totals = scheduler.takeChangedTotals()
        #expect(totals == nil, "submissions are no part of the totals")
        cancel(1)
        cancel(2)
        let first = scheduler.takeChangedTotals()
        #expect(first?.queues.mapValues(\.cancelled) == ["a": 1, "b": 1] && first?.jobs.cancelled == 2)
        totals = scheduler.takeChangedTotals()
        #expect(totals == nil)
        cancel(3)
        let second = scheduler.takeChangedTotals()
        #expect(second?.queues.mapValues(\.cancelled) == ["a": 2] && second?.jobs.cancelled == 3)
    }
}
