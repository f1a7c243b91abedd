@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Submissions", .timeLimit(.minutes(60)))
struct SubmissionTests {
    /// Submissions that must be refused, with the code of the refusal.
    ///
    /// Job 1 of the cluster has the array `many` and the operation `one`.
    static let refused: [(Submission, Refusal.Code)] = [
        (Submission(templates: [.noOperation], entries: []), .invalid),
        (Submission(templates: [], entries: [.op()]), .invalid),
        (Submission(queueNames: ["1"], templates: [.noOperation], entries: [.op()]), .invalid),
        (Submission(queueNames: ["new"], templates: [.noOperation], entries: [.op("a"), .op("a")]), .duplicateName),
        (
            Submission(queueNames: ["new"], templates: [.noOperation], entries: [.op(), .op(on: .after(7))]),
            .unknownDependency
        ),
        (
            Submission(
                queueChanges: [QueueChange(name: "new", maxConcurrent: .atMost(1))],
                templates: [.noOperation],
                entries: [.op(on: .on(.job(JobNumber(77))))]
            ), .unknownDependency
        ),
        (Submission(templates: [.noOperation], entries: [.op(on: .after(JobNumber(1) / 4))]), .unknownDependency),
        (Submission(templates: [.noOperation], entries: [.op(on: .on(.job(JobNumber(2))))]), .unknownDependency),
        (
            Submission(templates: [.noOperation], entries: [.op(on: .on(.named(JobNumber(1), "none")))]),
            .unknownDependency
        ),
        (Submission(templates: [.noOperation], entries: [.op("a", on: .after(1)), .op("b", on: .after(0))]), .cycle),
        (
            Submission(
                queueChanges: [QueueChange(name: "new"), QueueChange(name: "default", maxConcurrent: .atMost(-5))],
                templates: [.noOperation],
                entries: [.op()]
            ), .invalid
        ),
    ]

    @Test("QU4 A refused submission leaves the scheduler and the record as they were", arguments: refused.indices)
    func refusals(index: Int) {
        var cluster = Cluster()
        cluster.join("w1")
        cluster.submit(.array(3, name: "many"), .op("one"))
        let before = Self.dump(cluster.scheduler)
        let changes = cluster.record.changes.count
        let (submission, code) = Self.refused[index]
        guard case .refused(let refusal)? = cluster.answer(to: submission) else {
            Issue.record("not refused: \(cluster.effects)")
            return
        }
        #expect(refusal.code == code)
        #expect(refusal.message.hasSuffix(".") || refusal.message.hasSuffix(")."))
        #expect(cluster.effects.count <= 1, "nothing but the answer")
        #expect(cluster.record.changes.count == changes)
        #expect(Self.dump(cluster.scheduler) == before)
    }

    /// The complete state as text.
    private static func dump(_ scheduler: Scheduler) -> String {
        var text = ""
        Swift.dump(scheduler, to: &text)
        return text
    }

    @Test("A submission that is repeated with its key gives the same job and adds nothing while the job is unfinished")
    func keys() {
        var cluster = Cluster()
        let submission = Submission(key: "k", templates: [.noOperation], entries: [.op(), .array(4)])
        #expect(cluster.answer(to: submission) == .job(JobNumber(1), operations: 5, isNew: true))
        let changes = cluster.record.changes.count
        #expect(cluster.answer(to: submission) == .job(JobNumber(1), operations: 5, isNew: false))
        #expect(cluster.record.changes.count == changes)
        #expect(cluster.scheduler.job(withKey: "k") == JobNumber(1))
        cluster.restart()
        #expect(cluster.answer(to: submission) == .job(JobNumber(1), operations: 5, isNew: false))
        cluster.cancel(.job(JobNumber(1)))
        // From now on the record looks up the key.
        #expect(cluster.scheduler.job(withKey: "k") == nil)
        #expect(cluster.scheduler.graph.keys.count == 0)
    }

    @Test("A submission creates the queues that it uses, with the settings that it brings")
    func queues() {
        var cluster = Cluster()
        let submission = Submission(
            queueChanges: [QueueChange(name: "images", maxConcurrent: .atMost(1), qualityOfService: .utility)],
            queueNames: ["images", "other"],
            templates: [.noOperation],
            entries: [.op(), .op(), .op(queue: 1)]
        )
        _ = cluster.answer(to: submission)
        cluster.join("w1", slots: 4)
        #expect(cluster.order == ["1/0", "1/2"] || cluster.order == ["1/2", "1/0"])
        #expect(
            cluster.record.queues["images"]?.settings == QueueSettings(maxConcurrent: 1, qualityOfService: .utility)
        )
        #expect(cluster.record.queues["other"]?.settings == QueueSettings())
        #expect(cluster.scheduler.allQueues.map(\.name) == ["images", "other"])
    }

    @Test("The recorded job has its time of submission, and addresses instead of names of operations")
    func record() {
        var cluster = Cluster()
        let first = cluster.submit(.op("a"))
        cluster.submit(.op(on: .on(.named(first, "a"), .success)))
        let job = cluster.record.jobs[JobNumber(2)]
        #expect(job?.submission.entries[0].dependencies == [.needs(first / 0)])
        #expect(job?.submittedAt == cluster.now)
    }

    @Test("The scheduler refuses a submission once all job numbers are used up")
    func numbers() {
        var cluster = Cluster()
        cluster.scheduler = Scheduler(
            epoch: 2,
            nextJob: JobNumber(.max - 1),
            queues: [:],
            jobs: [],
            ends: [:],
            finished: JobCounts(),
            at: cluster.now
        )
        let submission = Submission(templates: [.noOperation], entries: [.op()])
        #expect(cluster.answer(to: submission) == .job(JobNumber(.max - 1), operations: 1, isNew: true))
        guard case .refused? = cluster.answer(to: submission) else {
            Issue.record("not refused")
            return
        }
    }

    @Test(
        "D1 No operation of a job is sent before the job is on disk, and operations of recorded jobs go on"
    )
    func dispatchAfterCommit() {
        var cluster = Cluster()
        cluster.join("w1", slots: 3)
        let earlier = cluster.submit(.op(), .op(on: .after(0)))
        cluster.isDiskSlow = true
        let job = cluster.submit(.op(), .op())
        #expect(cluster.order == ["\(earlier / 0)"])
        cluster.cancel(.operation(job / 1))
        cluster.commit()
        #expect(cluster.order == ["\(earlier / 0)", "\(job / 0)"])
        #expect(cluster.outcome(job / 1) == .cancelled)
    }
}
