@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Holds and changes of priority", .timeLimit(.minutes(60)))
struct HoldTests {
    private static func cluster(ahead: Int = 3) -> Cluster {
        Cluster(Configuration(sendAhead: .atMost(ahead)))
    }

    @Test("DE21 A held operation waits for its release, takes no slot and counts as in its queue")
    func heldFromTheStart() {
        var cluster = Cluster()
        cluster.setQueue("default", limit: .atMost(1))
        cluster.join("w1")
        var held = Entry.op(on: .after(1))
        held.isHeld = true
        let job = cluster.submit(held, .op(), .op())
        cluster.finish(job / 1)
        #expect(cluster.order == ["1/1", "1/2"])
        #expect(cluster.state(job / 0) == .pending)
        #expect(cluster.scheduler.queue("default")?.counts.unfinished == 2)
        #expect(cluster.release(.operation(job / 0)) == ChangeReport(changed: 1))
        #expect(cluster.state(job / 0) == .ready)
        cluster.finish(job / 2)
        #expect(cluster.order == ["1/1", "1/2", "1/0"])
    }

    @Test("DE21 Waiting operations can be held and released, and holding twice is holding once")
    func holding() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .op(on: .after(0)), .array(5), .op(delay: .seconds(5)))
        #expect(
            cluster.hold(.operation(job / 0), .operation(job / 1), .operations(job, 3..<5)) == ChangeReport(changed: 4)
        )
        #expect([0, 1, 3, 4].allSatisfy { cluster.scheduler.record(of: job / $0)?.isHeld == true })
        #expect(cluster.hold(.operation(job / 0)) == ChangeReport(changed: 0))
        cluster.hold(.operation(job / 7))
        cluster.join("w1", slots: 9)
        cluster.pass(.seconds(9))
        #expect(cluster.order == ["1/2", "1/5", "1/6"])
        #expect(cluster.release(.job(job)) == ChangeReport(changed: 5))
        cluster.finishAll()
        #expect(Set(cluster.order.suffix(5)) == ["1/0", "1/3", "1/4", "1/7", "1/1"])
        #expect(
            cluster.record.events.history(job / 0) == [
                "ready", "held", "pending", "released", "ready", "executing", "succeeded",
            ]
        )
    }

    @Test("DE21 A released operation still waits for its delay")
    func otherConditions() {
        var cluster = Cluster()
        cluster.join("w1", slots: 4)
        let job = cluster.submit(.op(), .op(delay: .seconds(10), on: .after(0)))
        cluster.hold(.operation(job / 1))
        cluster.finish(job / 0)
        #expect(cluster.scheduler.impediments(of: job / 1)?.count == 2)
        cluster.release(.operation(job / 1))
        #expect(cluster.state(job / 1) == .pending)
        cluster.pass(.seconds(10))
        #expect(cluster.state(job / 1) == .executing)
    }

    @Test("DE21 Holding an executing or finished operation or releasing an unheld one has no effect, as the reply says")
    func noEffect() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(), .op())
        cluster.finish(job / 0)
        let changes = cluster.record.changes.count
        #expect(
            cluster.hold(.operation(job / 0), .operation(job / 1))
                == ChangeReport(
                    changed: 0,
                    notes: [
                        "1/1 is executing; holding it has no effect.", "1/0 is finished; holding it has no effect.",
                    ]
                )
        )
        #expect(
            cluster.release(.operation(job / 2))
                == ChangeReport(changed: 0, notes: ["1/2 is not held; releasing it has no effect."])
        )
        #expect(
            cluster.release(.operation(job / 0))
                == ChangeReport(changed: 0, notes: ["1/0 is finished; releasing it has no effect."])
        )
        #expect(cluster.record.changes.count == changes)
    }

    @Test("DE21 A prefetched operation is recalled before it is held, and does not start after the reply")
    func takenBack() {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), .op(), .op())
        #expect(cluster.sent.count == 3)
        cluster.delayMessages(to: session)
        let request = cluster.request { .hold([.operation(job / 1)], request: $0) }
        #expect(cluster.answers[request] == nil)
        #expect(cluster.scheduler.record(of: job / 1)?.isHeld == false)
        cluster.deliverMessages(to: session)
        #expect(cluster.report(request) == ChangeReport(changed: 1))
        #expect(cluster.state(job / 1) == .pending)
        cluster.finish(job / 0)
        cluster.finish(job / 2)
        #expect(cluster.order == ["1/0", "1/2"])
        cluster.release(.operation(job / 1))
        #expect(cluster.order == ["1/0", "1/2", "1/1"])
        #expect(cluster.running[job / 1]?.attempt == 1)
    }

    @Test("DE21 A prefetched operation that starts before its recall is not held, and the reply says so")
    func startedMeanwhile() {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), .op())
        cluster.delayMessages(to: session)
        let request = cluster.request { .hold([.operation(job / 1)], request: $0) }
        cluster.finish(job / 0)
        #expect(
            cluster.report(request)
                == ChangeReport(changed: 0, notes: ["1/1 is executing; holding it has no effect."])
        )
    }

    @Test(
        "DE21 A hold is refused and changes nothing if a worker does not answer in time, and the refusal names the worker"
    )
    func unanswered() {
        var cluster = Self.cluster()
        let session = cluster.join("mute")
        let job = cluster.submit(.op(), .op(), .op())
        cluster.delayMessages(to: session)
        // The executing operation is not the reason for the refusal.
        let request = cluster.request { .hold([.job(job)], request: $0) }
        cluster.pass(.seconds(2))
        guard case .refused(let refusal)? = cluster.answers[request] else {
            Issue.record("\(cluster.answers[request] as Any)")
            return
        }
        #expect(refusal.code == .unanswered)
        #expect(refusal.message.contains("the worker mute did not answer"))
        cluster.deliverMessages(to: session)
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/1", "1/2"])
    }

    @Test("DE21 An array whose elements flow through a worker is held as a whole, and no further element is sent")
    func flowingArray() {
        var cluster = Self.cluster(ahead: 2)
        let session = cluster.join("w1")
        let job = cluster.submit(.array(100))
        cluster.delayMessages(to: session)
        let request = cluster.request { .hold([.job(job)], request: $0) }
        cluster.finish(job / 0)
        cluster.finish(job / 1)
        // No further operations are sent, which would have to be recalled too.
        #expect(cluster.sent.count == 3)
        cluster.deliverMessages(to: session)
        #expect(cluster.report(request)?.changed == 97)
        #expect(cluster.order == ["1/0", "1/1", "1/2"])
        #expect(cluster.workers[session]?.waiting.isEmpty == true)
        cluster.finish(job / 2)
        #expect(cluster.order.count == 3)
        cluster.release(.job(job))
        cluster.finishAll()
        #expect(cluster.order == (0..<100).map { "1/\($0)" })
    }

    @Test("DE21 A hold of an array leaves out the elements at a silent worker, names the worker and holds the rest")
    func partlyHeldArray() {
        var cluster = Self.cluster(ahead: 2)
        let mute = cluster.join("mute")
        let job = cluster.submit(.array(10), .op(on: .after(0)))
        cluster.delayMessages(to: mute)
        let request = cluster.request { .hold([.job(job)], request: $0) }
        let other = cluster.join("other")
        #expect(cluster.workers[other]?.running.isEmpty == true)
        cluster.pass(.seconds(2))
        let report = cluster.report(request)
        #expect(report?.changed == 8)
        #expect(report?.unanswered == ["mute"])
        #expect(report?.notes.count == 3)
        #expect(cluster.workers[other]?.running.isEmpty == true)
        cluster.deliverMessages(to: mute)
        // Only operations that were not held have started or may start.
        #expect(Set(cluster.order).isSubset(of: ["1/0", "1/1", "1/2"]))
        cluster.release(.job(job))
        cluster.finishAll()
        #expect(cluster.order.count == 11)
    }

    @Test("PR6 A change of priority that waits for two silent workers in turn names both in its reply")
    func silentOneAfterAnother() throws {
        var cluster = Self.cluster(ahead: 1)
        let (mute, other) = (cluster.join("mute"), cluster.join("other"))
        var last = Entry.op(at: .high)
        last.isHeld = true
        let job = cluster.submit(.array(4), last)
        let waiting = try #require(cluster.workers[mute]?.waiting.first)
        for session in [mute, other] { cluster.delayMessages(to: session) }
        let request = cluster.request {
            .setPriority([.operation(waiting.operation), .operation(job / 4)], .high, request: $0)
        }
        cluster.setPriority(.operation(job / 4), to: .low)
        cluster.release(.operation(job / 4))
        cluster.pass(.seconds(2))
        // The raised operation comes before the operations that wait at the other worker.
        #expect(cluster.answers[request] == nil)
        cluster.deliverMessages(to: mute)
        #expect(cluster.answers[request] == nil)
        cluster.pass(.seconds(2))
        #expect(cluster.report(request)?.changed == 1)
        #expect(cluster.report(request)?.unanswered == ["mute", "other"])
    }

    @Test("PR6 An operation with a new priority goes to the tail of that priority")
    func tail() {
        var cluster = Cluster()
        let job = cluster.submit(.op(at: .low), .op(), .op(), .op(at: .high), .op(at: .low))
        #expect(cluster.setPriority(.operation(job / 0), .operation(job / 3), to: .normal) == ChangeReport(changed: 2))
        #expect(cluster.scheduler.record(of: job / 0)?.priorityChange?.priority == .normal)
        // Setting the same priority again changes nothing, and keeps the place within the priority.
        #expect(cluster.setPriority(.operation(job / 1), to: .normal) == ChangeReport(changed: 0))
        cluster.submit(.op())
        cluster.join("w1")
        cluster.finishAll()
        #expect(cluster.order == ["1/1", "1/2", "1/0", "1/3", "2/0", "1/4"])
    }

    @Test("PR6 The elements of an array keep their order at a new priority, and a single element can be moved alone")
    func arrayElements() {
        var cluster = Cluster()
        let job = cluster.submit(.array(6), .op(at: .high))
        #expect(cluster.setPriority(.operation(job / 4), to: .veryHigh) == ChangeReport(changed: 1))
        #expect(cluster.setPriority(.operations(job, 0..<3), to: .high) == ChangeReport(changed: 3))
        #expect(cluster.setPriority(.operation(job / 1), to: .normal) == ChangeReport(changed: 1))
        cluster.restart()
        cluster.join("w1")
        cluster.pass(.seconds(5))
        cluster.finishAll()
        #expect(cluster.order == ["1/4", "1/6", "1/0", "1/2", "1/3", "1/5", "1/1"])
    }

    @Test(
        "PR6 A changed priority of a pending operation counts from the time of the change once the operation is ready"
    )
    func pending() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .op(on: .after(0)), .op(), .op(on: .after(0)))
        cluster.setPriority(.operation(job / 1), to: .high)
        cluster.setPriority(.operation(job / 1), to: .normal)
        cluster.join("w1")
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/2", "1/3", "1/1"])
    }

    @Test("PR7 A new priority for an executing or finished operation has no effect, and the reply says so")
    func noPriority() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op())
        cluster.finish(job / 0)
        let changes = cluster.record.changes.count
        #expect(
            cluster.setPriority(.operation(job / 0), .operation(job / 1), to: .high)
                == ChangeReport(
                    changed: 0,
                    notes: [
                        "1/1 is executing; another priority has no effect.",
                        "1/0 is finished; another priority has no effect.",
                    ]
                )
        )
        #expect(cluster.record.changes.count == changes)
    }

    @Test("PR9 A late operation of higher priority overtakes prefetched operations that have not started")
    func overtaking() {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        cluster.submit(.op(), .op(), .op(at: .low), .op())
        // The low operation stays: recalled, it could find a slot elsewhere before higher operations.
        #expect(cluster.sent.count == 3)
        cluster.delayMessages(to: session)
        let submission = Submission(templates: [.noOperation], entries: [.op(at: .high)])
        let request = cluster.request { .submit(submission.checked, ends: [:], request: $0) }
        // A client with the answer finds operations in the order of their priorities.
        #expect(cluster.answers[request] == nil)
        cluster.deliverMessages(to: session)
        #expect(cluster.answers[request] == .job(JobNumber(2), operations: 1, isNew: true))
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "2/0", "1/1", "1/3", "1/2"])
    }

    @Test("PR9 A late operation recalls only prefetched operations of lower priority from its own queue")
    func onlyLower() {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        cluster.submit(.op(), .op(at: .high), .op(), .op(at: .low, queue: 1), queues: ["a", "b"])
        let submission = Submission(queueNames: ["a"], templates: [.noOperation], entries: [.op(at: .high)])
        cluster.delayMessages(to: session)
        cluster.request { .submit(submission.checked, ends: [:], request: $0) }
        let recalled = cluster.effects.recalled
        let operations = recalled.compactMap { token in cluster.sent.first { $0.token == token }?.operation }
        #expect(operations.sorted() == [JobNumber(1) / 0, JobNumber(1) / 2])
        cluster.deliverMessages(to: session)
        cluster.finishAll()
        #expect(cluster.order.filter { $0 != "1/3" } == ["1/1", "2/0", "1/0", "1/2"])
    }

    @Test(
        "PR9 An operation with a raised priority overtakes prefetched operations of its queue",
        arguments: [true, false]
    )
    func raised(isSent: Bool) {
        var cluster = Self.cluster(ahead: 2)
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(), .op(), .op())
        #expect(cluster.setPriority(.operation(job / (isSent ? 2 : 3)), to: .veryHigh) == ChangeReport(changed: 1))
        cluster.finishAll()
        #expect(cluster.order == (isSent ? ["1/0", "1/2", "1/1", "1/3"] : ["1/0", "1/3", "1/1", "1/2"]))
    }

    @Test("PR9 A prefetched operation whose priority is lowered lets the others pass")
    func lowered() {
        var cluster = Self.cluster(ahead: 2)
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(), .op(), .op())
        #expect(cluster.setPriority(.operation(job / 1), to: .low) == ChangeReport(changed: 1))
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/2", "1/3", "1/1"])
    }

    @Test("PR9 An operation of higher priority that becomes ready or is released overtakes prefetched ones")
    func becomesReady() {
        var cluster = Self.cluster()
        cluster.join("w1")
        var held = Entry.op(at: .high)
        held.isHeld = true
        let job = cluster.submit(.op(at: .veryHigh), .op(at: .high, on: .after(0)), held, .op(), .op(), .op())
        cluster.finish(job / 0)
        cluster.release(.operation(job / 2))
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/3", "1/1", "1/2", "1/4", "1/5"])
    }

    @Test("A change to the same priority recalls no prefetched operation")
    func samePriority() {
        var cluster = Self.cluster()
        cluster.join("w1")
        let job = cluster.submit(.array(4))
        #expect(cluster.setPriority(.job(job), to: .normal)?.changed == 0)
        #expect(cluster.effects.recalled.isEmpty)
    }

    @Test("Requests that wait for the recall of one operation are carried out in the order of their arrival")
    func inOrder() {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), .op())
        cluster.delayMessages(to: session)
        let requests = [Priority.high, .low, .veryHigh].map { priority in
            cluster.request { .setPriority([.operation(job / 1)], priority, request: $0) }
        }
        cluster.deliverMessages(to: session)
        #expect(requests.map { cluster.report($0)?.changed } == [1, 1, 1])
        #expect(cluster.running[job / 1] == nil)
        #expect(cluster.scheduler.record(of: job / 1)?.priorityChange?.priority == .veryHigh)
    }

    @Test("The last of several changes of priority that time out together decides the priority", arguments: 2...8)
    func givenUpInOrder(count: Int) {
        var cluster = Self.cluster(ahead: 1)
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), .op(), .op())
        cluster.delayMessages(to: session)
        let priorities = (0..<count).map { $0.isMultiple(of: 2) ? Priority.low : .high }
        for priority in priorities {
            cluster.request { .setPriority([.operation(job / 1), .operation(job / 2)], priority, request: $0) }
        }
        cluster.pass(.seconds(2))
        #expect(cluster.scheduler.record(of: job / 2)?.priorityChange?.priority == priorities.last)
    }

    @Test("A hold does not wait for recalls that the scheduler makes for other operations")
    func notForOthers() {
        var cluster = Cluster(
            Configuration(suspectAfter: .milliseconds(100), lostAfter: .seconds(1), sendAhead: .atMost(2))
        )
        let first = cluster.join("first")
        let mute = cluster.join("mute")
        let job = cluster.submit(.op(at: .high), .op(), .op(), .op(), .op(), .op())
        cluster.delayMessages(to: first)
        cluster.delayMessages(to: mute)
        let target = cluster.workers[first]?.waiting.first?.operation ?? job / 0
        let request = cluster.request { .hold([.operation(target)], request: $0) }
        // The loss of the first worker answers the request. The lost high operation is ready again, so the scheduler
        // recalls the attempts of the other worker, without a client's request.
        cluster.pass(.seconds(1), silent: first)
        #expect(cluster.report(request)?.changed == 1)
        #expect(cluster.scheduler.record(of: target)?.isHeld == true)
    }

    @Test("A request about a waiting operation does not wait for the recall of operations of lower priority")
    func notForLowerOnes() {
        var cluster = Self.cluster()
        let session = cluster.join("w1")
        let low = cluster.submit(.op(), .op(), .op())
        cluster.delayMessages(to: session)
        let high = cluster.submit(.array(5, at: .high))
        #expect(cluster.hold(.operation(high / 1)) == ChangeReport(changed: 1))
        #expect(cluster.depend(high / 3, .after(low / 0)) == .changed(ChangeReport(changed: 1)))
    }

    @Test("A request is carried out if the loss of its last silent worker falls together with its deadline")
    func answerWithDeadline() {
        var cluster = Cluster(
            Configuration(suspectAfter: .seconds(1), lostAfter: .seconds(2), sendAhead: .atMost(2))
        )
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), .op())
        cluster.delayMessages(to: session)
        let hold = cluster.request { .hold([.operation(job / 1)], request: $0) }
        let priority = cluster.request { .setPriority([.operation(job / 1)], .high, request: $0) }
        // A coordinator that was away finds both deadlines due.
        cluster.now = cluster.now + .seconds(10)
        cluster.apply(.timePassed)
        #expect(cluster.report(hold)?.changed == 1)
        #expect(cluster.report(priority)?.changed == 1)
    }
}

extension [Effect] {
    /// The attempts that workers are asked to give back.
    var recalled: [AttemptToken] {
        flatMap { effect -> [AttemptToken] in
            if case .recallAttempts(_, let tokens) = effect { tokens } else { [] }
        }
    }
}
