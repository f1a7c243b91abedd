@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Large jobs that the scheduler takes in turns; the cluster checks all invariants after each turn.
@Suite("Large jobs that arrive in turns", .timeLimit(.minutes(60)))
struct ArrivalTests {
    /// The numbers of entries that a turn takes.
    private static let sizes = [1, 2, 3, 7, 100]

    /// A job of all kinds of entries that can be taken in turns.
    private static var submission: ValidatedSubmission {
        var held = Entry.op()
        held.isHeld = true
        let submission = Submission(
            queueNames: ["default", "other"],
            templates: [.noOperation],
            entries: [
                .op("a"), .op(on: .after(3)), .array(5, name: "many"), .op(at: .low), held, .op(on: .needs(2)),
                .op(queue: 1), .op(at: .high), .op(on: .after(0), .needs(3)), .array(3, on: .after(2)),
                .op(queue: 1, on: .onFailure(0)), .op(at: .high, on: .after(4)),
            ]
        )
        return submission.checked
    }

    /// A job of single operations that wait for nothing.
    private static func submission(of priorities: [Priority]) -> ValidatedSubmission {
        Submission(templates: [.noOperation], entries: priorities.map { Entry.op(at: $0) }).checked
    }

    /// A cluster in which the test takes the turns of large changes.
    private static func cluster(operationsPerTurn: Int = 2) -> Cluster {
        var cluster = Cluster(Configuration(sendAhead: .atMost(0), operationsPerTurn: operationsPerTurn))
        cluster.endsChanges = false
        return cluster
    }

    /// Takes all turns of large changes.
    private static func endChanges(_ cluster: inout Cluster) {
        while cluster.scheduler.hasTurnLeft { cluster.apply(.changeContinued) }
    }

    @Test("Nobody finds a job before it is whole, and then all is as if it had come at once", arguments: sizes)
    func whole(size: Int) throws {
        var atOnce = Cluster(Configuration(sendAhead: .atMost(0), operationsPerTurn: 2))
        atOnce.join("w1", slots: 2)
        atOnce.request { .submit(Self.submission, ends: [:], request: $0) }
        var cluster = Cluster(Configuration(sendAhead: .atMost(0), operationsPerTurn: 2))
        cluster.join("w1", slots: 2)
        let job = try cluster.reserveJob()
        let count = Self.submission.submission.entries.count
        for _ in 0..<1 + 3 * ((count + size - 1) / size) {
            cluster.apply(.arrivalContinued(Self.submission, as: job, entries: size))
            #expect(cluster.scheduler.isArriving(job))
            #expect(cluster.scheduler.unfinishedJobs.isEmpty && cluster.scheduler.unfinishedJobCount == 0)
            #expect(cluster.scheduler.counts == JobCounts() && cluster.scheduler.record(of: job / 0) == nil)
            #expect(cluster.record.jobs.isEmpty && cluster.record.operations.isEmpty && cluster.order.isEmpty)
        }
        let request = cluster.request { .submit(Self.submission, ends: [:], reserved: job, request: $0) }
        guard case .job(job, let operations, isNew: true)? = cluster.answers[request] else {
            Issue.record("\(cluster.answers)")
            return
        }
        #expect(operations == Self.submission.submission.operationCount)
        #expect(!cluster.scheduler.isArriving(job))
        #expect(cluster.record.jobs[job]?.areRowsStored == true)
        #expect(cluster.scheduler.counts == atOnce.scheduler.counts)
        for index in 0..<operations {
            #expect(cluster.state(job / index) == atOnce.state(job / index))
            #expect(cluster.record.events.history(job / index) == atOnce.record.events.history(job / index))
        }
        cluster.release(.job(job))
        atOnce.release(.job(job))
        cluster.finishAll()
        atOnce.finishAll()
        #expect(cluster.order == atOnce.order)
        #expect(cluster.record.finished == atOnce.record.finished)
        #expect(cluster.scheduler.graph.nodeCount == 0 && cluster.scheduler.graph.edgeCount == 0)
    }

    @Test("What is left of a job when its rows are stored is taken at once", arguments: [0, 1, 20])
    func rest(taken: Int) throws {
        var cluster = Self.cluster(operationsPerTurn: 100)
        let job = try cluster.reserveJob()
        cluster.apply(.arrivalContinued(Self.submission, as: job, entries: taken))
        cluster.request { .submit(Self.submission, ends: [:], reserved: job, request: $0) }
        #expect(cluster.scheduler.counts.unfinished == Self.submission.submission.operationCount)
    }

    @Test("Operations of a large job start in turns, those of the highest priority first, and can be held meanwhile")
    func starts() throws {
        var cluster = Self.cluster(operationsPerTurn: 1)
        let priorities = (0..<30).map { $0 < 15 ? Priority.low : .high }
        let job = try cluster.reserveJob()
        cluster.apply(.arrivalContinued(Self.submission(of: priorities), as: job, entries: 50))
        cluster.join("w1")
        cluster.request {
            .submit(Self.submission(of: priorities), ends: [:], reserved: job, request: $0)
        }
        #expect(cluster.scheduler.counts(of: job)?.ready == 30 && cluster.order.isEmpty)
        cluster.hold(.operation(job / 15))
        #expect(cluster.state(job / 15) == .pending)
        cluster.apply(.changeContinued)
        #expect(cluster.order == ["1/16"] && cluster.scheduler.hasTurnLeft)
        Self.endChanges(&cluster)
        cluster.release(.operation(job / 15))
        cluster.finishAll()
        #expect(cluster.order.prefix(2) == ["1/16", "1/15"])
        #expect(Array(cluster.order.suffix(15)) == (0..<15).map { "1/\($0)" })
    }

    @Test("OB10 Watchers are told in one event of many neighbours that are ready at once, however these come")
    func readyTogether() throws {
        var cluster = Self.cluster()
        var submission = Submission(templates: [.noOperation], entries: (0..<100).map { _ in Entry.op() })
        submission.isOpen = true
        let (checked, next) = (submission.checked, cluster.record.events.next)
        cluster.request { .submit(checked, ends: [:], request: $0) }
        let arriving = try cluster.reserveJob()
        cluster.apply(.arrivalContinued(checked, as: arriving, entries: 10))
        cluster.request { .submit(checked, ends: [:], reserved: arriving, request: $0) }
        let addition = try ValidatedSubmission(
            addition: Submission(templates: [.noOperation], entries: [.op(), .op(on: .after(0)), .op(), .op()])
        )
        cluster.request { .add(addition, to: arriving, ends: [:], request: $0) }
        let ready = ClusterEvent.OperationChange.state(.ready, outcome: nil, attempt: 0, worker: nil)
        let job = JobNumber(1)
        #expect(
            cluster.record.events.events.map(\.subject) == [
                .queue("default", QueueSettings()),
                .jobSubmitted(job, operations: 100), .operations(job / 0, count: 100, ready),
                .jobSubmitted(arriving, operations: 100), .operations(arriving / 0, count: 100, ready),
                .operationsAdded(arriving, first: 100, count: 4), .operations(arriving / 100, count: 1, ready),
                .operations(arriving / 102, count: 2, ready),
            ]
        )
        #expect(cluster.record.events.next == next + 1 + 2 * 101 + 1 + 3)
    }

    @Test("BA1 BA2 A barrier that is added during an arrival comes before the job")
    func barrier() throws {
        var cluster = Self.cluster(operationsPerTurn: 100)
        cluster.join("w1", slots: 3)
        let submission = Self.submission(of: [.normal, .high])
        let job = try cluster.reserveJob()
        cluster.apply(.arrivalContinued(submission, as: job, entries: 3))
        var barrier = Entry.op()
        barrier.isBarrier = true
        cluster.request { request in
            .submit(Submission(templates: [.noOperation], entries: [barrier]).checked, ends: [:], request: request)
        }
        #expect(cluster.order == ["2/0"])
        cluster.request { .submit(submission, ends: [:], reserved: job, request: $0) }
        #expect(cluster.order == ["2/0"])
        #expect(cluster.record.jobs[job]?.order ?? 0 > cluster.record.jobs[JobNumber(2)]?.order ?? 0)
        cluster.finish(JobNumber(2) / 0)
        #expect(cluster.order == ["2/0", "1/1", "1/0"])
    }

    @Test("Operations start in the order of their jobs' numbers, also after a restart", arguments: [false, true])
    func order(restarts: Bool) throws {
        var cluster = Self.cluster(operationsPerTurn: 100)
        let submission = Self.submission(of: [.normal, .normal])
        let job = try cluster.reserveJob()
        cluster.apply(.arrivalContinued(submission, as: job, entries: 3))
        cluster.request { .submit(Self.submission(of: [.normal]), ends: [:], request: $0) }
        cluster.request { .submit(submission, ends: [:], reserved: job, request: $0) }
        if restarts { cluster.restart() }
        cluster.join("w1")
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/1", "2/0"])
    }

    @Test("A job that does not come after all leaves nothing behind", arguments: [1, 5, 13, 20, 30, 100])
    func ended(taken: Int) throws {
        var cluster = Self.cluster(operationsPerTurn: 100)
        let job = try cluster.reserveJob()
        cluster.apply(.arrivalContinued(Self.submission, as: job, entries: taken))
        #expect(cluster.scheduler.graph.nodeCount > 0)
        cluster.apply(.arrivalEnded(job))
        #expect(!cluster.scheduler.isArriving(job) && cluster.scheduler.graph.hiddenJobCount == 0)
        #expect(cluster.scheduler.graph.nodeCount == 0 && cluster.scheduler.graph.edgeCount == 0)
        cluster.request { .submit(Self.submission, ends: [:], request: $0) }
        #expect(cluster.record.jobs.keys.map(\.rawValue) == [2])
    }

    @Test("What operations ask of their workers is found in turns, and forgotten with the job", arguments: sizes)
    func requests(size: Int) throws {
        let templates: [Template] = [
            .asking(cpus: 1000), .noOperation, .asking(memory: 1 << 20), .asking(cpus: 1000),
        ]
        let submission = Submission(templates: templates, entries: (0..<4).map { Entry.op(template: $0) }).checked
        var atOnce = Self.cluster(operationsPerTurn: 100)
        atOnce.request { .submit(submission, ends: [:], request: $0) }
        var cluster = Self.cluster(operationsPerTurn: 100)
        let given = try cluster.reserveJob()
        cluster.apply(.arrivalContinued(submission, as: given, entries: size))
        cluster.apply(.arrivalEnded(given))
        #expect(cluster.scheduler.graph.requests.isEmpty)
        let job = try cluster.reserveJob()
        for _ in 0..<3 { cluster.apply(.arrivalContinued(submission, as: job, entries: size)) }
        cluster.request { .submit(submission, ends: [:], reserved: job, request: $0) }
        let place = try #require(cluster.scheduler.graph.job(job))
        let other = try #require(atOnce.scheduler.graph.job(JobNumber(1)))
        let requirements = cluster.scheduler.graph[place].requirements
        #expect(requirements.count == 4 && requirements == atOnce.scheduler.graph[other].requirements)
        cluster.cancel(.job(job))
        #expect(cluster.scheduler.graph.requests.isEmpty)
    }

    @Test("The durations of attempts take memory once one has ended, also of templates that are added later")
    func durations() throws {
        var cluster = Self.cluster(operationsPerTurn: 100)
        cluster.join("w1")
        var submission = Submission(templates: [.noOperation, .noOperation], entries: [.op(), .op(template: 1)])
        submission.isOpen = true
        cluster.request { [submission] in .submit(submission.checked, ends: [:], request: $0) }
        let place = try #require(cluster.scheduler.graph.job(JobNumber(1)))
        #expect(cluster.scheduler.graph[place].meanDurations.isEmpty)
        cluster.finish(JobNumber(1) / 0, after: .seconds(8))
        #expect(cluster.scheduler.graph[place].meanDurations == [8_000_000, nil])
        let addition = try ValidatedSubmission(addition: Submission(templates: [.noOperation], entries: [.op()]))
        cluster.request { .add(addition, to: JobNumber(1), ends: [:], request: $0) }
        #expect(cluster.scheduler.graph[place].meanDurations.count == 2)
        cluster.finish(JobNumber(1) / 1, after: .seconds(1))
        cluster.finish(JobNumber(1) / 2, after: .seconds(2))
        #expect(cluster.scheduler.graph[place].meanDurations == [8_000_000, 1_000_000, 2_000_000])
    }

    @Test("A job with entries that change more than themselves comes as a whole")
    func excluded() throws {
        var barrier = Entry.op()
        barrier.isBarrier = true
        var cancelled = Entry.op()
        cancelled.isCancelled = true
        var cluster = Self.cluster(operationsPerTurn: 100)
        for entry in [barrier, cancelled, .op(delay: .seconds(1)), .op(on: .after(1), .after(1))] {
            let submission = Submission(templates: [.noOperation], entries: [entry, .op()]).checked
            let job = try cluster.reserveJob()
            cluster.apply(.arrivalContinued(submission, as: job, entries: 1))
            #expect(!cluster.scheduler.isArriving(job))
            cluster.request { .submit(submission, ends: [:], reserved: job, request: $0) }
            #expect(cluster.record.jobs[job] != nil)
        }
    }

    @Test("A queue of a job that is arriving is not deleted")
    func queue() throws {
        var cluster = Self.cluster(operationsPerTurn: 100)
        let job = try cluster.reserveJob()
        cluster.apply(.arrivalContinued(Self.submission, as: job, entries: 1))
        let request = cluster.request { .deleteQueue("other", request: $0) }
        guard case .refused(let refusal)? = cluster.answers[request] else {
            Issue.record("\(cluster.answers)")
            return
        }
        #expect(refusal.message.contains("is being submitted"))
        cluster.apply(.arrivalEnded(job))
        let again = cluster.request { .deleteQueue("other", request: $0) }
        #expect(cluster.report(again) == ChangeReport(changed: 1))
    }
}

extension Cluster {
    /// Takes the next job's number.
    fileprivate mutating func reserveJob() throws -> JobNumber {
        let job = scheduler.reserveJob()
        return try #require(job)
    }
}
