@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// A worker as simple state: attempts with their durations, and the reports that the coordinator has not received or acknowledged.
struct FleetWorker {
    /// An attempt that the worker has and that is not over.
    struct Attempt {
        let token: AttemptToken
        let operation: OperationID
        let number: UInt32
        /// How long the attempt takes.
        let duration: Duration
        /// When it has started; the beginning of time for one that waits for a slot.
        var startedAt = Timestamp(rawValue: 0)

        /// When a started attempt ends.
        var endsAt: Timestamp { startedAt + duration }
    }

    /// The end of an attempt that the coordinator has not acknowledged.
    struct End {
        let attempt: Attempt
        /// When it was.
        let at: Timestamp
    }

    /// How far a worker is with its connection.
    enum Connection {
        /// No coordinator is there.
        case away
        /// The next hello is due at this moment, unless a welcome comes before.
        case greeting(nextHello: Timestamp)
        /// The coordinator has welcomed the session.
        case welcomed
    }

    /// How long a worker waits for the answer to a hello before it says hello again.
    static let patience = Duration.seconds(5)

    /// The worker's number, from 0.
    let number: Int
    /// The number of slots.
    let slots: Int
    var connection = Connection.away
    var session = SessionID(rawValue: 0)
    var sessionNumber: UInt64 = 0
    /// The number that the hellos over the present connection repeat.
    var echo: UInt64?
    var heartbeatInterval = Duration.seconds(2)
    var heartbeats: UInt64 = 0
    var lastSent = Timestamp(rawValue: 0)
    /// The attempts that wait for a slot, in the order of their arrival.
    var waiting: [Attempt] = []
    var running: [Attempt] = []
    /// The ends, in their order, from the first that is not acknowledged.
    var outbox: [End] = []
    /// How many of the last ends in the outbox are not reported in this session.
    var unreportedEnds = 0
    /// The starts that are not reported in this session.
    var unreportedStarts: [AttemptToken] = []
    /// The attempts that the worker gives back.
    var returned: [AttemptToken] = []

    init(number: Int, slots: Int) {
        self.number = number
        self.slots = slots
    }

    /// Whether the coordinator has welcomed the worker.
    var isWelcomed: Bool { if case .welcomed = connection { true } else { false } }

    // MARK: - Attempts

    /// Ends the attempts whose time is over.
    mutating func end(at now: Timestamp) {
        guard running.contains(where: { $0.endsAt <= now }) else { return }
        let over = running.filter { $0.endsAt <= now }.sorted { $0.endsAt < $1.endsAt }
        running.removeAll { $0.endsAt <= now }
        for attempt in over { outbox.append(End(attempt: attempt, at: attempt.endsAt)) }
        unreportedEnds += over.count
    }

    /// Starts waiting attempts in free slots, and returns their operations.
    ///
    /// A worker without a coordinator starts no attempt: the operation may belong to another worker by now.
    mutating func start(at now: Timestamp) -> [OperationID] {
        guard isWelcomed, !waiting.isEmpty, running.count < slots else { return [] }
        let count = min(slots - running.count, waiting.count)
        var started: [OperationID] = []
        for var attempt in waiting.prefix(count) {
            attempt.startedAt = now
            running.append(attempt)
            unreportedStarts.append(attempt.token)
            started.append(attempt.operation)
        }
        waiting.removeFirst(count)
        return started
    }

    /// Gives attempts back, except for attempts that have started.
    mutating func giveBack(_ tokens: [AttemptToken]) {
        let unstarted = waiting.map { $0.token }.filter { tokens.contains($0) }
        guard !unstarted.isEmpty else { return }
        returned += unstarted
        waiting.removeAll { unstarted.contains($0.token) }
    }

    /// Forgets an acknowledged end, and returns its operation; nil for an unknown one.
    mutating func forget(_ token: AttemptToken) -> OperationID? {
        guard let place = outbox.firstIndex(where: { $0.attempt.token == token }) else { return nil }
        unreportedEnds = min(unreportedEnds, outbox.count - 1)
        return outbox.remove(at: place).attempt.operation
    }

    // MARK: - Messages

    /// Loses the connection.
    mutating func disconnect() {
        connection = .away
        echo = nil
    }

    /// Says hello in a new session, with all attempts.
    mutating func hello(session: SessionID, at now: Timestamp) -> WorkerMessage {
        self.session = session
        sessionNumber += 1
        connection = .greeting(nextHello: now + Self.patience)
        lastSent = now
        unreportedStarts = []
        returned = []
        unreportedEnds = outbox.count
        let attempts =
            outbox.map { Self.claim(of: $0.attempt, .finished, at: now) }
            + running.map { Self.claim(of: $0, .running, at: now) }
            + waiting.map { Self.claim(of: $0, .waiting, at: now) }
        return .hello(
            WorkerHello(
                version: "capacity",
                name: "w\(number + 1)",
                session: session,
                slots: UInt32(slots),
                host: "host\(number + 1)",
                processID: 1,
                life: WorkerLife(rawValue: 1),
                sessionNumber: sessionNumber,
                attempts: attempts,
                id: WorkerID(rawValue: UInt64(number) + 1),
                echo: echo
            )
        )
    }

    private static func claim(of attempt: Attempt, _ phase: ClaimedAttempt.Phase, at now: Timestamp) -> ClaimedAttempt {
        ClaimedAttempt(
            token: attempt.token,
            operation: attempt.operation,
            attempt: attempt.number,
            phase: phase,
            age: phase == .waiting ? 0 : (now - attempt.startedAt).microseconds
        )
    }

    /// The next message of a welcomed worker: a report, or a heartbeat; nil if no message is due.
    mutating func message(at now: Timestamp) -> WorkerMessage? {
        if unreportedEnds > 0 || !unreportedStarts.isEmpty || !returned.isEmpty {
            lastSent = now
            defer {
                unreportedEnds = 0
                unreportedStarts = []
                returned = []
            }
            return .report(session, report(at: now))
        }
        guard now >= lastSent + heartbeatInterval else { return nil }
        lastSent = now
        heartbeats += 1
        return .heartbeat(session, number: heartbeats)
    }

    private func report(at now: Timestamp) -> AttemptReport {
        // The end of an attempt gives its start.
        let started = running.filter { unreportedStarts.contains($0.token) }
        return AttemptReport(
            started: started.map { AttemptStart($0.token, age: (now - $0.startedAt).microseconds) },
            returned: returned,
            completions: outbox.suffix(unreportedEnds).map { end in
                let time = end.attempt.duration.microseconds
                return Completion(
                    token: end.attempt.token,
                    operation: end.attempt.operation,
                    result: AttemptResult(
                        end: .exited(0),
                        microseconds: time,
                        usage: AttemptUsage(processorMicroseconds: time / 2, peakMemory: 4 << 20)
                    ),
                    age: (now - end.at).microseconds
                )
            }
        )
    }

    /// When the worker acts next; nil if only a message can move it.
    var nextMoment: Timestamp? {
        let nextEnd = running.map(\.endsAt).min()
        switch connection {
        case .away: return nextEnd
        case .greeting(let nextHello): return min(nextHello, nextEnd ?? nextHello)
        case .welcomed:
            let heartbeat = lastSent + heartbeatInterval
            return min(heartbeat, nextEnd ?? heartbeat)
        }
    }
}
