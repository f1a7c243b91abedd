@_spi(Baton) import BatonBenchmarks
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler

/// A job of no-ops from submission to end, with the scheduler alone, and one worker with two slots.
struct SchedulerCost {
    private static let session = SessionID(rawValue: 1)
    private static let seed: UInt64 = 1
    /// The number of attempts in a report of the worker.
    private static let reportLength = 50

    private var scheduler = Scheduler()
    private var now = Timestamp(rawValue: 1_000_000)
    /// The dispatched attempts without the work: copies of the work would cost as much as the measured code.
    private var attempts: [(token: AttemptToken, operation: OperationID)] = []
    private var milestones: [Milestone] = []
    private var effects: [Effect] = []
    /// The record changes, grouped by step.
    private var changes: [[RecordChange]] = []

    /// Counts the instructions of the scheduler.
    static func run(_ shape: Workload.Shape, operations: Int) throws {
        let submission = Workload(shape, operations: operations, kind: .noOperation).submission(seed: seed)
        // The first run of a process makes the metadata of generic types, once for all operations.
        _ = try finished(Workload(shape, operations: 100, kind: .noOperation).submission(seed: seed))
        let cost = try measured { try finished(submission) }
        precondition(cost.scheduler.counts.finished == operations, "The job has not come to its end.")
    }

    /// All record changes of a job, grouped by step.
    static func changes(_ shape: Workload.Shape, operations: Int) throws -> [[RecordChange]] {
        try finished(Workload(shape, operations: operations, kind: .noOperation).submission(seed: seed)).changes
    }

    private static func finished(_ submission: Submission) throws -> SchedulerCost {
        var cost = SchedulerCost()
        cost.apply(.workerJoined(WorkerIntroduction(name: "w1", session: session, slots: 2)))
        cost.apply(.submit(try ValidatedSubmission(submission), ends: [:], request: RequestID(rawValue: 1)))
        cost.confirm()
        var next = 0
        while next < cost.attempts.count {
            let report = Array(cost.attempts[next..<min(next + reportLength, cost.attempts.count)])
            next += report.count
            let result = AttemptResult(end: .exited(0))
            cost.apply(
                report.map { .attemptEnded(session, $0.token, $0.operation, result, seed: 0) }
                    + [.attemptsStarted(session, report.map { AttemptStart($0.token) })]
            )
            cost.confirm()
        }
        return cost
    }

    private mutating func apply(_ events: Event...) { apply(events) }

    private mutating func apply(_ events: [Event]) {
        now = now + .microseconds(10)
        var committed: [RecordChange] = []
        for event in events {
            scheduler.enter(event, at: now)
            takeEffects(&committed)
        }
        scheduler.dispatch()
        takeEffects(&committed)
        if !committed.isEmpty { changes.append(committed) }
    }

    /// Handles the effects as a coordinator does.
    private mutating func takeEffects(_ committed: inout [RecordChange]) {
        scheduler.takeEffects(into: &effects)
        for effect in effects {
            switch effect {
            case .dispatch(let dispatch): attempts.append((dispatch.assignment.token, dispatch.assignment.operation))
            case .confirm(let milestone): milestones.append(milestone)
            case .commit(let change), .event(let change, queue: _): committed.append(change)
            default: break
            }
        }
    }

    /// Confirms all commits.
    private mutating func confirm() {
        while !milestones.isEmpty { apply(.committed(milestones.removeFirst())) }
    }
}
