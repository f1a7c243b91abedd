import BatonOperations
import Testing

@testable import BatonScheduler

/// A scheduler with a clock that tests set, workers that do as they are told, and everything that anybody was ever told.
///
/// After each event, all invariants are checked, and what was kept of it.
struct Cluster {
    var scheduler: Scheduler
    var now = Timestamp(rawValue: 1_000_000_000)
    /// All attempts that were sent, in order.
    var sent: [Assignment] = []
    /// All attempts that were started, in order; hooks are none.
    var started: [Assignment] = []
    /// The attempt of each operation that was started last.
    var running: [OperationID: Assignment] = [:]
    /// The far sides of the sessions.
    var workers: [SessionID: TestWorker] = [:]
    /// What a store would have kept.
    var record = TestRecord()
    /// What the scheduler wants to know to be on disk, and was not told yet.
    var unconfirmed: [Milestone] = []
    /// Whether the disk takes its time.
    var isDiskSlow = false
    /// The effects of the last event, and of what the workers said at once because of it.
    var effects: [Effect] = []
    /// What was answered.
    var answers: [RequestID: Answer] = [:]
    /// How many terminal records each operation had.
    var ends: [OperationID: Int] = [:]
    var nextRequest: UInt64 = 1
    var nextSession: UInt64 = 1

    init(_ configuration: Configuration = Configuration(sendAhead: .atMost(0))) {
        scheduler = Scheduler(configuration: configuration)
    }

    // MARK: Events

    @discardableResult
    mutating func apply(_ event: Event, sourceLocation: SourceLocation = #_sourceLocation) -> [Effect] {
        effects = []
        var events = [event]
        if case .attemptEnded = event {
            meet(event)
            // A worker fills a slot as soon as it is free, and says that first.
            events = reactions() + events
        }
        while !events.isEmpty {
            let event = events.removeFirst()
            meet(event)
            take(scheduler.apply(event, at: now), sourceLocation: sourceLocation)
            events += reactions()
        }
        return effects
    }

    /// Lets the workers' side of an event happen.
    private mutating func meet(_ event: Event) {
        switch event {
        case .workerJoined(let introduction):
            var worker = TestWorker(
                name: introduction.name,
                session: introduction.session,
                slots: min(max(introduction.slots, 1), Scheduler.maximumSlots)
            )
            for held in introduction.attempts {
                switch held.phase {
                case .running: worker.running.insert(held.token)
                case .waiting: worker.waiting += sent.last { $0.token == held.token }.map { [$0] } ?? []
                case .finished: break
                }
            }
            workers = workers.filter { $0.value.name != introduction.name }
            workers[introduction.session] = worker
        case .workerLeft(let session):
            workers[session] = nil
        case .attemptEnded(let session, let token, _, _, _, _):
            workers[session]?.forget(token)
        default:
            break
        }
    }

    /// What the workers have to say now.
    private mutating func reactions() -> [Event] {
        var events: [Event] = []
        if !isDiskSlow {
            events = unconfirmed.map { .kept($0) }
            unconfirmed = []
        }
        for session in workers.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            workers[session]?.act()
            guard let worker = workers[session] else { continue }
            for attempt in worker.started {
                started.append(attempt)
                running[attempt.operation] = attempt
            }
            if !worker.started.isEmpty {
                events.append(.attemptsStarted(session, worker.started.map { AttemptStart($0.token) }))
            }
            if !worker.returned.isEmpty { events.append(.attemptsReturned(session, worker.returned)) }
            workers[session]?.started = []
            workers[session]?.returned = []
        }
        return events
    }

    mutating func take(_ effects: [Effect], sourceLocation: SourceLocation) {
        self.effects += effects
        var changes: [RecordChange] = []
        for effect in effects {
            switch effect {
            case .dispatch(let assignment):
                sent.append(assignment)
                workers[assignment.session]?.inbox.append(.dispatch(assignment))
            case .recallAttempts(let session, let tokens):
                workers[session]?.inbox.append(.recall(tokens))
            case .endAttempts(let session, let tokens):
                workers[session]?.inbox.append(.cancel(tokens))
            case .welcome(let session, let stale, let foreign, let recalled):
                workers[session]?.inbox.append(.welcome(stale: stale + foreign, recalled: recalled))
            case .confirm(let milestone):
                unconfirmed.append(milestone)
            case .worker(let name, .lost):
                workers = workers.filter { $0.value.name != name }
            case .answer(let request, let answer):
                #expect(answers.updateValue(answer, forKey: request) == nil, sourceLocation: sourceLocation)
            case .keep(let change):
                changes.append(change)
                if case .operation(let operation) = change, operation.state == .finished {
                    for offset in 0..<operation.count {
                        let id = OperationID(job: operation.id.job, index: operation.id.index + offset)
                        ends[id, default: 0] += 1
                        running[id] = nil
                    }
                }
            default:
                break
            }
        }
        record.keep(changes)
        let violations = scheduler.violations()
        #expect(violations.isEmpty, sourceLocation: sourceLocation)
        let faults = record.events.faults
        #expect(faults.isEmpty, sourceLocation: sourceLocation)
    }

    /// Lets the disk be done with all that it was given.
    mutating func commit(sourceLocation: SourceLocation = #_sourceLocation) {
        isDiskSlow = false
        while !unconfirmed.isEmpty {
            apply(.kept(unconfirmed.removeFirst()), sourceLocation: sourceLocation)
        }
    }

    // MARK: What there is

    /// The operations that were started, in order, as `job/index`.
    var order: [String] { started.map(\.operation.description) }

    func state(_ id: OperationID) -> OperationState {
        scheduler.record(of: id)?.state ?? .finished
    }

    func outcome(_ id: OperationID) -> Outcome? { record.operation(id)?.outcome }

    func last(_ id: OperationID) -> OperationRecord? { record.operation(id) }
}
