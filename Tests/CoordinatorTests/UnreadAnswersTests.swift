@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The coordinator makes answers for a client that does not read only as fast as the client reads.
@Suite("Unread answers", .timeLimit(.minutes(60)))
struct UnreadAnswersTests {
    private static let questions = 100
    private static let piece = OutputChunk(
        offset: 0,
        bytes: [UInt8](repeating: 1, count: OutputChunk.maximumLength),
        totalLength: 1 << 30,
        isComplete: false
    )

    @Test("A worker is asked for only as much output as its reader has room for, and for the rest as the client reads")
    func output() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let other = try Peer(harness.server.endpoint)
        let greedy = try Peer(harness.server.endpoint, mostUnread: 1)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7).session
        _ = try other.ask(.submit(.noOperations([[]])))
        guard case .dispatch(let batch)? = try worker.receiveAsWorker() else {
            throw Unexpected(answer: "no dispatch")
        }
        try worker.send(
            WorkerMessage.report(session, AttemptReport(started: batch.items.map { AttemptStart($0.assignment.token) }))
                .encoded()
        )
        // The worker's request is read after the report.
        guard case .document = try worker.ask(.document(.status)) else { throw Unexpected(answer: "no status") }

        let operation = Address.operation(OperationID(job: JobNumber(1), index: 0))
        let length = UInt32(OutputChunk.maximumLength)
        let numbers = try (0..<Self.questions).map { _ in
            try greedy.begin(.log(operation, attempt: nil, .standardOutput, offset: 0, limit: length))
        }
        // The first request may take long to come, and the others follow it.
        let first = try answerOne(worker, waiting: Peer.patience)
        let asked = try (first ? 1 : 0) + answerAll(worker)
        print("the worker was asked \(asked) times before anything was read")
        #expect(asked > 0 && asked < Self.questions / 2)
        guard case .document = try other.ask(.document(.status)) else { throw Unexpected(answer: "no status") }

        for number in numbers {
            var answer: Reply?
            while answer == nil {
                _ = try answerAll(worker, waiting: .milliseconds(1))
                answer = try greedy.answerNow(to: number)
            }
            #expect(answer == .output(Self.piece))
        }
        try harness.stop()
    }

    @Test("A cancel behind pages that wait for room is carried out after them")
    func order() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint, mostUnread: 1)
        let other = try Peer(harness.server.endpoint)
        // An array with long lines makes long pages.
        let lines = (0..<1000).map { "\($0)" }
        var submission = Submission.noOperations([[]])
        submission.templates[0].work = Work(.commands([["echo", String(repeating: "x", count: 100)]]))
        submission.entries[0].array = .lines(lines)
        submission.entries[0].isHeld = true
        guard case .job(let job, _, _) = try client.ask(.submit(submission)) else { throw Unexpected(answer: "no job") }
        let pages = try (0..<200).map { _ in try client.begin(.document(.job(job, from: 0, limit: 1000))) }
        let cancelled = try client.begin(.cancel([.job(job)], queue: nil))
        // All earlier requests were read, and the cancellation behind the pages was not carried out.
        guard case .document(let status) = try other.ask(.document(.status)) else {
            throw Unexpected(answer: "no status")
        }
        #expect(String(decoding: status, as: UTF8.self).contains("\"pending\":1000"))
        // The record reads the last page beside the commit of the cancellation.
        for (number, answer) in try client.answers(to: pages + [cancelled]) {
            if number == cancelled {
                guard case .changed = answer else { throw Unexpected(answer: "not cancelled") }
            } else {
                guard case .document(let bytes) = answer else { throw Unexpected(answer: "no page") }
                #expect(String(decoding: bytes.prefix(400), as: UTF8.self).contains("\"cancelled\":0"))
            }
        }
        try harness.stop()
    }

    /// Answers the requests to a worker, until none comes for a while.
    private func answerAll(_ worker: Peer, waiting: Duration = .seconds(1)) throws -> Int {
        var count = 0
        while try answerOne(worker, waiting: waiting) { count += 1 }
        return count
    }

    /// Answers the next request to a worker.
    ///
    /// - Returns: whether one has come within a time.
    private func answerOne(_ worker: Peer, waiting: Duration) throws -> Bool {
        while let message = try worker.receiveAsWorker(within: waiting) {
            guard case .readOutput(let request, _, _, _, _, _) = message else { continue }
            try worker.send(WorkerMessage.output(request: request, Self.piece).encoded())
            return true
        }
        return false
    }
}
