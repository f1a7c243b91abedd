@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire

/// What workers have run since they joined, or since the coordinator's start, and which workers have left.
///
/// The histories are for people who look at a cluster, and are not in the record: a restart begins new ones. Guarantees that the
/// memory stays bounded, however many workers come and go.
struct WorkerHistories {
    /// What one worker has run.
    struct History {
        /// The number of ends that a history lists.
        static let mostEnds = 20

        var since: Timestamp
        var succeeded = 0
        var unsuccessful = 0
        /// The last ends, oldest first, in a ring that starts at ``next``.
        private var ends: [WorkerDocument.Ended] = []
        private var next = 0
        /// The worker as it was when it left; nil for a present worker.
        fileprivate(set) var departure: (view: WorkerView, at: Timestamp)?

        init(since: Timestamp) {
            self.since = since
        }

        /// The last ends, newest first.
        var newestFirst: [WorkerDocument.Ended] { (ends[next...] + ends[..<next]).reversed() }

        /// Notes ends of attempts.
        fileprivate mutating func note(_ completions: [Completion], at now: Timestamp, _ lasts: Set<AttemptToken>) {
            for index in completions.indices {
                note(completions[index], at: now, wasLast: lasts.contains(completions[index].token))
            }
        }

        private mutating func note(_ completion: Completion, at now: Timestamp, wasLast: Bool) {
            var end = WorkerDocument.Ended(completion, at: now)
            if end.end == .stopped, wasLast { end.end = .lost }
            if end.end == .exit, end.exitStatus == 0 { succeeded += 1 } else { unsuccessful += 1 }
            guard ends.count == Self.mostEnds else { return ends.append(end) }
            ends[next] = end
            next = (next + 1) % Self.mostEnds
        }
    }

    /// How long a worker is listed after it has left.
    static let memory = Duration.seconds(3_600)
    /// The number of workers that have left and are listed.
    static let mostDepartures = 1_000

    private var histories: [String: History] = [:]
    /// The workers that have left, oldest departure first; some of them may have come back.
    private var departures: [(name: String, at: Timestamp)] = []

    /// The history of a worker; nil for one that is not known.
    subscript(name: String) -> History? { histories[name] }

    /// Notes that a worker has joined; a returning worker continues its history.
    mutating func join(_ name: String, at now: Timestamp) {
        histories[name, default: History(since: now)].departure = nil
    }

    /// Notes what a worker has reported.
    ///
    /// - Parameter lasts: the attempts after which their operations are finished; one that was stopped is lost, as other documents say.
    mutating func note(
        _ completions: [Completion],
        of name: String,
        at now: Timestamp,
        lasts: Set<AttemptToken> = []
    ) {
        guard !completions.isEmpty else { return }
        // The history is looked up once, and no end is copied: reports may have hundreds of them.
        histories[name, default: History(since: now)].note(completions, at: now, lasts)
    }

    /// Notes that a worker has left.
    mutating func leave(_ view: WorkerView, at now: Timestamp) {
        histories[view.name, default: History(since: now)].departure = (view, now)
        departures.append((view.name, now))
        expire(at: now)
    }

    /// The workers that have left during the last hour, with the times.
    mutating func departed(at now: Timestamp) -> [(view: WorkerView, at: Timestamp)] {
        expire(at: now)
        return histories.values.compactMap(\.departure)
    }

    /// Forgets the workers that left too long ago, and lost workers that are no longer on the list.
    mutating func keepOnly(at now: Timestamp, _ isListed: (String) -> Bool) {
        expire(at: now)
        histories = histories.filter { $0.value.departure != nil || isListed($0.key) }
    }

    private mutating func expire(at now: Timestamp) {
        let overdue = departures.prefix { now - $0.at >= Self.memory }.count
        let count = max(overdue, departures.count - Self.mostDepartures)
        guard count > 0 else { return }
        for (name, moment) in departures.prefix(count) where histories[name]?.departure?.at == moment {
            histories[name] = nil
        }
        departures.removeFirst(count)
        invariant(departures.count <= Self.mostDepartures, "More workers that have left are listed than may be.")
    }
}

extension WorkerDocument.Ended {
    /// Describes the end of an attempt.
    fileprivate init(_ completion: Completion, at now: Timestamp) {
        var (exitStatus, signal): (Int32?, Int32?) = (nil, nil)
        let end: End
        switch completion.result.end {
        case .exited(let status): (end, exitStatus) = (.exit, status)
        case .signalled(let number): (end, signal) = (.signal, number)
        case .timedOut: end = .timeout
        case .exceededMemory: end = .memory
        case .cancelled(let status, let number): (end, exitStatus, signal) = (.cancelled, status, number)
        case .notStarted: end = .launch
        case .unusableResult: end = .result
        case .unkeptFiles, .noRoom(_, hasRun: true): end = .files
        case .threw: end = .error
        case .workerFault(_, hasRun: false), .noRoom(_, hasRun: false), .lostInputs: end = .givenBack
        case .workerFault, .interrupted: end = .lost
        case .stopped: end = .stopped
        }
        self.init(
            operation: completion.operation,
            end: end,
            exitStatus: exitStatus,
            signal: signal,
            seconds: Double(completion.result.microseconds) / 1_000_000,
            endedAt: now
        )
    }
}
