@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Records that are replaced under living workers (D12).
@Suite("Attempts of another record", .timeLimit(.minutes(60)))
struct IncarnationTests {
    private let first = Incarnation(rawValue: 11)
    private let second = Incarnation(rawValue: 22)

    /// A scheduler with one ready operation, on a record without earlier starts of coordinators.
    private func scheduler(_ incarnation: Incarnation, epoch: UInt32 = 1) -> (Scheduler, OperationID) {
        var scheduler = Scheduler(
            epoch: epoch,
            nextJob: JobNumber(1),
            queues: [:],
            jobs: [],
            ends: [:],
            finished: JobCounts(),
            starts: [epoch: CoordinatorStart(incarnation, firstJob: JobNumber(1))],
            at: Timestamp(rawValue: 0)
        )
        let submission = Submission(templates: [Template(work: Work(.commands([["true"]])))], entries: [Entry()])
        let request = Event.submit(submission.checked, ends: [:], request: RequestID(rawValue: 1))
        _ = scheduler.apply(request, at: Timestamp(rawValue: 1))
        _ = scheduler.apply(.committed(.job(JobNumber(1))), at: Timestamp(rawValue: 1))
        return (scheduler, OperationID(job: JobNumber(1), index: 0))
    }

    private func join(_ scheduler: inout Scheduler, holding attempts: [ClaimedAttempt] = []) -> [Effect] {
        let session = SessionID(rawValue: 5)
        let introduction = WorkerIntroduction(name: "w1", session: session, slots: 1, attempts: attempts)
        let effects = scheduler.apply(.workerJoined(introduction), at: Timestamp(rawValue: 2))
        return effects + scheduler.apply(.committed(.session(session)), at: Timestamp(rawValue: 2))
    }

    @Test("D12 The start after an epoch is found beyond the gap that a lost part of the record leaves")
    func gap() {
        var tokens = AttemptTokens(epoch: 11, incarnation: second)
        tokens.starts = [
            4: CoordinatorStart(first, firstJob: JobNumber(1)), 5: CoordinatorStart(first, firstJob: JobNumber(7)),
            11: CoordinatorStart(second, firstJob: JobNumber(9)),
        ]
        #expect(tokens.start(after: 4)?.firstJob == JobNumber(7))
        #expect(tokens.start(after: 5)?.firstJob == JobNumber(9))
        #expect(tokens.start(after: 11) == nil)
    }

    @Test("D12 The tokens of two starts of coordinators differ even if their epochs and serial numbers are equal")
    func tokens() {
        var tokens: [AttemptToken] = []
        for incarnation in [first, second] {
            var (scheduler, _) = scheduler(incarnation)
            for case .dispatch(let assignment) in join(&scheduler) { tokens.append(assignment.token) }
        }
        #expect(tokens.count == 2 && tokens[0].inRecord == tokens[1].inRecord && tokens[0] != tokens[1])
        #expect(tokens.map(\.incarnation) == [first, second])
    }

    @Test(
        "D12 An attempt or hook of an unknown start is reported as foreign, and its end changes nothing",
        arguments: [ClaimedAttempt.Phase.waiting, .running, .finished],
        [false, true]
    )
    func foreign(phase: ClaimedAttempt.Phase, isHook: Bool) {
        var (scheduler, operation) = scheduler(second)
        let token = AttemptToken(epoch: 1, serial: 1, of: first)
        let claimed = ClaimedAttempt(token: token, operation: operation, attempt: 1, phase: phase, isHook: isHook)
        let effects = join(&scheduler, holding: [claimed])
        var welcomes = 0
        var sent: [AttemptToken] = []
        for effect in effects {
            switch effect {
            case .welcome(_, let stale, let foreign, let recalled):
                welcomes += 1
                #expect(stale.isEmpty && recalled.isEmpty && foreign == [token])
            case .dispatch(let assignment): sent.append(assignment.token)
            default: break
            }
        }
        #expect(welcomes == 1 && sent == [AttemptToken(epoch: 1, serial: 1, of: second)])
        // The end of another record's attempt does not count either, despite the number of the running attempt.
        let end = Event.attemptEnded(SessionID(rawValue: 5), token, operation, AttemptResult(end: .exited(0)), seed: 0)
        _ = scheduler.apply(end, at: Timestamp(rawValue: 3))
        #expect(scheduler.counts.succeeded == 0 && scheduler.violations().isEmpty)
    }

    @Test(
        "D12 A restarted coordinator adopts attempts of its own record and calls the same numbers of another foreign"
    )
    func restarted() {
        for isForeign in [false, true] {
            var cluster = Cluster()
            let job = cluster.submit(.op())
            cluster.record.incarnations = [1: .unknown, 2: second]
            cluster.join("w1")
            var attempt = cluster.started[0]
            cluster.restart()
            if isForeign { attempt.assignment.token = AttemptToken(attempt.token.inRecord, of: first) }
            cluster.join("w1", holding: [attempt])
            let foreign = cluster.effects.compactMap { effect -> [AttemptToken]? in
                if case .welcome(_, _, let foreign, _) = effect { foreign } else { nil }
            }
            #expect(foreign == [isForeign ? [attempt.token] : []])
            #expect(cluster.record.operation(job / 0)?.losses == (isForeign ? 1 : 0))
        }
    }

    @Test(
        "D12 An attempt of a job missing in an older copy of the record is not taken for the new job of its number",
        arguments: [ClaimedAttempt.Phase.waiting, .running, .finished]
    )
    func numbersOfJobsComeAgain(_ phase: ClaimedAttempt.Phase) {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let early = cluster.submit(.op())
        let copy = cluster.record
        let late = cluster.submit(.op())
        let claimed = cluster.started
        #expect(claimed.map(\.operation) == [early / 0, late / 0])

        cluster.restart(from: copy)
        #expect(cluster.submit(.op()) == late)
        cluster.restart()
        let isOver = phase == .finished
        let (holding, waiting) = phase == .waiting ? ([claimed[0]], [claimed[1]]) : (claimed, [])
        let session = cluster.join("w1", slots: 2, holding: holding, waiting: waiting, areFinished: isOver)
        // The end of a finished attempt follows, and has no effect.
        if !isOver { #expect(cluster.effects.stale == [claimed[1].token]) }
        for attempt in isOver ? claimed : [claimed[0]] { cluster.report(attempt, session: session) }
        #expect(cluster.last(early / 0)?.attempt == 1 && cluster.outcome(early / 0) == .succeeded)
        #expect(cluster.outcome(late / 0) == nil)
        #expect(cluster.started.map(\.operation) == [late / 0] && cluster.started[0].token != claimed[1].token)
    }
}
