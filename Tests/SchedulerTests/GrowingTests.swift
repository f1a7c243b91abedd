@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Jobs that grow", .timeLimit(.minutes(60)))
struct GrowingTests {
    /// A cluster with an open job.
    private static func cluster(slots: Int = 1, _ entries: Entry..., settings: JobSettings = JobSettings()) -> Cluster {
        var cluster = Cluster()
        cluster.join("w1", slots: slots)
        var submission = openSubmission()
        submission.entries = entries
        submission.settings = settings
        _ = cluster.answer(to: submission)
        return cluster
    }

    private static func openSubmission(_ entries: Entry...) -> Submission {
        var submission = Submission(templates: [.noOperation], entries: entries)
        submission.isOpen = true
        return submission
    }

    private static let job = JobNumber(1)

    @Test("An open job ends once it is closed, and so do its dependents, its hooks and waits for it")
    func closing() {
        let hooks = JobHooks([.finish: ["tell"]])
        var cluster = Self.cluster(.op("a"), settings: JobSettings(hooks: hooks))
        let dependent = cluster.submit(.op(on: .on(.job(Self.job), .success)))
        cluster.finish(Self.job / 0)
        #expect(cluster.scheduler.counts(of: Self.job)?.unfinished == 0)
        #expect(cluster.scheduler.isOpen(Self.job) && cluster.record.finished[Self.job] == nil)
        #expect(cluster.state(dependent / 0) == .pending && cluster.record.hooks.isEmpty)
        #expect(cluster.impediments(of: dependent / 0).contains(.openJob(Self.job)))
        let still = [StillOperation(operation: nil, impediments: [.openJob(Self.job)])]
        for selection in [.job(Self.job), .job(dependent), .operation(dependent / 0)] as [OperationSelection] {
            #expect(cluster.scheduler.standstill(of: [selection], limit: 4) == still, "\(selection)")
        }
        #expect(cluster.scheduler.newestUnfinishedJobs(limit: 2).map(\.isOpen) == [false, true])
        #expect(cluster.add(.op("b")) == .added(Self.job, first: 1, operations: 1, isNew: true))
        #expect(cluster.state(Self.job / 1) == .executing)
        #expect(cluster.close(Self.job)?.changed == 1)
        #expect(cluster.state(dependent / 0) == .pending)
        cluster.finish(Self.job / 1)
        #expect(cluster.record.finished[Self.job]?.succeeded == 2)
        #expect(cluster.state(dependent / 0) == .executing)
        #expect(cluster.record.hooks.count == 1)
        guard case .refused(let refusal)? = cluster.add(.op("c")) else {
            Issue.record("a finished job has grown")
            return
        }
        #expect(refusal.code == .invalid && refusal.message.contains("Job 1 is finished"))
    }

    @Test("A closed job that is not finished takes nothing; closing it again, or another job, changes nothing")
    func closed() {
        var cluster = Self.cluster(.op())
        let other = cluster.submit(.op())
        #expect(cluster.close(Self.job, other)?.changed == 1)
        let report = cluster.close(Self.job)
        #expect(report?.changed == 0 && report?.notes == ["Job 1 is not open; closing it has no effect."])
        for job in [Self.job, other] {
            guard case .refused(let refusal)? = cluster.add(.op(), to: job) else {
                Issue.record("job \(job) has grown")
                continue
            }
            #expect(refusal.code == .invalid)
        }
    }

    @Test("Names stay unique in the job, and dependencies reach what was there before, finished or not")
    func dependencies() {
        var cluster = Self.cluster(slots: 9, .op("a"), .array(3, name: "many"), .op("held"))
        cluster.finish(Self.job / 0)
        guard case .refused(let refusal)? = cluster.add(.op("many")) else {
            Issue.record("a name came twice")
            return
        }
        #expect(refusal.code == .duplicateName)
        let entries: [Entry] = [
            .op("b", on: .needs(Self.job / 0)), .op("c", on: .needs(0), .on(.named(Self.job, "many"))),
            .op("d", on: .after(Self.job / 2), .after(1)),
        ]
        #expect(cluster.add(entries) == .added(Self.job, first: 5, operations: 3, isNew: true))
        #expect(cluster.state(Self.job / 5) == .executing)
        #expect(cluster.state(Self.job / 6) == .pending && cluster.state(Self.job / 7) == .pending)
        for index in [5, 1, 2, 3] { cluster.finish(Self.job / index) }
        #expect(cluster.state(Self.job / 6) == .executing && cluster.state(Self.job / 7) == .pending)
        cluster.finish(Self.job / 6)
        #expect(cluster.state(Self.job / 7) == .executing)
    }

    @Test("An addition may depend on what has failed before: what needs it is skipped, what comes on its failure runs")
    func failedDependencies() {
        var cluster = Self.cluster(slots: 9, .op("a"), .array(2, name: "many"))
        for index in 0..<3 { cluster.finish(Self.job / index, .exited(index == 2 ? 0 : 1)) }
        let many = Address.named(Self.job, "many")
        cluster.add([
            .op(on: .needs(Self.job / 0)), .op(on: .on(.operation(Self.job / 0), .failure)),
            .op(on: .after(Self.job / 0)), .op(on: .on(many, .success)), .op(on: .on(many, .failure)),
            .op(on: .needs(Self.job / 2)), .op(on: .on(.operation(Self.job / 2), .failure)),
        ])
        for index in [3, 6, 9] { #expect(cluster.outcome(Self.job / index) == .skipped, "\(index)") }
        for index in [4, 5, 7, 8] { #expect(cluster.state(Self.job / index) == .executing, "\(index)") }
        cluster.close(Self.job)
        cluster.finishAll()
        #expect(cluster.record.finished[Self.job]?.outcome == .failed)
    }

    @Test("Additions keep to barriers and limits of their queues, behind what was there before")
    func queues() {
        var cluster = Self.cluster(slots: 9, .op("a"))
        let other = cluster.submit(.op())
        cluster.add([Entry(name: "b", isBarrier: true), .op("c")])
        #expect(cluster.state(Self.job / 1) != .executing && cluster.state(Self.job / 2) != .executing)
        cluster.finish(Self.job / 0)
        cluster.finish(other / 0)
        #expect(cluster.state(Self.job / 1) == .executing && cluster.state(Self.job / 2) != .executing)
        cluster.finish(Self.job / 1)
        #expect(cluster.state(Self.job / 2) == .executing)
        cluster.setQueue("q", limit: .atMost(1))
        cluster.add([.op(), .op()], queue: "q")
        #expect(cluster.state(Self.job / 3) == .executing && cluster.state(Self.job / 4) == .ready)
        cluster.finish(Self.job / 3)
        #expect(cluster.state(Self.job / 4) == .executing)
    }

    @Test("An addition that would wait for the end of its job is refused, directly, by a dependent and by a barrier")
    func cycles() {
        var cluster = Self.cluster(.op("a"))
        let dependent = cluster.submit(.op(), .op(on: .on(.job(Self.job))))
        let barrier = Submission(
            queueNames: ["q"],
            templates: [.noOperation],
            entries: [Entry(isBarrier: true, dependencies: [.on(.job(Self.job))])]
        )
        _ = cluster.answer(to: barrier)
        for (entry, queue, path) in [
            (Entry.op("b", on: .on(.job(Self.job))), "default", ["b", "1", "b"]),
            (.op("b", on: .after(dependent / 1)), "default", ["b", "2/1", "1", "b"]),
            (.op("b"), "q", ["b", "3/0", "1", "b"]),
        ] {
            guard case .refused(let refusal)? = cluster.add([entry], queue: queue) else {
                Issue.record("\(path) is no cycle")
                continue
            }
            #expect(refusal.code == .cycle && refusal.path == path, "\(refusal)")
        }
        #expect(
            cluster.add(.op("b", on: .after(dependent / 0))) == .added(Self.job, first: 1, operations: 1, isNew: true)
        )
    }

    @Test("A repeated addition is taken once, also after the closing, and another one with its key is refused")
    func keys() {
        var cluster = Self.cluster(.op(), .op())
        #expect(cluster.add([.op("a"), .op("b")], key: "k") == .added(Self.job, first: 2, operations: 2, isNew: true))
        #expect(cluster.add([.op("a"), .op("b")], key: "k") == .added(Self.job, first: 2, operations: 2, isNew: false))
        cluster.restart()
        cluster.join("w1")
        #expect(cluster.scheduler.isOpen(Self.job))
        cluster.close(Self.job)
        #expect(cluster.add([.op("a"), .op("b")], key: "k") == .added(Self.job, first: 2, operations: 2, isNew: false))
        guard case .refused(let refusal)? = cluster.add([.op("c")], key: "k") else {
            Issue.record("taken")
            return
        }
        #expect(refusal.code == .keyConflict)
    }

    @Test("D13 A key is that of one job or one addition, also after a restart", arguments: [false, true])
    func sharedKeys(isRestarted: Bool) {
        var cluster = Self.cluster(.op(), .op())
        var named = Submission(key: "job", queueNames: ["default"], templates: [.noOperation], entries: [.op(), .op()])
        named.isOpen = true
        named.keyDigest = named.digest
        let other = JobNumber(2)
        func submit(_ key: String) -> Answer? {
            var submission = Submission(
                key: key,
                queueNames: ["default"],
                templates: [.noOperation],
                entries: [.op("a")]
            )
            submission.keyDigest = submission.digest
            return cluster.answer { [submission] in .submit(submission.checked, ends: [:], request: $0) }
        }
        let taken = cluster.answer { [named] in .submit(named.checked, ends: [:], request: $0) }
        #expect(taken == .job(other, operations: 2, isNew: true))
        #expect(cluster.add([.op("a")], key: "addition") == .added(Self.job, first: 2, operations: 1, isNew: true))
        if isRestarted {
            cluster.restart()
            cluster.join("w1")
        }
        for (answer, holder) in [
            (submit("addition"), Self.job), (cluster.add([.op("a")], to: other, key: "addition"), Self.job),
            (cluster.add([.op("b")], key: "job"), other), (cluster.add([.op("b")], to: other, key: "job"), other),
        ] {
            guard case .refused(let refusal)? = answer else {
                Issue.record("\(answer as Any) for a key of job \(holder)")
                continue
            }
            #expect(refusal.code == .keyConflict && refusal.message.contains("job \(holder)"), "\(refusal)")
        }
        #expect(cluster.add([.op("a")], key: "addition") == .added(Self.job, first: 2, operations: 1, isNew: false))
    }

    @Test("A restart keeps the order of additions among other jobs, and the job stays open")
    func restart() {
        var cluster = Self.cluster(.op("a"))
        let second = cluster.submit(.op())
        cluster.add(.op("b"))
        let third = cluster.submit(.op())
        cluster.add([.op("c", at: .high), .op("d")])
        let order = [Self.job / 0, second / 0, Self.job / 1, third / 0, Self.job / 2, Self.job / 3]
        #expect(cluster.scheduler.operations(inQueue: "default", limit: 9) == order)
        cluster.restart()
        #expect(cluster.scheduler.operations(inQueue: "default", limit: 9) == order)
        #expect(cluster.scheduler.isOpen(Self.job))
        cluster.join("w1")
        cluster.close(Self.job)
        cluster.restart()
        #expect(!cluster.scheduler.isOpen(Self.job))
        #expect(cluster.scheduler.operations(inQueue: "default", limit: 9) == order)
        cluster.join("w1")
        cluster.finishAll()
        #expect(cluster.record.finished.count == 3)
    }

    @Test("Cancelling an open job cancels what is there and closes it; cancelling an operation of it does not")
    func cancel() {
        var cluster = Self.cluster(.op(), .op())
        cluster.cancel(.operation(Self.job / 1))
        #expect(cluster.scheduler.isOpen(Self.job))
        guard case .changed(let report)? = cluster.answer(to: { .cancel([.job(Self.job)], request: $0) }) else {
            Issue.record("a cancellation was refused")
            return
        }
        #expect(report.notes == ["Job 1 was open, and takes no further operations."])
        #expect(!cluster.scheduler.isOpen(Self.job))
    }

    @Test("A job that was opened without operations can be closed so, and has succeeded")
    func empty() {
        var cluster = Self.cluster()
        cluster.restart()
        cluster.join("w1")
        #expect(cluster.scheduler.isOpen(Self.job))
        #expect(cluster.close(Self.job)?.changed == 1)
        #expect(cluster.record.finished[Self.job] == JobCounts())
    }

    // A cancelled deployment whose first step was not added yet ended as succeeded, and what needed it ran.
    @Test("D10 A job that is cancelled before anything of it succeeded is cancelled, and stays so over a restart")
    func emptyCancelled() {
        var cluster = Self.cluster()
        let needing = cluster.submit(.op(on: .on(.job(Self.job), .success)), .op(on: .on(.job(Self.job), .failure)))
        let unconditional = cluster.submit(.op(on: .on(.job(Self.job))))
        cluster.cancel(.job(Self.job))
        #expect(cluster.record.finished[Self.job]?.outcome == .cancelled)
        for index in 0...1 {
            #expect(cluster.last(needing / index)?.skippedFor == .cancelled(Self.job / 0))
            #expect(cluster.last(needing / index)?.reason?.message.contains("job 1, which was cancelled") == true)
        }
        #expect(cluster.state(unconditional / 0) == .executing)
        cluster.restart()
        cluster.join("w1")
        let late = cluster.submit(.op(on: .on(.job(Self.job), .success)))
        #expect(cluster.outcome(late / 0) == .skipped)
        #expect(cluster.scheduler.violations().isEmpty, "\(cluster.scheduler.violations())")
    }

    @Test("D10 A cancelled job goes by its operations: unneeded ones leave it cancelled, a succeeded one succeeded")
    func cancelledAmongEnded() {
        var cluster = Self.cluster(slots: 2, .op())
        let other = cluster.answer(to: Self.openSubmission(.op(on: .on(.operation(Self.job / 0), .failure))))
        guard case .job(let unneeded, _, _)? = other else {
            Issue.record("\(other as Any)")
            return
        }
        cluster.finish(Self.job / 0)
        cluster.cancel(.job(Self.job), .job(unneeded))
        #expect(cluster.record.finished[Self.job]?.outcome == .succeeded)
        #expect(cluster.record.finished[unneeded]?.outcome == .cancelled)
    }

    @Test("The maximum of failures closes an open job")
    func maximumOfFailures() {
        var cluster = Self.cluster(.op(), .op(), settings: JobSettings(maxFailures: 1))
        cluster.finish(Self.job / 0, .exited(1))
        #expect(cluster.outcome(Self.job / 1) == .cancelled)
        #expect(cluster.record.finished[Self.job]?.outcome == .failed)
        guard case .refused? = cluster.add(.op()) else {
            Issue.record("a stopped job has grown")
            return
        }
    }

    @Test("Templates of all kinds can be added: types, resources, times and limits of arrays")
    func templates() {
        var cluster = Self.cluster(.op())
        var limited = Template.noOperation
        limited.maxConcurrent = 1
        let templates: [Template] = [
            .noOperation, .typed("resize"), Template(work: Work(.noOperation), expected: .seconds(9)),
            Template(work: Work(.noOperation), cpus: 1000), limited,
        ]
        for template in templates {
            let submission = Submission(
                templates: [template],
                entries: [template.maxConcurrent == nil ? .op() : .array(2)]
            )
            _ = cluster.answer { .add(submission.checked, to: Self.job, ends: [:], request: $0) }
            #expect(cluster.scheduler.violations().isEmpty, "\(cluster.scheduler.violations())")
        }
        cluster.join("w2", slots: 9, types: ["resize"])
        cluster.close(Self.job)
        #expect(cluster.scheduler.violations().isEmpty, "\(cluster.scheduler.violations())")
    }
}

extension Cluster {
    @discardableResult
    fileprivate mutating func add(_ entry: Entry, to job: JobNumber = JobNumber(1)) -> Answer? { add([entry], to: job) }

    @discardableResult
    fileprivate mutating func add(
        _ entries: [Entry],
        to job: JobNumber = JobNumber(1),
        queue: String = "default",
        key: String? = nil
    ) -> Answer? {
        var submission = Submission(key: key, queueNames: [queue], templates: [.noOperation], entries: entries)
        submission.keyDigest = key == nil ? nil : submission.digest
        var ends: [Address: DependencyEnd] = [:]
        for address in scheduler.unknownDependencies(of: submission) {
            ends[address] = record.dependencyEnd(of: address)
        }
        return answer { [ends, submission] in .add(submission.checked, to: job, ends: ends, request: $0) }
    }

    @discardableResult
    fileprivate mutating func close(_ jobs: JobNumber...) -> ChangeReport? {
        guard case .changed(let report)? = answer(to: { .close(jobs, request: $0) }) else { return nil }
        return report
    }

    /// What keeps an operation from running, with what keeps its dependencies from running.
    fileprivate func impediments(of id: OperationID) -> [Impediment] {
        (scheduler.impediments(of: id) ?? []).flatMap { impediment in
            if case .dependency(_, _, _, let reasons) = impediment { [impediment] + reasons } else { [impediment] }
        }
    }
}
