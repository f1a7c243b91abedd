@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonCoordinator

@Suite("Waits for queues", .timeLimit(.minutes(60)))
struct QueueWaitTests {
    @Test("WA5 A wait for a queue counts an operation whose worker reports an end before the wait began")
    func lateWords() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7).session
        let submission = Submission(
            queueNames: ["q"],
            templates: [Template(work: Work(.noOperation))],
            entries: [Entry()]
        )
        guard case .job = try client.ask(.submit(submission)) else { throw Unexpected(answer: "no job") }
        let attempt = try worker.receiveAttempt()
        let wait = try client.begin(.wait([], queue: "q", atMost: .seconds(3600), waiter: nil))
        // The answer to the next request shows the begin of the wait.
        guard case .progress = try client.ask(.wait([], queue: "q", atMost: .zero, waiter: nil)) else {
            throw Unexpected(answer: "no progress")
        }
        let completion = Completion(
            token: attempt.token,
            operation: attempt.operation,
            result: AttemptResult(end: .exited(1)),
            age: 3_600_000_000
        )
        try worker.send(WorkerMessage.report(session, AttemptReport(completions: [completion])).encoded())
        let reply = try client.answer(to: wait)
        guard case .progress(let progress) = reply else { throw Unexpected(answer: "\(reply)") }
        #expect(progress.isFinished && progress.counts.failed == 1 && progress.counts.total == 1)
        // A new wait finds no operations in the queue.
        guard case .progress(let later) = try client.ask(.wait([], queue: "q", atMost: .zero, waiter: nil)) else {
            throw Unexpected(answer: "no progress")
        }
        #expect(later.isFinished && later.counts == JobCounts())
    }

    @Test("A wait for a queue tells how many operations have finished since its beginning while others are left")
    func progress() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7, slots: 3).session
        let submission = Submission(
            queueNames: ["q"],
            templates: [Template(work: Work(.noOperation))],
            entries: [Entry(), Entry(), Entry()]
        )
        guard case .job = try client.ask(.submit(submission)) else { throw Unexpected(answer: "no job") }
        var attempts: [Assignment] = []
        while attempts.count < 3 {
            guard case .dispatch(let batch)? = try worker.receiveAsWorker() else {
                throw Unexpected(answer: "no attempt")
            }
            attempts += batch.items.map(\.assignment)
        }
        var began: RecordMoment?
        for (count, attempt) in attempts.enumerated() {
            let wait = Request.wait([], queue: "q", atMost: .zero, waiter: nil, since: began)
            guard case .progress(let progress) = try client.ask(wait) else { throw Unexpected(answer: "no progress") }
            #expect(!progress.isFinished && progress.counts.succeeded == count && progress.counts.total == 3)
            began = progress.began
            try worker.report([.success(attempt.token, attempt.operation)], of: session)
            try worker.settle(session)
        }
    }

    @Test("The counts of a wait for a deleted queue are forgotten, since a later queue of the name counts anew")
    func deleted() {
        var ends = QueueEnds()
        let start = Timestamp(rawValue: 0)
        let began = RecordMoment(clock: start, time: start)
        var ended = JobCounts()
        ended.succeeded = 5
        for queue in ["q", "r"] { ends.begin(queue, at: began, ended: ended, now: start) }
        ends.forget("q")
        #expect(ends.counts("q", since: began, ended: JobCounts(), now: start) == nil)
        #expect(ends.counts("r", since: began, ended: ended, now: start) == JobCounts())
    }

    @Test("A wait tells its client the earliest time of day that its beginning has been, after all steps of the clock")
    func earliest() {
        var ends = QueueEnds()
        let start = Timestamp(rawValue: 1_000_000_000)
        let began = RecordMoment(clock: start, time: start + .seconds(100))
        ends.begin("q", at: began, ended: JobCounts(), now: start)
        #expect(ends.moment(began, of: "q", clockOffset: .seconds(100)) == began)
        for offset in [90, 95, 1_000] { ends.noteClock(ahead: .seconds(offset)) }
        let told = ends.moment(began, of: "q", clockOffset: .seconds(1_000))
        #expect(told == RecordMoment(clock: start, time: start + .seconds(90)))
        // The wait is known by what its client was told.
        #expect(ends.counts("q", since: told, ended: JobCounts(), now: start) == JobCounts())
        // Of a forgotten wait, the present step is known alone.
        let forgotten = ends.moment(began, of: "r", clockOffset: .seconds(50))
        #expect(forgotten == RecordMoment(clock: start, time: start + .seconds(50)))
    }

    @Test("The counts of abandoned queue waits are dropped after a time, and at most a fixed number of them is kept")
    func bounds() {
        var ends = QueueEnds()
        let start = Timestamp(rawValue: 0)
        let began = RecordMoment(clock: start, time: start)
        for number in 0...QueueEnds.most { ends.begin("q\(number)", at: began, ended: JobCounts(), now: start) }
        let now = start + .seconds(1)
        var ended = JobCounts()
        ended.failed = 2
        #expect(ends.counts("q0", since: began, ended: ended, now: now) == ended)
        #expect(ends.counts("q\(QueueEnds.most)", since: began, ended: ended, now: now) == nil)
        ends.forgetOld(now: start + QueueEnds.patience)
        #expect(ends.counts("q1", since: began, ended: ended, now: now) == nil)
        #expect(ends.counts("q0", since: began, ended: ended, now: now) == ended)
    }
}
