@_spi(Baton) import BatonCoordinator
import Foundation
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@Suite("The coordinator's server", .timeLimit(.minutes(60)))
struct CoordinatorServerTests {
    private let job = JobNumber(1)

    private func id(_ index: UInt32) -> OperationID { OperationID(job: job, index: index) }

    private func dispatch(_ message: CoordinatorMessage?) throws -> [Assignment] {
        guard case .dispatch(let batch)? = message else { throw Unexpected(answer: "\(String(describing: message))") }
        return batch.items.map(\.assignment)
    }

    private func acknowledged(_ message: CoordinatorMessage?) throws -> [AttemptToken] {
        guard case .acknowledge(let tokens)? = message else {
            throw Unexpected(answer: "\(String(describing: message))")
        }
        return tokens
    }

    private func progress(_ reply: Reply) throws -> WaitProgress {
        guard case .progress(let progress) = reply else { throw Unexpected(answer: "\(reply)") }
        return progress
    }

    private func completion(
        _ assignment: Assignment,
        _ end: AttemptEnd = .exited(0),
        result: [UInt8]? = nil
    ) -> Completion {
        Completion(
            token: assignment.token,
            operation: assignment.operation,
            result: AttemptResult(end: end, result: result)
        )
    }

    @Test(
        "A submitted operation is dispatched, acknowledged and followed by its dependent, and a wait returns the counts"
    )
    func flow() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7).session
        #expect(try client.ask(.submit(.noOperations([[], [0]]))) == .job(job, operations: 2, isNew: true))

        let first = try dispatch(worker.receiveAsWorker())
        #expect(first.map(\.operation) == [id(0)])
        let early = try progress(client.ask(.wait([.job(job)], queue: nil, atMost: .zero, waiter: nil)))
        #expect(!early.isFinished)
        // The operation is executing as soon as its worker reports the start, and not before.
        #expect(early.counts.ready == 1)
        #expect(early.counts.pending == 1)
        let started = AttemptReport(started: [AttemptStart(first[0].token)])
        try worker.send(WorkerMessage.report(session, started).encoded())

        try worker.send(WorkerMessage.report(session, AttemptReport(completions: [completion(first[0])])).encoded())
        // The dependent does not wait for the disk; the acknowledgement does.
        let second = try dispatch(worker.receiveAsWorker())
        #expect(second.map(\.operation) == [id(1)])
        #expect(try acknowledged(worker.receiveAsWorker()) == [first[0].token])

        try worker.send(
            WorkerMessage.report(session, AttemptReport(completions: [completion(second[0], .exited(3))])).encoded()
        )
        #expect(try acknowledged(worker.receiveAsWorker()) == [second[0].token])
        let end = try progress(
            client.ask(.wait([.job(job), .operation(id(1))], queue: nil, atMost: .seconds(3600), waiter: nil))
        )
        #expect(end.isFinished)
        #expect(end.counts.succeeded == 1)
        #expect(end.counts.failed == 1, "an operation that is named twice counts once")
        try harness.stop()
    }

    @Test("WA1 A wait is answered when its job finishes, and not before")
    func waitIsReleased() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let waiter = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7).session
        _ = try client.ask(.submit(.noOperations([[]])))
        let items = try dispatch(worker.receiveAsWorker())
        let wait = Request.wait([.job(job)], queue: nil, atMost: .seconds(60), waiter: nil)
        var number = try waiter.begin(wait)
        while let bytes = try waiter.receive(within: .milliseconds(100)) {
            // The time of the wait has passed.
            guard case .reply(number, let reply) = try bytes.withUnsafeBytes({ try ClientReply(decoding: $0) }) else {
                throw Unexpected(answer: "\(bytes)")
            }
            try #require(try !progress(reply).isFinished && waiter.mayHaveEnded(number))
            number = try waiter.begin(wait)
        }
        try worker.send(WorkerMessage.report(session, AttemptReport(completions: [completion(items[0])])).encoded())
        #expect(try progress(waiter.answer(to: number, repeating: wait)).isFinished)
        try harness.stop()
    }

    @Test("D6 A restarted coordinator adopts running attempts, acknowledges their ends and dispatches the dependent")
    func restart() throws {
        let first = try Harness()
        defer { first.remove() }
        let client = try Peer(first.server.endpoint)
        let worker = try Peer(first.server.endpoint)
        _ = try worker.join("w1", session: 7, slots: 2)
        _ = try client.ask(.submit(.noOperations([[], [], [0, 1]])))
        var items = try dispatch(worker.receiveAsWorker())
        while items.count < 2 { items += try dispatch(worker.receiveAsWorker()) }
        try first.stop()

        let second = try Harness(directory: first.directory)
        let again = try Peer(second.server.endpoint)
        let held = items.map {
            ClaimedAttempt(token: $0.token, operation: $0.operation, attempt: $0.attempt, phase: .running)
        }
        let welcome = try again.join("w1", session: 8, slots: 2, holding: held)
        #expect(welcome.staleAttempts.isEmpty)
        #expect(welcome.epoch == 2)
        let completions = items.map { completion($0) }
        try again.send(WorkerMessage.report(welcome.session, AttemptReport(completions: completions)).encoded())
        // The only worker is back, so the reconcile window is over. The two messages may come in either order.
        var last: [Assignment] = []
        var tokensAcknowledged: Set<AttemptToken> = []
        while last.isEmpty || tokensAcknowledged.count < items.count {
            let message = try again.receiveAsWorker()
            if case .acknowledge(let tokens) = message {
                tokensAcknowledged.formUnion(tokens)
            } else {
                last += try dispatch(message)
            }
        }
        #expect(last.map(\.operation) == [id(2)])
        #expect(last.map(\.attempt) == [1])
        #expect(tokensAcknowledged == Set(items.map(\.token)))
        try second.stop()
    }

    @Test("A dependent's worker fetches the results that its dependencies left, and a client reads each of them")
    func inputs() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7, slots: 2).session
        _ = try client.ask(.submit(.noOperations([[], [], [0, 1]])))
        var items = try dispatch(worker.receiveAsWorker())
        while items.count < 2 { items += try dispatch(worker.receiveAsWorker()) }
        let completions = [completion(items[0], result: [1, 2, 3]), completion(items[1])]
        try worker.send(WorkerMessage.report(session, AttemptReport(completions: completions)).encoded())
        let last = try dispatch(worker.receiveAsWorker())
        #expect(last[0].hasInputs)
        _ = try acknowledged(worker.receiveAsWorker())
        try worker.send(WorkerMessage.fetchInputs(session, last[0].token, last[0].operation).encoded())
        #expect(
            try worker.receiveAsWorker() == .inputs(last[0].token, [Input(name: "0", bytes: [1, 2, 3])], isLast: true)
        )
        #expect(try client.ask(.result(.operation(id(0)))) == .result([1, 2, 3]))
        #expect(try client.ask(.result(.operation(id(1)))) == .result(nil))
        guard case .refused(let refusal) = try client.ask(.result(.operation(id(2)))) else {
            throw Unexpected(answer: "")
        }
        #expect(refusal.code == .unavailable)
        try harness.stop()
    }

    @Test(
        "DE20 A Swift operation's worker fetches all dependencies, with absences, types and outcomes, and reports progress"
    )
    func typedInputs() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7, slots: 1, types: ["a", "b"]).session
        let submission = Submission(
            templates: [
                Template(work: Work(.typed(type: "a", argument: [1]))),
                Template(work: Work(.typed(type: "b", argument: []))),
                Template(work: Work(.noOperation)),
            ],
            entries: [
                Entry(name: "first", template: 0), Entry(template: 2, isCancelled: true),
                Entry(
                    template: 1,
                    dependencies: [Dependency(on: .entry(1)), Dependency(on: .entry(0)), Dependency(on: .entry(1))]
                ),
            ]
        )
        _ = try client.ask(.submit(submission))
        let first = try dispatch(worker.receiveAsWorker())
        #expect(!first[0].hasInputs)
        let completions = [completion(first[0], result: [1, 2, 3])]
        try worker.send(WorkerMessage.report(session, AttemptReport(completions: completions)).encoded())
        // The dispatch waits for the disk, as one of the dependencies has not run (D3).
        _ = try acknowledged(worker.receiveAsWorker())
        let last = try dispatch(worker.receiveAsWorker())
        #expect(last[0].hasInputs)
        try worker.send(WorkerMessage.fetchTypedInputs(session, last[0].token, last[0].operation).encoded())
        let inputs = [
            TypedInput(operation: id(1), outcome: .cancelled),
            TypedInput(operation: id(0), name: "first", type: "a", outcome: .succeeded, result: [1, 2, 3]),
        ]
        #expect(try worker.receiveAsWorker() == .typedInputs(last[0].token, first: 0, inputs, isLast: true))

        let report = AttemptReport(started: [AttemptStart(last[0].token)])
        try worker.send(WorkerMessage.report(session, report).encoded())
        let progress = [AttemptProgress(last[0].token, OperationProgress(fraction: 0.5, message: "half"))]
        try worker.send(WorkerMessage.progress(session, progress).encoded())
        let selection = EventSelection(operations: [id(2)])
        var since: UInt64 = 0
        while true {
            let reply = try client.ask(.watch(since: since, limit: 1, atMost: .seconds(50), of: selection))
            guard case .events(let page) = reply else { throw Unexpected(answer: "\(reply)") }
            if String(decoding: page.lines, as: UTF8.self).contains(#""progress":0.5,"message":"half""#) { break }
            since = page.last
        }
        try harness.stop()
    }

    @Test("DE20 Many and large inputs come in pieces that follow one another")
    func typedPieces() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7, slots: 3, types: ["a"]).session
        var submission = Submission.noOperations([[], [], []])
        submission.entries.append(Entry(isCancelled: true, array: .numbers(first: 0, step: 1, count: 20_000)))
        submission.templates.append(Template(work: Work(.typed(type: "a", argument: []))))
        submission.entries.append(
            Entry(template: 1, dependencies: (0..<4).map { Dependency(on: .entry($0), condition: .any) })
        )
        _ = try client.ask(.submit(submission))
        var items: [Assignment] = []
        while items.count < 3 { items += try dispatch(worker.receiveAsWorker()) }
        let large = [UInt8](repeating: 7, count: AttemptResult.maximumResultLength)
        let completions = items.map { completion($0, result: large) }
        try worker.send(WorkerMessage.report(session, AttemptReport(completions: completions)).encoded())
        var last: [Assignment] = []
        while last.isEmpty {
            let message = try worker.receiveAsWorker()
            if case .dispatch? = message { last = try dispatch(message) }
        }
        try worker.send(WorkerMessage.fetchTypedInputs(session, last[0].token, last[0].operation).encoded())
        var inputs: [TypedInput] = []
        var pieces = 0
        while true {
            guard case .typedInputs(_, let first, let piece, let isLast)? = try worker.receiveAsWorker() else {
                continue
            }
            #expect(first == inputs.count)
            inputs += piece
            pieces += 1
            if isLast { break }
        }
        #expect(pieces >= 5)
        #expect(inputs.map(\.operation.index) == Array(0..<20_003))
        #expect(inputs.prefix(3).allSatisfy { $0.result == large && $0.outcome == .succeeded })
        #expect(inputs.dropFirst(3).allSatisfy { $0.result == nil && $0.outcome == .cancelled })
        try harness.stop()
    }

    @Test("A submission with a used key returns the same job, also once it is finished and after a restart")
    func keys() throws {
        let first = try Harness()
        defer { first.remove() }
        var submission = Submission.noOperations([[]])
        submission.key = "nightly"
        let client = try Peer(first.server.endpoint)
        #expect(try client.ask(.submit(submission)) == .job(job, operations: 1, isNew: true))
        #expect(try client.ask(.submit(submission)) == .job(job, operations: 1, isNew: false))
        #expect(try client.ask(.cancel([.job(job)], queue: nil)) == .changed(ChangeReport(changed: 1)))
        try first.stop()
        let second = try Harness(directory: first.directory)
        let again = try Peer(second.server.endpoint)
        #expect(try again.ask(.submit(submission)) == .job(job, operations: 1, isNew: false))
        submission.key = "daily"
        #expect(try again.ask(.submit(submission)) == .job(JobNumber(2), operations: 1, isNew: true))
        try second.stop()
    }

    @Test("A dependency on a finished operation or job is resolved from the record, on an unknown address refused")
    func dependencyOnFinishedJob() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        var submission = Submission.noOperations([[]])
        submission.entries[0].name = "base"
        _ = try client.ask(.submit(submission))
        #expect(try client.ask(.cancel([.named(job, "base")], queue: nil)) == .changed(ChangeReport(changed: 1)))

        func dependent(on address: Address, _ condition: DependencyCondition) -> Submission {
            var submission = Submission.noOperations([[]])
            submission.entries[0].dependencies = [Dependency(on: .existing(address), condition: condition)]
            return submission
        }
        _ = try client.ask(.submit(dependent(on: .named(job, "base"), .any)))
        _ = try client.ask(.submit(dependent(on: .operation(id(0)), .success)))
        _ = try client.ask(.submit(dependent(on: .job(job), .success)))
        func counts(_ number: UInt32) throws -> JobCounts {
            try progress(client.ask(.wait([.job(JobNumber(number))], queue: nil, atMost: .zero, waiter: nil))).counts
        }
        #expect(try counts(2).ready == 1)
        #expect(try counts(3).skipped == 1)
        #expect(try counts(4).skipped == 1)
        for address in [Address.job(JobNumber(9)), .operation(id(7)), .named(job, "nobody")] {
            guard case .refused(let refusal) = try client.ask(.submit(dependent(on: address, .any))) else {
                throw Unexpected(answer: "\(address)")
            }
            #expect(refusal.code == .unknownDependency)
            #expect(refusal.message.contains(address.description))
        }
        try harness.stop()
    }

    @Test("A request about a job, an operation or a queue that does not exist is refused as not found")
    func notFound() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let address = Address.named(JobNumber(3), "nobody")
        let requests: [Request] = [
            .wait([address], queue: nil, atMost: .seconds(9), waiter: nil),
            .wait([], queue: "nobody", atMost: .seconds(9), waiter: nil),
            .cancel([.job(JobNumber(3))], queue: nil), .cancel([], queue: "nobody"), .result(address),
            .log(address, attempt: nil, .standardOutput, offset: 0, limit: 10), .document(.explain(address)),
            .document(.operation(address)), .document(.job(JobNumber(3), from: 0, limit: 1)),
            .document(.queue("nobody")), .outputs(OutputSelection(job: JobNumber(3), operations: [0..<1])),
            .history(HistorySelection(job: JobNumber(3))),
        ]
        for request in requests {
            guard case .refused(let refusal) = try client.ask(request) else { throw Unexpected(answer: "\(request)") }
            #expect(refusal.code == .notFound, "\(request)")
        }
        try harness.stop()
    }
}
