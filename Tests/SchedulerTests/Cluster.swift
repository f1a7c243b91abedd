import Operations
import Testing

@testable import Scheduler

/// A scheduler with a clock that tests set, and everything that it ever told anybody.
///
/// After each event, all invariants are checked.
struct Cluster {
    var scheduler: Scheduler
    var now = Timestamp(rawValue: 1_000_000_000)
    /// All attempts that were dispatched, in order.
    var started: [Assignment] = []
    /// The latest attempt of each operation.
    var running: [OperationID: Assignment] = [:]
    /// What a store would have kept.
    var record = TestRecord()
    /// The effects of the last event.
    var effects: [Effect] = []
    /// How many terminal records each operation had.
    var ends: [OperationID: Int] = [:]
    private var nextRequest: UInt64 = 1
    private var nextSession: UInt64 = 1

    init(_ configuration: Configuration = Configuration()) {
        scheduler = Scheduler(configuration: configuration)
    }

    // MARK: Events

    @discardableResult
    mutating func apply(_ event: Event, sourceLocation: SourceLocation = #_sourceLocation) -> [Effect] {
        take(scheduler.apply(event, at: now))
        let violations = scheduler.violations()
        #expect(violations.isEmpty, sourceLocation: sourceLocation)
        return effects
    }

    private mutating func take(_ effects: [Effect]) {
        self.effects = effects
        for effect in effects {
            switch effect {
            case .dispatch(let assignment):
                started.append(assignment)
                running[assignment.operation] = assignment
            case .keep(let change):
                record.keep(change)
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
    }

    /// Submits some entries and expects to be given a job.
    @discardableResult
    mutating func submit(
        _ entries: Entry...,
        queues: [String] = ["default"],
        templates: [Template] = [.noOperation],
        settled: [Address: SettledDependency] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> JobNumber {
        let submission = Submission(queueNames: queues, templates: templates, entries: entries)
        guard case .job(let number, _, _)? = answer(to: submission, settled: settled) else {
            Issue.record("refused: \(effects)", sourceLocation: sourceLocation)
            return JobNumber(0)
        }
        return number
    }

    /// Submits something and returns the answer.
    mutating func answer(to submission: Submission, settled: [Address: SettledDependency] = [:]) -> Answer? {
        var settled = settled
        for address in scheduler.unheldDependencies(of: submission) {
            settled[address] = settled[address] ?? record.settled(address)
        }
        return answer { .submit(submission, settled: settled, request: $0) }
    }

    /// Cancels something and returns how many operations that met.
    @discardableResult
    mutating func cancel(_ targets: CancellationTarget...) -> Int {
        guard case .cancelled(let number)? = answer(to: { .cancel(targets, request: $0) }) else { return -1 }
        return number
    }

    /// Sets a queue's limit, class or both.
    @discardableResult
    mutating func setQueue(
        _ name: String,
        limit: QueueChange.Limit? = nil,
        qualityOfService: QualityOfService? = nil
    ) -> Answer? {
        let change = QueueChange(name: name, maxConcurrent: limit, qualityOfService: qualityOfService)
        return answer { .setQueue(change, request: $0) }
    }

    private mutating func answer(to event: (RequestID) -> Event) -> Answer? {
        let request = RequestID(rawValue: nextRequest)
        nextRequest += 1
        for case .answer(request, let answer) in apply(event(request)) { return answer }
        return nil
    }

    /// Lets a worker join and returns its session.
    @discardableResult
    mutating func join(
        _ name: String,
        slots: Int = 1,
        holding: [Assignment] = [],
        areFinished: Bool = false
    ) -> SessionID {
        let session = SessionID(rawValue: nextSession)
        nextSession += 1
        apply(.workerJoined(Self.introduction(name, session, slots: slots, holding: holding, areFinished: areFinished)))
        return session
    }

    static func introduction(
        _ name: String,
        _ session: SessionID,
        slots: Int = 1,
        holding: [Assignment] = [],
        areFinished: Bool = false
    ) -> WorkerIntroduction {
        WorkerIntroduction(
            name: name,
            session: session,
            slots: slots,
            host: "host-\(name)",
            processID: 7,
            attempts: holding.map {
                .init(token: $0.token, operation: $0.operation, attempt: $0.attempt, isFinished: areFinished)
            }
        )
    }

    /// Ends the running attempt of an operation.
    mutating func finish(
        _ id: OperationID,
        _ end: AttemptEnd = .exited(0),
        result: [UInt8]? = nil,
        seed: UInt64 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard let attempt = running[id] else {
            Issue.record("\(id) is not running", sourceLocation: sourceLocation)
            return
        }
        report(attempt, end, result: result, seed: seed, sourceLocation: sourceLocation)
    }

    /// Reports the end of an attempt, whether it is the current one or not.
    @discardableResult
    mutating func report(
        _ attempt: Assignment,
        _ end: AttemptEnd = .exited(0),
        result: [UInt8]? = nil,
        session: SessionID? = nil,
        operation: OperationID? = nil,
        seed: UInt64 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [Effect] {
        apply(
            .attemptEnded(
                session ?? attempt.session,
                attempt.token,
                operation ?? attempt.operation,
                AttemptResult(end: end, result: result),
                seed: seed
            ),
            sourceLocation: sourceLocation
        )
    }

    /// Lets time pass, and everything that falls due in between happen at its time.
    ///
    /// - Parameter silent: the sessions that give no sign of life meanwhile.
    mutating func pass(_ duration: Duration, silent: SessionID...) {
        let end = now + duration
        while let deadline = scheduler.nextDeadline, deadline <= end {
            now = max(now, deadline)
            hear(except: silent)
            apply(.timePassed)
        }
        now = end
        hear(except: silent)
        apply(.timePassed)
    }

    /// Lets all workers but some give a sign of life.
    private mutating func hear(except silent: [SessionID]) {
        for worker in scheduler.allWorkers {
            if let session = scheduler.session(ofWorker: worker.name), !silent.contains(session) {
                apply(.workerHeard(session))
            }
        }
    }

    /// Ends everything well, wave after wave, and lets time pass where nothing runs.
    mutating func finishAll() {
        while scheduler.counts.unfinished > 0 {
            if let next = running.keys.min() {
                finish(next)
            } else if let deadline = scheduler.nextDeadline {
                pass(max(deadline - now, .zero))
            } else {
                Issue.record("nothing runs and nothing waits for a time: \(scheduler.counts)")
                return
            }
        }
    }

    /// Starts the scheduler anew out of what was kept, as a coordinator does after a crash.
    mutating func restart(from record: TestRecord? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        self.record = record ?? self.record
        running = [:]
        started = []
        scheduler = self.record.scheduler(
            configuration: scheduler.configuration,
            epoch: scheduler.epoch + 1,
            at: now
        )
        take(scheduler.takeInitialEffects())
        let violations = scheduler.violations()
        #expect(violations.isEmpty, sourceLocation: sourceLocation)
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

/// The operation at an index of a job.
func / (job: JobNumber, index: Int) -> OperationID {
    OperationID(job: job, index: UInt32(index))
}

extension Template {
    static let noOperation = Template(work: Work(.noOperation))

    static func retrying(_ retries: UInt16, delay: Duration = .seconds(1)) -> Template {
        Template(work: Work(.noOperation), retries: retries, retryDelay: delay)
    }
}

extension Entry {
    /// A single operation.
    static func op(
        _ name: String? = nil,
        at priority: Priority = .normal,
        queue: Int = 0,
        template: Int = 0,
        delay: Duration? = nil,
        on dependencies: Dependency...
    ) -> Entry {
        Entry(
            name: name,
            template: template,
            queue: queue,
            priority: priority,
            delay: delay,
            dependencies: dependencies
        )
    }

    /// An array of a number of operations.
    static func array(
        _ count: Int,
        name: String? = nil,
        at priority: Priority = .normal,
        queue: Int = 0,
        delay: Duration? = nil,
        on dependencies: Dependency...
    ) -> Entry {
        Entry(
            name: name,
            queue: queue,
            priority: priority,
            delay: delay,
            dependencies: dependencies,
            array: .numbers(first: 0, step: 1, count: count)
        )
    }
}

extension Dependency {
    static func after(_ entry: Int) -> Dependency { Dependency(on: .entry(entry)) }
    static func needs(_ entry: Int) -> Dependency { Dependency(on: .entry(entry), condition: .success) }
    static func onFailure(_ entry: Int) -> Dependency { Dependency(on: .entry(entry), condition: .failure) }
    static func after(_ id: OperationID) -> Dependency { Dependency(on: .existing(.operation(id))) }
    static func needs(_ id: OperationID) -> Dependency {
        Dependency(on: .existing(.operation(id)), condition: .success)
    }
    static func onFailure(_ id: OperationID) -> Dependency {
        Dependency(on: .existing(.operation(id)), condition: .failure)
    }
    static func on(_ address: Address, _ condition: DependencyCondition = .any) -> Dependency {
        Dependency(on: .existing(address), condition: condition)
    }
}
