@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Dependencies changed later", .timeLimit(.minutes(60)))
struct ChangedDependencyTests {
    private static func cluster(ahead: Int = 3) -> Cluster {
        Cluster(Configuration(sendAhead: .atMost(ahead)))
    }

    private static let changed = Answer.changed(ChangeReport(changed: 1))
    private static let unchanged = Answer.changed(ChangeReport(changed: 0))

    /// The path of the cycle that made a request fail.
    private static func path(_ answer: Answer?) -> [String]? {
        if case .refused(let refusal)? = answer, refusal.code == .cycle { refusal.path } else { nil }
    }

    @Test(
        "DE6 A finished dependency that is added does not block the operation, and is listed",
        arguments: [true, false]
    )
    func finished(jobIsFinished: Bool) {
        var cluster = Cluster()
        cluster.setQueue("stopped", limit: .atMost(0))
        cluster.join("w1", slots: 2)
        let first = cluster.submit(.op(), .op())
        let job = cluster.submit(.op(), queues: ["stopped"])
        cluster.finish(first / 0, result: [1])
        if jobIsFinished { cluster.finish(first / 1) }
        #expect(cluster.depend(job / 0, .needs(first / 0)) == Self.changed)
        #expect(cluster.state(job / 0) == .ready)
        #expect(cluster.record.dependencies[job / 0] == [.needs(first / 0)])
        cluster.setQueue("stopped", limit: .unlimited)
        #expect(cluster.running[job / 0]?.hasInputs == true)
    }

    /// What becomes of files before a dependency on their operation is added.
    enum Loss: CaseIterable {
        case none, inRunningJob, inFinishedJob
    }

    @Test("FI3 An operation in line that gets a dependency waits for lost files of it", arguments: Loss.allCases)
    func lostFiles(_ loss: Loss) {
        var cluster = Cluster()
        cluster.setQueue("stopped", limit: .atMost(0))
        cluster.join("w1", slots: 2, id: WorkerID(rawValue: 1))
        let first = cluster.submit(
            .op(),
            .op(delay: .seconds(60)),
            templates: [.leavingFiles],
            settings: JobSettings(keepFiles: .seconds(3600))
        )
        let job = cluster.submit(.op(), queues: ["stopped"])
        cluster.finish(first / 0, leaving: KeptFile("a.bam", 1))
        if loss == .inFinishedJob {
            cluster.pass(.seconds(60))
            cluster.finish(first / 1)
        }
        if loss != .none { cluster.expel("w1") }
        #expect(cluster.depend(job / 0, .needs(first / 0)) == Self.changed)
        switch loss {
        case .none: #expect(cluster.state(job / 0) == .ready)
        case .inRunningJob:
            #expect(cluster.state(job / 0) == .pending)
            cluster.join("w2", id: WorkerID(rawValue: 2))
            cluster.finish(first / 0, leaving: KeptFile("a.bam", 1))
            #expect(cluster.state(job / 0) == .ready && cluster.attempts(of: first / 0) == [1, 2])
        case .inFinishedJob: #expect(cluster.last(job / 0)?.reason?.code == .input)
        }
    }

    @Test("DE6 DE20 The result of a finished dependency that was added counts as an input, also after a restart")
    func inputs() {
        var cluster = Cluster()
        let first = cluster.submit(.op(), .op(delay: .seconds(1)))
        let job = cluster.submit(.op(delay: .seconds(60)))
        cluster.join("w1")
        cluster.finish(first / 0, result: [1])
        #expect(cluster.depend(job / 0, .needs(first / 0)) == Self.changed)
        #expect(cluster.state(job / 0) == .pending)
        cluster.restart()
        cluster.join("w1", slots: 2)
        cluster.pass(.seconds(100))
        #expect(cluster.running[job / 0]?.hasInputs == true)
    }

    @Test("DE9 Adding a needs on a failed operation skips the operation and its own needs dependent at once")
    func impossible() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(), .op(), .op(on: .needs(2)))
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.state(job / 2) == .ready)
        #expect(cluster.depend(job / 2, .needs(job / 0)) == Self.changed)
        #expect(cluster.outcome(job / 2) == .skipped)
        #expect(cluster.last(job / 2)?.reason?.message == "It needs 1/0, which failed.")
        #expect(cluster.outcome(job / 3) == .skipped)
    }

    @Test("DE11 Adding the same dependency again by address or name has no effect; another condition adds another one")
    func twice() {
        var cluster = Cluster()
        let job = cluster.submit(.op("a"), .op(on: .after(0)), .array(3, name: "all"))
        #expect(cluster.depend(job / 1, .after(job / 0)) == Self.unchanged)
        #expect(cluster.depend(job / 1, .on(.named(job, "a"))) == Self.unchanged)
        #expect(cluster.depend(job / 1, .on(.named(job, "all")), .on(.named(job, "all"))) == Self.changed)
        #expect(cluster.depend(job / 1, .on(.named(job, "all"))) == Self.unchanged)
        // The same target with another condition is another dependency.
        #expect(cluster.depend(job / 1, .needs(job / 0)) == Self.changed)
        #expect(cluster.record.dependencies[job / 1]?.count == 3)
        cluster.join("w1")
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/2", "1/3", "1/4", "1/1"])
    }

    @Test("DE12 Removing a dependency that is not there has no effect, and the reply says so")
    func notThere() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .op(on: .after(0)), .op())
        let changes = cluster.record.changes.count
        for target in [Address.operation(job / 2), .job(JobNumber(7)), .named(job, "x"), .operation(JobNumber(7) / 1)] {
            let report = cluster.undepend(job / 1, target)
            #expect(report?.changed == 0)
            #expect(report?.notes == ["1/1 has no such dependency; nothing was changed."])
        }
        #expect(cluster.record.changes.count == changes)
    }

    @Test("DE13 Removing the last unfinished dependency makes an operation or a single array element ready")
    func lastRemoved() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(
            .op("a"),
            .op(delay: .seconds(60)),
            .op(on: .after(0), .needs(0), .after(1)),
            .array(2, on: .after(1))
        )
        #expect(cluster.undepend(job / 2, .named(job, "a"))?.changed == 1)
        #expect(cluster.state(job / 2) == .pending)
        #expect(cluster.undepend(job / 2, .operation(job / 1))?.changed == 1)
        #expect(cluster.state(job / 2) == .executing)
        #expect(cluster.record.dependencies[job / 2] == [])
        // A single element of an array.
        #expect(cluster.undepend(job / 4, .operation(job / 1))?.changed == 1)
        cluster.finish(job / 0)
        #expect(cluster.state(job / 4) == .executing)
        #expect(cluster.state(job / 3) == .pending)
        cluster.finishAll()
        #expect(cluster.scheduler.counts.succeeded == 5)
    }

    @Test("DE13 Removing a dependency on an array or on a job makes the operation ready", arguments: [true, false])
    func wholes(isArray: Bool) {
        var cluster = Cluster()
        let first = cluster.submit(.op(delay: .seconds(60)))
        let job = cluster.submit(
            .array(3, name: "many", delay: .seconds(60)),
            .op(on: isArray ? .after(0) : .on(.job(first)))
        )
        #expect(cluster.state(job / 3) == .pending)
        #expect(cluster.undepend(job / 3, isArray ? .named(job, "many") : .job(first))?.changed == 1)
        #expect(cluster.state(job / 3) == .ready)
    }

    @Test("DE10 A finished dependency stays on the list until it is removed")
    func staysListed() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(at: .low, on: .after(0)), .op())
        cluster.finish(job / 0)
        #expect(cluster.depend(job / 1, .after(job / 2)) == Self.changed)
        #expect(cluster.record.dependencies[job / 1] == [.after(0), .after(job / 2)])
        #expect(cluster.undepend(job / 1, .operation(job / 0))?.changed == 1)
        #expect(cluster.record.dependencies[job / 1] == [.after(job / 2)])
        #expect(cluster.record.events.history(job / 1).filter { $0 == "dependencies" }.count == 2)
    }

    @Test("DE14 Adding an unfinished dependency makes a ready operation or array element pending again")
    func pendingAgain() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .op(), .array(4))
        #expect(cluster.depend(job / 0, .after(job / 1)) == Self.changed)
        #expect(cluster.depend(job / 4, .after(job / 1)) == Self.changed)
        #expect([0, 4].map { cluster.state(job / $0) } == [.pending, .pending])
        #expect([2, 3, 5].allSatisfy { cluster.state(job / $0) == .ready })
        cluster.join("w1", slots: 9)
        #expect(cluster.order == ["1/1", "1/2", "1/3", "1/5"])
        cluster.finish(job / 1)
        #expect(cluster.order.suffix(2) == ["1/0", "1/4"])
        #expect(
            cluster.record.events.history(job / 0) == ["ready", "dependencies", "pending", "ready", "executing"]
        )
    }

    @Test("DE14 A prefetched operation is recalled before a dependency is added, and does not start after the reply")
    func sentAhead() {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), .op(), .op(delay: .seconds(60)))
        cluster.delayMessages(to: session)
        let request = cluster.request(cluster.dependEvent(job / 1, [.after(job / 2)]))
        #expect(cluster.answers[request] == nil)
        #expect(cluster.record.dependencies[job / 1] == nil)
        cluster.deliverMessages(to: session)
        #expect(cluster.answers[request] == Self.changed)
        #expect(cluster.state(job / 1) == .pending)
        cluster.finish(job / 0)
        #expect(cluster.order == ["1/0"])
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/2", "1/1"])
        #expect(cluster.last(job / 1)?.attempt == 1)
    }

    @Test("DE14 DE25 What is skipped for an element that ended with its neighbours meanwhile names the element")
    func endedWithNeighbours() {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), .op())
        cluster.delayMessages(to: session)
        var held = Entry.array(3)
        held.isHeld = true
        let other = cluster.submit(held)
        let request = cluster.request(cluster.dependEvent(job / 1, [.needs(other / 1)]))
        #expect(cluster.answers[request] == nil)
        cluster.cancel(.job(other))
        cluster.deliverMessages(to: session)
        #expect(cluster.answers[request] == Self.changed)
        #expect(cluster.last(job / 1)?.skippedFor == .cancelled(other / 1))
    }

    @Test(
        "DE15 A dependency added to a prefetched operation that starts meanwhile has no effect, and the reply says so"
    )
    func startedMeanwhile() {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), .op(), .op(delay: .seconds(60)))
        cluster.delayMessages(to: session)
        let request = cluster.request(cluster.dependEvent(job / 1, [.after(job / 2)]))
        cluster.finish(job / 0)
        #expect(
            cluster.report(request)
                == ChangeReport(changed: 0, notes: ["1/1 is executing; a dependency has no effect on it."])
        )
        #expect(cluster.record.dependencies[job / 1] == nil)
    }

    @Test(
        "DE14 Adding a dependency is refused if the worker does not answer the recall, and the refusal names the worker"
    )
    func unanswered() {
        var cluster = Self.cluster()
        let session = cluster.join("mute")
        let job = cluster.submit(.op(), .op(), .op(delay: .seconds(60)))
        cluster.delayMessages(to: session)
        let request = cluster.request(cluster.dependEvent(job / 1, [.after(job / 2)]))
        cluster.pass(.seconds(2))
        guard case .refused(let refusal)? = cluster.answers[request] else {
            Issue.record("\(cluster.answers[request] as Any)")
            return
        }
        #expect(refusal.code == .unanswered)
        #expect(refusal.message.contains("mute"))
        cluster.deliverMessages(to: session)
        cluster.finish(job / 0)
        #expect(cluster.order == ["1/0", "1/1"])
    }

    @Test(
        "DE23 A dependency that finishes while the request waits for a recall counts as finished",
        arguments: [0, 1, 2]
    )
    func finishesMeanwhile(kind: Int) {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        let other = cluster.join("w2")
        let job = cluster.submit(.op(), .op(), .op(), .op())
        let target = cluster.submit(.op("late", at: .veryHigh, queue: 0), queues: ["elsewhere"])
        cluster.delayMessages(to: session)
        cluster.delayMessages(to: other)
        let waiting = cluster.workers[session]?.waiting.first?.operation ?? job / 9
        let dependency: Dependency =
            switch kind {
            case 0: .after(target / 0)
            case 1: .on(.job(target), .success)
            default: .on(.named(target, "late"), .success)
            }
        let request = cluster.request(cluster.dependEvent(waiting, [dependency]))
        #expect(cluster.answers[request] == nil)
        cluster.cancel(.job(target))
        cluster.deliverMessages(to: other)
        #expect(cluster.outcome(target / 0) == .cancelled)
        cluster.deliverMessages(to: session)
        #expect(cluster.answers[request] == Self.changed)
        #expect((cluster.outcome(waiting) == .skipped) == (kind != 0))
    }

    @Test("DE15 Adding or removing a dependency of an executing or finished operation has no effect, as the reply says")
    func noEffect() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(), .op())
        cluster.finish(job / 0)
        let changes = cluster.record.changes.count
        for (index, word) in [(0, "finished"), (1, "executing")] {
            #expect(
                cluster.depend(job / index, .after(job / 2))
                    == .changed(
                        ChangeReport(changed: 0, notes: ["1/\(index) is \(word); a dependency has no effect on it."])
                    )
            )
            #expect(
                cluster.undepend(job / index, .operation(job / 2))?.notes
                    == ["1/\(index) is \(word); its dependencies stay as they are."]
            )
        }
        #expect(cluster.record.changes.count == changes)
        #expect(cluster.state(job / 1) == .executing)
    }

    @Test(
        "DE15 A dependency added between two attempts has no effect, as the reply says, and skips nothing",
        arguments: [true, false]
    )
    func betweenAttempts(isLost: Bool) {
        var cluster = Cluster()
        let session = cluster.join("w1")
        let templates = [
            Template(work: Work(.noOperation), retries: 1, retryDelay: .seconds(100)),
            Template(work: Work(.noOperation)),
        ]
        let job = cluster.submit(.op(), templates: templates)
        let other = cluster.submit(.op(delay: .seconds(10_000)))
        if isLost { cluster.pass(.seconds(50), silent: session) } else { cluster.finish(job / 0, .exited(1)) }
        #expect(cluster.state(job / 0) == (isLost ? .ready : .pending))
        let note = "1/0 has started before; a dependency has no effect on its next attempt."
        for condition in [DependencyCondition.any, .success, .failure] {
            #expect(
                cluster.depend(job / 0, .on(.operation(other / 0), condition))
                    == .changed(ChangeReport(changed: 0, notes: [note]))
            )
        }
        #expect(cluster.record.dependencies[job / 0] == nil)
        cluster.cancel(.job(other))
        if isLost { cluster.join("w2", id: WorkerID(rawValue: 2)) } else { cluster.pass(.seconds(200)) }
        cluster.finish(job / 0)
        #expect(cluster.outcome(job / 0) == .succeeded && cluster.record.operation(job / 0)?.attempt == 2)
    }

    @Test(
        "DE16 DE18 An added dependency that closes a cycle is refused with the path, and nothing of the request is kept"
    )
    func cycles() {
        var cluster = Cluster()
        let job = cluster.submit(.op("a"), .op("b", on: .after(0)), .op("c", on: .after(1)), .op("d"))
        let changes = cluster.record.changes.count
        #expect(Self.path(cluster.depend(job / 0, .after(job / 3), .after(job / 2))) == ["1/a", "1/c", "1/b", "1/a"])
        #expect(Self.path(cluster.depend(job / 0, .after(job / 0))) == ["1/a", "1/a"])
        #expect(cluster.record.changes.count == changes)
        #expect(cluster.state(job / 0) == .ready)
        cluster.join("w1")
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/1", "1/2", "1/3"])
    }

    @Test("DE16 Dependency cycles through arrays and jobs are refused, also an element that depends on its own array")
    func cyclesThroughWholes() {
        var cluster = Cluster()
        let job = cluster.submit(.array(3, name: "many"), .op("b", on: .after(0)), .op("free"))
        let second = cluster.submit(.op("x", on: .on(.job(job))), .op("y"))
        #expect(Self.path(cluster.depend(job / 1, .after(job / 3))) == ["1/1", "1/b", "1/many", "1/1"])
        #expect(Self.path(cluster.depend(job / 1, .on(.named(job, "many")))) == ["1/1", "1/many", "1/1"])
        #expect(Self.path(cluster.depend(job / 4, .after(second / 0))) == ["1/free", "2/x", "1", "1/free"])
        #expect(Self.path(cluster.depend(job / 4, .on(.job(second)))) == ["1/free", "2", "2/x", "1", "1/free"])
        #expect(Self.path(cluster.depend(job / 4, .on(.job(job)))) == ["1/free", "1", "1/free"])
        #expect(cluster.depend(job / 4, .after(second / 1)) == Self.changed)
        // The second job waits for an operation of the first job: a cycle through both.
        #expect(Self.path(cluster.depend(second / 1, .on(.job(job)))) == ["2/y", "1", "1/free", "2/y"])
    }

    @Test("DE16 Dependency cycles through a barrier are refused with a path that names the barrier")
    func cyclesThroughBarriers() {
        var cluster = Cluster()
        var barrier = Entry.op("wall")
        barrier.isBarrier = true
        let job = cluster.submit(.op("before"), .op("early"), barrier, .op("after"))
        #expect(Self.path(cluster.depend(job / 0, .after(job / 3))) == ["1/before", "1/after", "1/wall", "1/before"])
        #expect(Self.path(cluster.depend(job / 0, .after(job / 2))) == ["1/before", "1/wall", "1/before"])
        #expect(Self.path(cluster.depend(job / 2, .after(job / 3))) == ["1/wall", "1/after", "1/wall"])
        #expect(cluster.depend(job / 3, .after(job / 0)) == Self.changed)
        #expect(cluster.depend(job / 2, .after(job / 0)) == Self.changed)
        let elsewhere = cluster.submit(.op("other", on: .after(job / 3)), queues: ["b"])
        #expect(
            Self.path(cluster.depend(job / 1, .after(elsewhere / 0)))
                == ["1/early", "2/other", "1/after", "1/wall", "1/early"]
        )
        cluster.join("w1")
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/1", "1/2", "1/3", "2/0"])
    }

    @Test("DE16 A dependency cycle through two barriers is refused, and a dependency on an executing operation is not")
    func twoBarriers() {
        var cluster = Cluster()
        let job = cluster.submit(.op("a"), .barrier("b1"), .op("c"), .barrier("b2"), .op("e"))
        #expect(
            Self.path(cluster.depend(job / 0, .after(job / 4)))?.first == "1/a"
        )
        cluster.join("w1")
        #expect(
            cluster.depend(job / 2, .after(job / 0)) == Self.changed
        )
        cluster.finishAll()
        #expect(cluster.order == (0..<5).map { "1/\($0)" })
    }

    @Test("DE16 A cancelled operation that waits for the resume of its queue closes no dependency cycle")
    func cancelledClosesNone() {
        var cluster = Cluster()
        cluster.suspend("a")
        let job = cluster.submit(.op(queue: 1), .op(on: .after(0)), queues: ["a", "b"])
        cluster.cancel(.operation(job / 1))
        #expect(cluster.depend(job / 0, .after(job / 1)) == Self.changed)
        cluster.join("w1")
        cluster.resume("a")
        #expect(cluster.state(job / 0) == .executing)
    }

    @Test("A dependency on a job, an operation or a name that does not exist is refused")
    func unknown() {
        var cluster = Cluster()
        let job = cluster.submit(.op())
        let changes = cluster.record.changes.count
        let targets: [(Address, Refusal.Code)] = [
            (.job(JobNumber(9)), .unknownDependency), (.operation(job / 7), .unknownDependency),
            (.named(job, "x"), .unknownDependency),
        ]
        for (target, code) in targets {
            guard case .refused(let refusal)? = cluster.depend(job / 0, .on(target)) else {
                Issue.record("not refused: \(target)")
                continue
            }
            #expect(refusal.code == code)
        }
        #expect(cluster.record.changes.count == changes)
    }

    @Test("D6 Changed dependencies of operations and array elements survive a restart")
    func restored() {
        var cluster = Cluster()
        let first = cluster.submit(.op(), .op(delay: .seconds(60)))
        let job = cluster.submit(.array(6, on: .on(.job(first))), .op(on: .after(0)), .array(2, name: "b"))
        #expect(cluster.undepend(job / 2, .job(first))?.changed == 1)
        #expect(cluster.depend(job / 4, .on(.named(job, "b")), .after(first / 0)) == Self.changed)
        cluster.restart()
        let states = (0..<9).map { cluster.state(job / $0) }
        #expect(states == [.pending, .pending, .ready, .pending, .pending, .pending, .pending, .ready, .ready])
        #expect(cluster.undepend(job / 4, .named(job, "b"), .job(first))?.changed == 1)
        cluster.restart()
        cluster.join("w1")
        cluster.pass(.seconds(5))
        cluster.finish(first / 0)
        #expect(cluster.state(job / 4) == .ready)
        cluster.finishAll()
        #expect(cluster.order.prefix(6) == ["1/0", "2/2", "2/4", "2/7", "2/8", "1/1"])
        #expect(cluster.order.last == "2/6")
    }
}

extension Entry {
    /// A barrier.
    static func barrier(
        _ name: String? = nil,
        at priority: Priority = .normal,
        queue: Int = 0,
        on dependencies: Dependency...
    ) -> Entry {
        Entry(name: name, queue: queue, priority: priority, isBarrier: true, dependencies: dependencies)
    }
}
