import BatonBenchmarks
import BatonOperations
import BatonScheduler

/// A job of no-ops from its submission to its end, on one worker with two slots, by the scheduler alone.
struct SchedulerCost {
    private static let session = SessionID(rawValue: 1)
    private static let seed: UInt64 = 1
    /// How many attempts a report of the worker tells of.
    private static let reportLength = 50

    private var scheduler = Scheduler()
    private var now = Timestamp(rawValue: 1_000_000)
    /// What the worker was sent, without the work: carrying that along would cost as much as what is measured.
    private var attempts: [(token: AttemptToken, operation: OperationID)] = []
    private var milestones: [Milestone] = []
    private var effects: [Effect] = []
    /// What was to be kept, that of each step together.
    private var changes: [[RecordChange]] = []

    /// Counts what the scheduler does.
    static func run(_ shape: Workload.Shape, operations: Int) throws {
        let submission = Workload(shape, operations: operations, kind: .noOperation).submission(seed: seed)
        let cost = try measured { try finished(submission) }
        precondition(cost.scheduler.counts.finished == operations, "The job has not come to its end.")
    }

    /// All that the record is told while a job runs, the changes of each step together.
    static func changes(_ shape: Workload.Shape, operations: Int) throws -> [[RecordChange]] {
        try finished(Workload(shape, operations: operations, kind: .noOperation).submission(seed: seed)).changes
    }

    private static func finished(_ submission: Submission) throws -> SchedulerCost {
        var cost = SchedulerCost()
        cost.apply(.workerJoined(WorkerIntroduction(name: "w1", session: session, slots: 2)))
        cost.apply(.submit(try ValidatedSubmission(submission), settled: [:], request: RequestID(rawValue: 1)))
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
        var kept: [RecordChange] = []
        for event in events {
            scheduler.enter(event, at: now)
            takeEffects(&kept)
        }
        scheduler.dispatch()
        takeEffects(&kept)
        if !kept.isEmpty { changes.append(kept) }
    }

    /// Takes what is to be done as a coordinator does.
    private mutating func takeEffects(_ kept: inout [RecordChange]) {
        scheduler.takeEffects(into: &effects)
        for effect in effects {
            switch effect {
            case .dispatch(let assignment): attempts.append((assignment.token, assignment.operation))
            case .confirm(let milestone): milestones.append(milestone)
            case .keep(let change): kept.append(change)
            default: break
            }
        }
    }

    /// Says that all is on disk.
    private mutating func confirm() {
        while !milestones.isEmpty { apply(.kept(milestones.removeFirst())) }
    }
}
