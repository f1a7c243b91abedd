@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

/// Queues with a constant supply of ready operations, on workers with a clock.
///
/// Operations and messages take time, and workers gather their reports, as real workers do. The run knows the real
/// order of the starts.
struct ShareRun {
    /// A queue, and the kind of its operations.
    struct Load {
        var name: String
        var quality: QualityOfService
        /// The number of its operations.
        var count: Int
        /// The length of the operation with a number, in microseconds.
        var length: @Sendable (Int) -> Int64
        /// Whether each operation does different work, so that the scheduler knows nothing of an operation before its
        /// run.
        var isUnknown = false
        /// Whether each operation depends on the previous operation.
        var isChain = false
        /// Its limit, if any.
        var limit: Int?
        /// The time of its submission.
        var from: Int64 = 0
        /// Whether workers tell that its operations took no time, as for no-ops, which only cost the worker's own time.
        var isNoOperation = false
    }

    /// The start of an operation.
    struct Start {
        var time: Int64
        var queue: Int
        /// The time at which the coordinator knew of the operation's readiness.
        var readyAt: Int64
        var worker: Int
    }

    private enum Message {
        case dispatch(Dispatch)
        case recall([AttemptToken])
    }

    private enum Happening {
        case submission(Int)
        case message(Message, worker: Int)
        case end(Dispatch, worker: Int)
        case report(worker: Int)
        case reported([Event])
        case continuation(worker: Int)
        case clock
    }

    private struct Moment: Comparable {
        var time: Int64
        /// The order among messages of the same time: first come, first served.
        var number: Int
        var happening: Happening

        static func < (left: Moment, right: Moment) -> Bool { (left.time, left.number) < (right.time, right.number) }
        static func == (left: Moment, right: Moment) -> Bool { left.number == right.number }
    }

    private struct Worker {
        var session: SessionID
        var slots: Int
        /// The time of a message in either direction, in microseconds.
        var distance: Int64
        /// The time at which the last message in either direction arrives: messages keep their order.
        var arrival: (there: Int64, back: Int64) = (0, 0)
        var waiting: ArraySlice<Dispatch> = []
        var overtaking: Set<AttemptToken> = []
        var running = 0
        var events: [Event] = []
        var isUrgent = false
        var lastReport: Int64 = -1_000_000
        var isStopped = false
        /// The events that arrive while the worker is stopped.
        var delayed: [Happening] = []

        /// Keeps an operation behind those of an earlier or the same turn; true if it overtakes others.
        mutating func keep(_ assignment: Dispatch) -> Bool {
            let position = waiting.lastIndex { $0.turn <= assignment.turn }.map { $0 + 1 } ?? waiting.startIndex
            defer { waiting.insert(assignment, at: position) }
            return position < waiting.endIndex
        }
    }

    /// The time of a message in either direction without a distance of its own, in microseconds.
    static let distance: Int64 = 100
    /// The time for which a worker with waiting operations gathers reports, in microseconds.
    private static let gathering: Int64 = 8000

    private(set) var scheduler: Scheduler
    private(set) var starts: [Start] = []
    /// The numbers of sent and of recalled attempts.
    private(set) var sentCount = 0
    private(set) var recalledCount = 0
    /// The number of operations whose ends the coordinator knows.
    private(set) var finishedCount = 0
    private(set) var now: Int64 = 1_000_000
    private let loads: [Load]
    private var workers: [Worker] = []
    private var moments = BinaryHeap<Moment>()
    private var count = 0
    private var jobs: [JobNumber: Int] = [:]
    private var readyTimes: [OperationID: Int64] = [:]
    private var clockAt: Int64?

    /// Whether all invariants are checked after each step.
    var isChecked = false
    /// The invariants that did not hold.
    private(set) var violations: [String] = []

    /// Submits the loads, and lets workers join.
    ///
    /// - Parameter distances: the time of a message to or from each worker, in microseconds; the workers tell the round trip.
    init(_ loads: [Load], slots: [Int], distances: [Int64] = [], sendAhead: SendAhead = .automatic) {
        self.loads = loads
        scheduler = Scheduler(configuration: Configuration(sendAhead: sendAhead))
        // Initial loads are submitted before the workers join, so that no queue comes first.
        for (number, load) in loads.enumerated() {
            if load.from == 0 { submit(number) } else { add(.submission(number), after: load.from) }
        }
        for (number, slots) in slots.enumerated() {
            let session = SessionID(rawValue: UInt64(number + 1))
            let distance = distances.indices.contains(number) ? distances[number] : Self.distance
            workers.append(Worker(session: session, slots: slots, distance: distance))
            let introduction = WorkerIntroduction(name: "w\(number)", session: session, slots: slots)
            apply([.workerJoined(introduction), .committed(.session(session))])
            if !distances.isEmpty { tell(2 * distance, by: number, after: 2 * distance) }
        }
    }

    /// Plays until the given number of operations have started, or no event is left.
    mutating func play(until starts: Int) {
        while self.starts.count < starts, violations.isEmpty, let moment = moments.removeMin() {
            now = moment.time
            meet(moment.happening)
        }
    }

    /// Plays until the coordinator knows the ends of the given number of operations, or no event is left.
    mutating func play(untilFinished count: Int) {
        while finishedCount < count, violations.isEmpty, let moment = moments.removeMin() {
            now = moment.time
            meet(moment.happening)
        }
    }

    /// Changes the time of a message to or from a worker, which tells the round trip.
    mutating func move(_ worker: Int, to distance: Int64) {
        workers[worker].distance = distance
        tell(2 * distance, by: worker, after: 3 * distance)
    }

    /// Lets a worker tell a round trip, in microseconds, true or not.
    mutating func tell(_ roundTrip: Int64, by worker: Int, after time: Int64 = 0) {
        add(.reported([.workerDistance(workers[worker].session, roundTrip: roundTrip)]), after: time)
    }

    /// Stops a worker like a process under SIGSTOP, and continues the worker later.
    mutating func stop(_ worker: Int, for time: Int64) {
        workers[worker].isStopped = true
        add(.continuation(worker: worker), after: time)
    }

    // MARK: - What happens

    private mutating func meet(_ happening: Happening) {
        switch happening {
        case .message(_, let worker), .end(_, let worker), .report(let worker):
            if workers[worker].isStopped { return workers[worker].delayed.append(happening) }
        default: break
        }
        switch happening {
        case .submission(let number): submit(number)
        case .message(.dispatch(let assignment), let worker):
            if workers[worker].keep(assignment) { workers[worker].overtaking.insert(assignment.token) }
            act(worker)
        case .message(.recall(let tokens), let worker):
            let asked = Set(tokens)
            let back = workers[worker].waiting.map(\.token).filter { asked.contains($0) }
            workers[worker].waiting.removeAll { asked.contains($0.token) }
            workers[worker].isUrgent = true
            if !back.isEmpty { workers[worker].events.append(.attemptsReturned(workers[worker].session, back)) }
            act(worker)
        case .end(let assignment, let worker):
            workers[worker].running -= 1
            if workers[worker].overtaking.remove(assignment.token) != nil { workers[worker].isUrgent = true }
            let length = Duration.microseconds(length(of: assignment))
            let told = loads[queue(of: assignment)].isNoOperation ? 0 : length.microseconds
            let result = AttemptResult(end: .exited(0), microseconds: told)
            let session = assignment.session
            workers[worker].events.append(
                .attemptEnded(session, assignment.token, assignment.operation, result, seed: 0)
            )
            act(worker)
        case .report(let worker): act(worker)
        case .reported(let events):
            finishedCount += events.count { if case .attemptEnded = $0 { true } else { false } }
            apply(events)
        case .continuation(let worker):
            workers[worker].isStopped = false
            let delayed = workers[worker].delayed
            workers[worker].delayed = []
            for happening in delayed { meet(happening) }
        case .clock:
            clockAt = nil
            apply([.timePassed])
        }
    }

    private mutating func submit(_ number: Int) {
        let load = loads[number]
        let limit = load.limit.map { QueueChange.Limit.atMost($0) }
        let change = QueueChange(name: load.name, maxConcurrent: limit, qualityOfService: load.quality)
        apply([.setQueue(change, request: RequestID(rawValue: 1))])
        var templates = [Template(work: Work(.noOperation))]
        var entries = [Entry(array: .numbers(first: 0, step: 1, count: load.count))]
        if load.isUnknown || load.isChain {
            templates = (0..<load.count).map { Template(work: Work(.commands([["\($0)"]]))) }
            entries = (0..<load.count).map { index in
                let before = load.isChain && index > 0 ? [Dependency(on: .entry(index - 1))] : []
                return Entry(template: load.isUnknown ? index : 0, dependencies: before)
            }
        }
        let submission = Submission(queueNames: [load.name], templates: templates, entries: entries)
        let job = scheduler.recordState.nextJob
        jobs[job] = number
        let request = RequestID(rawValue: 2)
        apply([.submit(submission.checked, ends: [:], request: request), .committed(.job(job))])
    }

    /// Lets a worker start operations in free slots, and send its reports.
    private mutating func act(_ number: Int) {
        var started: [AttemptToken] = []
        while workers[number].running < workers[number].slots, !workers[number].waiting.isEmpty {
            let next = workers[number].waiting.removeFirst()
            workers[number].running += 1
            started.append(next.token)
            if workers[number].overtaking.contains(next.token) { workers[number].isUrgent = true }
            let queue = queue(of: next)
            let ready = readyTimes.removeValue(forKey: next.operation) ?? 1_000_000 + loads[queue].from
            starts.append(Start(time: now, queue: queue, readyAt: ready, worker: number))
            add(.end(next, worker: number), after: length(of: next))
        }
        if !started.isEmpty {
            let starts = started.map { AttemptStart($0) }
            workers[number].events.append(.attemptsStarted(workers[number].session, starts))
        }
        guard !workers[number].events.isEmpty else { return }
        let due = workers[number].lastReport + Self.gathering
        guard workers[number].isUrgent || workers[number].waiting.isEmpty || due <= now else {
            return add(.report(worker: number), after: due - now)
        }
        workers[number].arrival.back = max(now + workers[number].distance, workers[number].arrival.back)
        add(.reported(workers[number].events), after: workers[number].arrival.back - now)
        workers[number].events = []
        workers[number].isUrgent = false
        workers[number].lastReport = now
    }

    private func queue(of assignment: Dispatch) -> Int { jobs[assignment.operation.job] ?? 0 }

    private func length(of assignment: Dispatch) -> Int64 {
        max(1, loads[queue(of: assignment)].length(Int(assignment.operation.index)))
    }

    private mutating func apply(_ events: [Event]) {
        var events = events
        while !events.isEmpty {
            let effects = scheduler.apply(events, at: Timestamp(rawValue: now))
            events = []
            for effect in effects {
                switch effect {
                case .dispatch(let assignment):
                    sentCount += 1
                    send(.dispatch(assignment), to: number(of: assignment.session))
                case .recallAttempts(let session, let tokens):
                    recalledCount += tokens.count
                    send(.recall(tokens), to: number(of: session))
                case .confirm(let milestone): events.append(.committed(milestone))
                case .event(.event(let event), queue: _):
                    if case .operations(let id, count: 1, .state(.ready, outcome: _, attempt: _, worker: _)) = event
                        .subject
                    {
                        readyTimes[id] = now
                    }
                default: break
                }
            }
        }
        if isChecked { violations += scheduler.violations() }
        guard let deadline = scheduler.nextDeadline?.rawValue, deadline < clockAt ?? .max else { return }
        clockAt = deadline
        add(.clock, after: max(0, deadline - now))
    }

    private mutating func send(_ message: Message, to worker: Int) {
        workers[worker].arrival.there = max(now + workers[worker].distance, workers[worker].arrival.there)
        add(.message(message, worker: worker), after: workers[worker].arrival.there - now)
    }

    private func number(of session: SessionID) -> Int { Int(session.rawValue) - 1 }

    private mutating func add(_ happening: Happening, after time: Int64) {
        count += 1
        moments.insert(Moment(time: now + time, number: count, happening: happening))
    }
}
