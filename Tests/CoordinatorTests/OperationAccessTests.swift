import Testing
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

@Suite("What running operations may do", .timeLimit(.minutes(60)))
struct OperationAccessTests {
    private func address(_ job: UInt32, _ index: UInt32 = 0) -> Address {
        .operation(OperationID(job: JobNumber(job), index: index))
    }

    /// A coordinator with one worker, on which operation 1/0 of the queue `q` is executing, and its connection.
    private struct Scene {
        let coordinator: KeyedCoordinator
        let client: Peer
        let worker: KeyedWorker
        let assignment: Assignment
        let operation: Peer

        init(_ first: Submission = .inQueue("q", count: 2), slots: UInt32 = 1) throws {
            coordinator = try KeyedCoordinator()
            client = try coordinator.connect(as: .client)
            worker = try KeyedWorker(coordinator, slots: slots)
            _ = try client.ask(.submit(first))
            assignment = try worker.start()
            operation = try coordinator.connect(worker.token(of: assignment))
        }
    }

    @Test("An operation submits, reads, waits, and reports its own progress")
    func acts() throws {
        let scene = try Scene()
        let id = scene.assignment.operation
        let requests: [Request] = [
            .document(.status), .document(.operation(address(1))),
            .wait([address(1, 1)], queue: nil, atMost: .zero, waiter: id),
            .watch(since: nil, limit: 1, atMost: .zero), .result(address(1)),
            .log(address(1), attempt: nil, .standardOutput, offset: 0, limit: 1),
            .outputs(OutputSelection(job: JobNumber(2), operations: [0..<1])),
            .history(HistorySelection(job: JobNumber(2))),
            .submit(.inQueue("elsewhere", count: 1)), .retry(JobNumber(1), key: "k"),
        ]
        for request in requests { #expect(!scene.operation.isNotAllowed(request), "\(request)") }
        let progress = Request.reportProgress(id, attempt: 1, OperationProgress(fraction: 0.5))
        // The start of the attempt travels on another connection.
        while try scene.operation.ask(progress) != .changed(ChangeReport(changed: 1)) {}
        try scene.coordinator.stop()
    }

    @Test("CA11 An operation changes its own job, and what is in its queue")
    func ownAffairs() throws {
        let scene = try Scene()
        _ = try scene.client.ask(.submit(.inQueue("q", count: 2)))
        for (target, other) in [(address(1, 1), address(1)), (address(2), address(2, 1))] {
            let requests: [Request] = [
                .hold([target]), .release([target]), .setPriority([target], .high), .addCommand(target, ["true"]),
                .pause([target]), .resume([target]), .signal([target], .window),
                .depend(target, [ExistingDependency(on: other, condition: .any)]), .undepend(target, [other]),
                .cancel([target], queue: nil),
            ]
            for request in requests { #expect(!scene.operation.isNotAllowed(request), "\(request)") }
        }
        #expect(!scene.operation.isNotAllowed(.cancel([.job(JobNumber(1))], queue: nil)))
        #expect(!scene.operation.isNotAllowed(.cancel([], queue: "q")))
        try scene.coordinator.stop()
    }

    @Test("CA11 An operation changes what any of its attempts has submitted, also after a restart, and nobody else's")
    func ownSubmissions() throws {
        let scene = try Scene(.inQueue("q", count: 1, retries: 1))
        #expect(
            try scene.client.ask(.submit(.inQueue("other", count: 1))) == .job(JobNumber(2), operations: 1, isNew: true)
        )
        #expect(
            try scene.operation.ask(.submit(.inQueue("other", count: 2)))
                == .job(JobNumber(3), operations: 2, isNew: true)
        )
        func requests(_ job: UInt32) -> [Request] {
            [
                .hold([.job(JobNumber(job))]), .release([address(job)]),
                .setPriority([.named(JobNumber(job), "o0")], .high),
                .addCommand(address(job), ["true"]), .cancel([.job(JobNumber(job))], queue: nil),
            ]
        }
        for request in requests(2) { #expect(scene.operation.isNotAllowed(request), "\(request)") }
        #expect(try scene.operation.ask(.hold([.job(JobNumber(3))])) == .changed(ChangeReport(changed: 2)))
        try scene.worker.end(scene.assignment, .exited(1))
        // The other job of the client is in front of the second attempt.
        var second = try scene.worker.start()
        if second.operation.job == JobNumber(2) {
            try scene.worker.end(second)
            second = try scene.worker.start()
        }
        #expect((second.operation, second.attempt) == (scene.assignment.operation, 2))
        try scene.coordinator.restart()
        let retried = try scene.coordinator.connect(scene.worker.token(of: second))
        for request in requests(3) { #expect(!retried.isNotAllowed(request), "\(request)") }
        try scene.coordinator.stop()
    }

    @Test("An operation sees what a client sees, and its address is in the record of what it asks for")
    func seesAndSigns() throws {
        let scene = try Scene(.inQueue("q", count: 1))
        let template = Template(work: Work(.commands([["echo", "visible"]])))
        let submission = Submission(templates: [template], entries: [Entry(name: "held", isHeld: true)])
        _ = try scene.operation.ask(.submit(submission))
        guard case .document(let bytes) = try scene.operation.ask(.document(.job(JobNumber(2), from: 0, limit: 10)))
        else { throw Unexpected(answer: "no document") }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("\"by\":\"1/0\""), "\(text)")
        guard case .document(let operation) = try scene.operation.ask(.document(.operation(address(2)))) else {
            throw Unexpected(answer: "no operation")
        }
        #expect(String(decoding: operation, as: UTF8.self).contains("visible"))
        try scene.coordinator.stop()
    }

    @Test("An operation changes nothing of another job outside of its queue, nor a job as a whole")
    func otherAffairs() throws {
        let scene = try Scene()
        _ = try scene.client.ask(.submit(.inQueue("other", count: 2)))
        _ = try scene.client.ask(.submit(.inQueue("q", count: 1)))
        let target = address(2)
        var requests: [Request] = []
        for target in [target, .named(JobNumber(2), "o1"), .job(JobNumber(2)), .job(JobNumber(3)), address(99)] {
            requests += [
                .hold([target]), .release([target]), .setPriority([target], .high), .cancel([target], queue: nil),
                .cancel([address(1), target], queue: "q"),
            ]
        }
        requests += [
            .addCommand(target, ["true"]), .depend(target, [ExistingDependency(on: address(1), condition: .any)]),
            .undepend(target, [address(2, 1)]), .cancel([], queue: "other"),
            .reportProgress(OperationID(job: JobNumber(1), index: 1), attempt: 1, OperationProgress(fraction: 1)),
        ]
        for request in requests { #expect(scene.operation.isNotAllowed(request), "\(request)") }
        let sentence =
            "Operation 1/0 may not cancel operations outside of its job, its queue and the jobs that it has submitted: 2/0."
        #expect(try scene.operation.ask(.cancel([target], queue: nil)) == .refused(Refusal(.notAllowed, sentence)))
        let whole = try scene.operation.ask(.cancel([.job(JobNumber(3))], queue: nil))
        guard case .refused(let refusal) = whole else { throw Unexpected(answer: "\(whole)") }
        #expect(refusal.message.hasSuffix(": 3. Of another job, it may name each operation in its queue q by itself."))
        // A named operation in its queue is in its queue.
        #expect(!scene.operation.isNotAllowed(.cancel([.named(JobNumber(3), "o0")], queue: nil)))
        // What is finished stays as it is, and needs no refusal.
        #expect(!scene.operation.isNotAllowed(.cancel([.job(JobNumber(3))], queue: nil)))
        try scene.coordinator.stop()
    }

    @Test("An operation changes no settings of queues, not even of its own or on the way of a submission")
    func settings() throws {
        let scene = try Scene()
        let change = QueueChange(name: "q", maxConcurrent: .atMost(1))
        var submission = Submission.inQueue("q", count: 1)
        submission.queueChanges = [change]
        let refusal = Reply.refused(Refusal(.notAllowed, "Operation 1/0 may not change queues."))
        #expect(try scene.operation.ask(.setQueue(change)) == refusal)
        #expect(try scene.operation.ask(.submit(submission)) == refusal)
        #expect(
            try scene.operation.ask(.submit(.inQueue("q", count: 1))) == .job(JobNumber(2), operations: 1, isNew: true)
        )
        try scene.coordinator.stop()
    }

    @Test("An operation's key joins no worker, even with a valid token")
    func noWorker() throws {
        let scene = try Scene()
        #expect(throws: Unexpected.self) { try scene.operation.join("w2", session: 8) }
        try scene.coordinator.stop()
    }

    @Test("A token ends with its attempt, and a retry has another one")
    func ended() throws {
        let scene = try Scene(.inQueue("q", count: 1, retries: 1))
        try scene.worker.end(scene.assignment, .exited(1))
        let refusal = Reply.refused(
            Refusal(.notAllowed, "Attempt 1 of operation 1/0 has ended; its token is no longer valid.")
        )
        #expect(try scene.operation.ask(.document(.status)) == refusal)
        #expect(try scene.operation.ask(.submit(.inQueue("q", count: 1))) == refusal)
        let second = try scene.worker.start()
        #expect(second.operation == scene.assignment.operation)
        let retried = try scene.coordinator.connect(scene.worker.token(of: second))
        #expect(!retried.isNotAllowed(.document(.status)))
        #expect(try scene.operation.ask(.document(.status)) == refusal)
        let late = try scene.coordinator.connect(scene.worker.token(of: scene.assignment))
        #expect(try late.ask(.document(.status)) == refusal)
        try scene.worker.end(second)
        #expect(retried.isNotAllowed(.document(.status)))
        try scene.coordinator.stop()
    }

    @Test("A completion hook has a token of its own, which ends with the hook's run")
    func hook() throws {
        let scene = try Scene(.inQueue("q", count: 1, onFinish: ["true"]))
        try scene.worker.end(scene.assignment)
        let run = try scene.worker.receive()
        #expect(run.isHook)
        #expect(scene.operation.isNotAllowed(.document(.status)))
        let hook = try scene.coordinator.connect(scene.worker.token(of: run))
        #expect(try hook.ask(.submit(.inQueue("q", count: 1))) == .job(JobNumber(2), operations: 1, isNew: true))
        #expect(!hook.isNotAllowed(.cancel([], queue: "q")))
        #expect(hook.isNotAllowed(.cancel([], queue: "other")))
        try scene.worker.end(run)
        #expect(hook.isNotAllowed(.document(.status)))
        try scene.coordinator.stop()
    }

    @Test("A token outlives a restart of the coordinator, before its worker is back and afterwards")
    func restart() throws {
        let scene = try Scene()
        let token = scene.worker.token(of: scene.assignment)
        try scene.coordinator.restart()
        let operation = try scene.coordinator.connect(token)
        #expect(try operation.ask(.submit(.inQueue("q", count: 1))) == .job(JobNumber(2), operations: 1, isNew: true))
        #expect(operation.isNotAllowed(.setQueue(QueueChange(name: "q", maxConcurrent: .atMost(1)))))
        let claimed = ClaimedAttempt(
            token: scene.assignment.token,
            operation: scene.assignment.operation,
            attempt: 1,
            phase: .running
        )
        let worker = try KeyedWorker(scene.coordinator, with: scene.worker.key, session: 8, holding: [claimed])
        #expect(worker.token(of: scene.assignment) == token)
        #expect(!operation.isNotAllowed(.document(.status)))
        try worker.end(scene.assignment)
        #expect(operation.isNotAllowed(.document(.status)))
        try scene.coordinator.stop()
    }
}
