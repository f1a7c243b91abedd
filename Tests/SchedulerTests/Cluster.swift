import Operations
import Testing

@testable import Scheduler

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
    private var nextRequest: UInt64 = 1
    private var nextSession: UInt64 = 1

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
        case .attemptEnded(let session, let token, _, _, _):
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
            if !worker.started.isEmpty { events.append(.attemptsStarted(session, worker.started.map(\.token))) }
            if !worker.returned.isEmpty { events.append(.attemptsReturned(session, worker.returned)) }
            workers[session]?.started = []
            workers[session]?.returned = []
        }
        return events
    }

    private mutating func take(_ effects: [Effect], sourceLocation: SourceLocation) {
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
            case .welcome(let session, let stale):
                workers[session]?.inbox.append(.welcome(stale: stale))
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

    // MARK: Requests

    /// Sends a request, which may be answered later.
    @discardableResult
    mutating func request(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ event: (RequestID) -> Event
    ) -> RequestID {
        let request = RequestID(rawValue: nextRequest)
        nextRequest += 1
        apply(event(request), sourceLocation: sourceLocation)
        return request
    }

    /// Sends a request and returns the answer; nil where it has none yet.
    mutating func answer(
        sourceLocation: SourceLocation = #_sourceLocation,
        to event: (RequestID) -> Event
    ) -> Answer? {
        answers[request(sourceLocation: sourceLocation, event)]
    }

    /// What a request has changed; nil where it was refused, or has no answer yet.
    func report(_ request: RequestID) -> ChangeReport? {
        if case .changed(let report)? = answers[request] { report } else { nil }
    }

    /// Submits some entries and expects to be given a job, be it that the answer waits for workers.
    @discardableResult
    mutating func submit(
        _ entries: Entry...,
        queues: [String] = ["default"],
        templates: [Template] = [.noOperation],
        settled: [Address: SettledDependency] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> JobNumber {
        let submission = Submission(queueNames: queues, templates: templates, entries: entries)
        let expected = JobNumber((record.jobs.keys.max()?.rawValue ?? 0) + 1)
        _ = answer(to: submission, settled: settled, sourceLocation: sourceLocation)
        if record.jobs[expected] == nil { Issue.record("refused: \(effects)", sourceLocation: sourceLocation) }
        return expected
    }

    /// Submits something and returns the answer.
    mutating func answer(
        to submission: Submission,
        settled: [Address: SettledDependency] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Answer? {
        var settled = settled
        for address in scheduler.unheldDependencies(of: submission) {
            settled[address] = settled[address] ?? record.settled(address)
        }
        return answer(sourceLocation: sourceLocation) { .submit(submission, settled: settled, request: $0) }
    }

    /// Cancels something and returns how many operations that met; nil where it has no answer yet.
    @discardableResult
    mutating func cancel(
        _ targets: OperationSelection...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Int? {
        let request = request(sourceLocation: sourceLocation) { .cancel(targets, request: $0) }
        return report(request)?.changed
    }

    @discardableResult
    mutating func hold(
        _ targets: OperationSelection...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ChangeReport? {
        let request = request(sourceLocation: sourceLocation) { .hold(targets, request: $0) }
        return report(request)
    }

    @discardableResult
    mutating func release(
        _ targets: OperationSelection...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ChangeReport? {
        let request = request(sourceLocation: sourceLocation) { .release(targets, request: $0) }
        return report(request)
    }

    @discardableResult
    mutating func setPriority(
        _ targets: OperationSelection...,
        to priority: Priority,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ChangeReport? {
        let request = request(sourceLocation: sourceLocation) { .setPriority(targets, priority, request: $0) }
        return report(request)
    }

    /// Lets an operation depend on others; names of finished ones are not looked up.
    mutating func depend(
        _ id: OperationID,
        _ dependencies: Dependency...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Answer? {
        let event = dependEvent(id, dependencies)
        return answer(sourceLocation: sourceLocation, to: event)
    }

    /// The request for dependencies, with what has become of those that are finished.
    func dependEvent(_ id: OperationID, _ dependencies: [Dependency]) -> (RequestID) -> Event {
        let targets = dependencies.compactMap { dependency in
            if case .existing(let address) = dependency.target { address } else { nil }
        }
        var settled: [Address: SettledDependency] = [:]
        for address in scheduler.unheldTargets(targets, from: id.job) { settled[address] = record.settled(address) }
        return { [settled] in .depend(id, dependencies, settled: settled, request: $0) }
    }

    @discardableResult
    mutating func undepend(
        _ id: OperationID,
        _ targets: Address...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ChangeReport? {
        let request = request(sourceLocation: sourceLocation) { .undepend(id, targets, request: $0) }
        return report(request)
    }

    @discardableResult
    mutating func suspend(_ queue: String, sourceLocation: SourceLocation = #_sourceLocation) -> ChangeReport? {
        let change = QueueChange(name: queue, isSuspended: true)
        let request = request(sourceLocation: sourceLocation) { .setQueue(change, request: $0) }
        return report(request)
    }

    @discardableResult
    mutating func resume(_ queue: String, sourceLocation: SourceLocation = #_sourceLocation) -> ChangeReport? {
        let change = QueueChange(name: queue, isSuspended: false)
        let request = request(sourceLocation: sourceLocation) { .setQueue(change, request: $0) }
        return report(request)
    }

    /// Sets a queue's limit, class or total.
    @discardableResult
    mutating func setQueue(
        _ name: String,
        limit: QueueChange.Limit? = nil,
        qualityOfService: QualityOfService? = nil,
        total: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Answer? {
        let change = QueueChange(name: name, maxConcurrent: limit, qualityOfService: qualityOfService, total: total)
        return answer(sourceLocation: sourceLocation) { .setQueue(change, request: $0) }
    }

    /// Lets an executing operation say how much of it is done.
    @discardableResult
    mutating func reportProgress(
        _ id: OperationID,
        _ fraction: Double,
        attempt: UInt32 = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ChangeReport? {
        let progress = OperationProgress(fraction: fraction)
        let request = request(sourceLocation: sourceLocation) {
            .reportProgress(id, attempt: attempt, progress, request: $0)
        }
        return report(request)
    }

    // MARK: Workers

    /// Lets a worker join and returns its session.
    ///
    /// - Parameters:
    ///   - holding: what it runs, or has ended.
    ///   - waiting: what it was sent before and has not started.
    ///   - types: the types of Swift operations that it runs.
    @discardableResult
    mutating func join(
        _ name: String,
        slots: Int = 1,
        holding: [Assignment] = [],
        waiting: [Assignment] = [],
        areFinished: Bool = false,
        processID: Int32 = 7,
        types: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> SessionID {
        let session = SessionID(rawValue: nextSession)
        nextSession += 1
        var introduction = Self.introduction(name, session, slots: slots, holding: holding, areFinished: areFinished)
        introduction.attempts += waiting.map { HeldAttempt($0, .waiting) }
        introduction.processID = processID
        introduction.types = types
        introduction.life = UInt64(processID)
        apply(.workerJoined(introduction), sourceLocation: sourceLocation)
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
            attempts: holding.map { HeldAttempt($0, areFinished ? .finished : .running) }
        )
    }

    /// Keeps what a worker is told on its way; what has reached it goes on.
    mutating func delayMessages(to session: SessionID) {
        workers[session]?.isDelayed = true
    }

    /// Lets a worker receive what was on its way, and say what comes of it.
    @discardableResult
    mutating func deliverMessages(
        to session: SessionID,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [Effect] {
        workers[session]?.isDelayed = false
        return apply(.workerHeard(session), sourceLocation: sourceLocation)
    }

    /// Ends the running attempt of an operation.
    mutating func finish(
        _ id: OperationID,
        _ end: AttemptEnd = .exited(0),
        after duration: Duration = .zero,
        result: [UInt8]? = nil,
        seed: UInt64 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard let attempt = running[id] else {
            Issue.record("\(id) is not running", sourceLocation: sourceLocation)
            return
        }
        report(attempt, end, after: duration, result: result, seed: seed, sourceLocation: sourceLocation)
    }

    /// Reports the end of an attempt, whether it is the current one or not.
    @discardableResult
    mutating func report(
        _ attempt: Assignment,
        _ end: AttemptEnd = .exited(0),
        after duration: Duration = .zero,
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
                AttemptResult(end: end, duration: duration, result: result),
                seed: seed
            ),
            sourceLocation: sourceLocation
        )
    }

    /// Lets time pass, and everything that falls due in between happen at its time.
    ///
    /// - Parameter silent: the sessions that give no sign of life meanwhile.
    mutating func pass(
        _ duration: Duration,
        silent: SessionID...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let end = now + duration
        while let deadline = scheduler.nextDeadline, deadline <= end {
            now = max(now, deadline)
            hear(except: silent, sourceLocation)
            apply(.timePassed, sourceLocation: sourceLocation)
        }
        now = end
        hear(except: silent, sourceLocation)
        apply(.timePassed, sourceLocation: sourceLocation)
    }

    /// Lets all workers but some give a sign of life.
    private mutating func hear(except silent: [SessionID], _ sourceLocation: SourceLocation) {
        for worker in scheduler.allWorkers {
            if let session = scheduler.session(ofWorker: worker.name), !silent.contains(session) {
                apply(.workerHeard(session), sourceLocation: sourceLocation)
            }
        }
    }

    /// Ends everything well, wave after wave, and lets time pass where nothing runs.
    mutating func finishAll(sourceLocation: SourceLocation = #_sourceLocation) {
        var rounds = 0
        while scheduler.counts.unfinished > 0 {
            rounds += 1
            guard rounds < 100_000 else {
                Issue.record("it never ends: \(scheduler.counts)", sourceLocation: sourceLocation)
                return
            }
            if let next = running.keys.min() {
                finish(next, sourceLocation: sourceLocation)
            } else if let deadline = scheduler.nextDeadline {
                pass(max(deadline - now, .zero), sourceLocation: sourceLocation)
            } else {
                let counts = scheduler.counts
                Issue.record("nothing runs and nothing waits for a time: \(counts)", sourceLocation: sourceLocation)
                return
            }
        }
    }

    /// Starts the scheduler anew out of what was kept, as a coordinator does after a crash.
    mutating func restart(from record: TestRecord? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        self.record = record ?? self.record
        running = [:]
        started = []
        workers = [:]
        unconfirmed = []
        isDiskSlow = false
        effects = []
        scheduler = self.record.scheduler(
            configuration: scheduler.configuration,
            epoch: scheduler.epoch + 1,
            at: now
        )
        take(scheduler.takeInitialEffects(), sourceLocation: sourceLocation)
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

extension Scheduler {
    /// Lets a worker join of which the disk knows at once.
    mutating func join(
        _ name: String,
        _ session: SessionID,
        slots: Int,
        types: [String] = [],
        at now: Timestamp
    ) -> [Effect] {
        var introduction = Cluster.introduction(name, session, slots: slots)
        introduction.types = types
        return apply(.workerJoined(introduction), at: now)
            + apply(.kept(.session(session)), at: now)
    }

    /// Takes in a submission that is on disk at once.
    mutating func submit(
        _ submission: Submission,
        request: RequestID = RequestID(rawValue: 1),
        at now: Timestamp
    ) -> [Effect] {
        let job = nextJob
        return apply(.submit(submission, settled: [:], request: request), at: now)
            + apply(.kept(.job(job)), at: now)
    }
}

extension HeldAttempt {
    init(_ attempt: Assignment, _ phase: Phase) {
        self.init(token: attempt.token, operation: attempt.operation, attempt: attempt.attempt, phase: phase)
        isHook = attempt.hookOutcome != nil
    }
}

/// The operation at an index of a job.
func / (job: JobNumber, index: Int) -> OperationID {
    OperationID(job: job, index: UInt32(index))
}

extension Template {
    static let noOperation = Template(work: Work(.noOperation))

    static func typed(_ type: String) -> Template { Template(work: Work(.typed(type: type, argument: []))) }

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
