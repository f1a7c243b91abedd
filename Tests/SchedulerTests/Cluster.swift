@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// A scheduler with a test clock, obedient workers, and a list of all messages and answers.
///
/// After each event, the cluster checks all invariants and the record.
struct Cluster {
    var scheduler: Scheduler
    var now = Timestamp(rawValue: 1_000_000_000)
    /// All attempts that were sent, in order.
    var sent: [Dispatch] = []
    /// All attempts that were started, in order, without hooks.
    var started: [Dispatch] = []
    /// The last started attempt of each operation.
    var running: [OperationID: Dispatch] = [:]
    /// The workers' ends of the sessions.
    var workers: [SessionID: TestWorker] = [:]
    /// The contents of a store.
    var record = TestRecord()
    /// The commits that the scheduler waits for, and was not told of yet.
    var unconfirmed: [Milestone] = []
    /// Whether the disk confirms commits late.
    var isDiskSlow = false
    /// Whether large changes take all their turns at once; otherwise the test applies their continuation.
    var endsChanges = true
    /// The effects of the last event, and of the workers' immediate reactions.
    var effects: [Effect] = []
    /// The answers to requests.
    var answers: [RequestID: Answer] = [:]
    /// The number of terminal records of each operation.
    var ends: [OperationID: Int] = [:]
    var nextRequest: UInt64 = 1
    /// Who sends the requests.
    var requester: String?
    var nextSession: UInt64 = 1
    /// The invariants are checked after each event whose number is a multiple: long random runs check less often.
    var checkInterval = 1
    private var eventCount = 0

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
            // A worker fills a slot as soon as the slot is free, and reports the start first.
            events = reactions() + events
        }
        while !events.isEmpty {
            let event = events.removeFirst()
            meet(event)
            take(scheduler.apply(event, at: now, endingChanges: endsChanges), sourceLocation: sourceLocation)
            events += reactions()
        }
        return effects
    }

    /// Applies an event to the simulated workers.
    private mutating func meet(_ event: Event) {
        switch event {
        case .workerJoined(let introduction):
            var worker = TestWorker(
                name: introduction.name,
                session: introduction.session,
                slots: min(max(introduction.slots, 1), WorkerRoster.maximumSlots)
            )
            for claimed in introduction.attempts {
                switch claimed.phase {
                case .running: worker.running.insert(claimed.token)
                case .waiting: worker.waiting += sent.last { $0.token == claimed.token }.map { [$0] } ?? []
                case .finished: break
                }
            }
            workers = workers.filter { $0.value.name != introduction.name }
            workers[introduction.session] = worker
        case .workerLeft(let session):
            workers[session] = nil
        case .workerExpelled(let name, _):
            workers = workers.filter { $0.value.name != name }
        case .attemptEnded(let session, let token, _, _, _, _):
            workers[session]?.forget(token)
        default:
            break
        }
    }

    /// The workers' next events.
    private mutating func reactions() -> [Event] {
        var events: [Event] = []
        if !isDiskSlow {
            events = unconfirmed.map { .committed($0) }
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
        var queued: [(operation: OperationID, queue: String?)] = []
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
            case .event(let change, let queue):
                changes.append(change)
                if case .event(let event) = change, case .operations(let id, count: _, _) = event.subject {
                    queued.append((id, queue))
                }
            case .commit(let change):
                changes.append(change)
                // The record of an operation that runs again tells that it has finished, as it did before.
                if case .operation(let operation) = change, operation.state == .finished,
                    record.operation(operation.id)?.outcome == nil
                {
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
        // A coordinator adds the totals to each batch of changes; here, each event is a batch.
        if !changes.isEmpty, let totals = scheduler.takeChangedTotals() { changes.append(.totals(totals)) }
        record.commit(changes)
        eventCount += 1
        guard eventCount % checkInterval == 0 else { return }
        for (operation, queue) in queued {
            #expect(queue == record.queue(of: operation), sourceLocation: sourceLocation)
        }
        let violations = scheduler.violations()
        #expect(violations.isEmpty, sourceLocation: sourceLocation)
        let faults = record.events.faults + record.totalFaults
        #expect(faults.isEmpty, sourceLocation: sourceLocation)
    }

    /// Confirms all pending commits.
    mutating func commit(sourceLocation: SourceLocation = #_sourceLocation) {
        isDiskSlow = false
        while !unconfirmed.isEmpty {
            apply(.committed(unconfirmed.removeFirst()), sourceLocation: sourceLocation)
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
