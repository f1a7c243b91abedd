@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Times of starts and ends of attempts", .timeLimit(.minutes(60)))
struct TimesTests {
    /// The time at which the only operation of a new cluster became ready and was sent.
    private static let start = Timestamp(rawValue: 1_000_000_000)

    private static func times(_ record: OperationRecord?) -> [Int64?] {
        [record?.startedAt, record?.finishedAt].map { $0.map { ($0.rawValue - start.rawValue) / 1000 } }
    }

    /// A worker that was sent an operation at the start, and has reported nothing about it.
    private static func sent() throws -> (cluster: Cluster, attempt: Dispatch) {
        var cluster = Cluster()
        let session = cluster.join("w1")
        cluster.delayMessages(to: session)
        cluster.submit(.op())
        return (cluster, try #require(cluster.sent.first))
    }

    /// The end of an attempt, reported some milliseconds later.
    private static func end(of attempt: Dispatch, ago: Int64, after duration: Int64) -> Event {
        let result = AttemptResult(end: .exited(0), microseconds: Int64(duration) * 1000)
        return .attemptEnded(attempt.session, attempt.token, attempt.operation, result, age: ago * 1000, seed: 0)
    }

    @Test("The start and end of an attempt are recorded as its worker measured them, however late the reports arrive")
    func worker() throws {
        var (cluster, attempt) = try Self.sent()
        cluster.now = Self.start + .seconds(60)
        cluster.apply(.attemptsStarted(attempt.session, [AttemptStart(attempt.token, age: 50_000_000)]))
        #expect(Self.times(cluster.last(attempt.operation)) == [10_000, nil])
        cluster.now = Self.start + .seconds(100)
        cluster.apply(Self.end(of: attempt, ago: 30_000, after: 60_000))
        #expect(Self.times(cluster.last(attempt.operation)) == [10_000, 70_000])
        let told = cluster.record.events.events.compactMap { event -> Int64? in
            guard case .operations(_, _, .state(let state, _, _, _)) = event.subject, state != .ready else {
                return nil
            }
            return (event.time.rawValue - Self.start.rawValue) / 1000
        }
        #expect(told == [10_000, 70_000])
    }

    @Test("The end of an attempt corrects a start that a slow message reported too late")
    func slowMessage() throws {
        var (cluster, attempt) = try Self.sent()
        // Both messages waited for a while, and are read in one turn.
        cluster.now = Self.start + .milliseconds(20)
        cluster.apply(.attemptsStarted(attempt.session, [AttemptStart(attempt.token)]))
        cluster.apply(Self.end(of: attempt, ago: 0, after: 1))
        #expect(Self.times(cluster.last(attempt.operation)) == [19, 20])
        #expect(cluster.record.events.faults.isEmpty)
    }

    @Test("The report of an end alone also gives the time of the start")
    func endAlone() throws {
        var (cluster, attempt) = try Self.sent()
        cluster.now = Self.start + .milliseconds(20)
        cluster.apply(Self.end(of: attempt, ago: 4, after: 5))
        #expect(Self.times(cluster.last(attempt.operation)) == [11, 16])
    }

    @Test(
        "No recorded start precedes the dispatch, and no recorded end precedes the start or exceeds the present",
        arguments: [
            // Columns: the time of the report of the start and its stated age; the time of the report of the end, its
            // stated age, and the attempt's stated length.
            [5, 900, 10, 0, 2], [5, 0, 10, 900, 2], [5, 0, 10, 0, 900], [5, 900, 10, 900, 900], [5, 0, 10, 0, 0],
            [5, -900, 10, -900, -900], [5, .max / 1000, 10, .max / 1000, 90_000_000_000], [5, 0, 5, 0, 1],
        ] as [[Int64]]
    )
    func bounds(moments: [Int64]) throws {
        var (cluster, attempt) = try Self.sent()
        cluster.now = Self.start + .milliseconds(moments[0])
        let age = moments[1] * 1000
        cluster.apply(.attemptsStarted(attempt.session, [AttemptStart(attempt.token, age: age)]))
        cluster.now = Self.start + .milliseconds(moments[2])
        cluster.apply(Self.end(of: attempt, ago: moments[3], after: moments[4]))
        let record = try #require(cluster.last(attempt.operation))
        let (started, finished) = try (#require(record.startedAt), #require(record.finishedAt))
        #expect(Self.start <= started && started <= finished && finished <= cluster.now)
        #expect(cluster.record.events.faults.isEmpty)
    }

    @Test("An attempt is never recorded as started before it was sent")
    func dispatch() throws {
        var cluster = Cluster()
        let job = cluster.submit(.op())
        cluster.now = Self.start + .seconds(5)
        let session = cluster.join("w1")
        let attempt = try #require(cluster.sent.first)
        cluster.now = Self.start + .seconds(6)
        let result = AttemptResult(end: .exited(0), microseconds: 4_000_000)
        cluster.apply(.attemptEnded(session, attempt.token, job / 0, result, age: 0, seed: 0))
        #expect(Self.times(cluster.last(job / 0)) == [5000, 6000])
    }

    @Test(
        "D6 Attempts keep their times over a restart, and an adopted unrecorded attempt starts at its adoption"
    )
    func restart() throws {
        var cluster = Cluster()
        for name in ["w1", "w2"] { cluster.join(name) }
        let job = cluster.submit(.op(), .op(on: .needs(0)), .op())
        let committed = cluster.record
        cluster.finish(job / 0)
        func attempt(_ index: Int) throws -> (Dispatch, worker: String) {
            let attempt = try #require(cluster.started.first { $0.operation == job / index })
            return (attempt, try #require(cluster.scheduler.worker(of: attempt.session)))
        }
        let (first, name) = try attempt(0)
        let (missing, sameName) = try attempt(1)
        let (known, other) = try attempt(2)
        #expect(name == sameName)
        cluster.now = Self.start + .seconds(40)
        cluster.restart(from: committed)
        func claimed(_ attempt: Dispatch, _ phase: ClaimedAttempt.Phase, ago seconds: Int64) -> ClaimedAttempt {
            var claimed = ClaimedAttempt(attempt, phase)
            claimed.age = seconds * 1_000_000
            return claimed
        }
        let session = SessionID(rawValue: 901)
        var introduction = Cluster.introduction(name, session)
        introduction.life = WorkerLife(rawValue: 7)
        introduction.attempts = [claimed(first, .finished, ago: 40), claimed(missing, .running, ago: 35)]
        cluster.apply(.workerJoined(introduction))
        introduction = Cluster.introduction(other, SessionID(rawValue: 902))
        introduction.life = WorkerLife(rawValue: 7)
        introduction.attempts = [claimed(known, .running, ago: 39)]
        cluster.apply(.workerJoined(introduction))
        let result = AttemptResult(end: .exited(0), microseconds: 5_000_000)
        cluster.apply(.attemptEnded(session, first.token, job / 0, result, age: 35_000_000, seed: 0))
        #expect(Self.times(cluster.last(job / 0)) == [0, 5000])
        let adopted = try #require(cluster.last(job / 1))
        // The readiness is known only since now.
        #expect(adopted.state == .executing && Self.times(adopted) == [40_000, nil])
        #expect(adopted.readyAt == adopted.startedAt)
        #expect(Self.times(cluster.last(job / 2)) == [0, nil], "its start is in the record")
    }
}
