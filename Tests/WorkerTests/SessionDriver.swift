@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

/// Drives a session by hand: time passes when a test says so, and random numbers come from a seed.
struct SessionDriver {
    var session: WorkerSession
    var now = Duration.zero
    var random: SplitMix
    var isOver = false

    init(
        seed: UInt64 = 1,
        slots: UInt32 = 2,
        onCoordinatorLost: CoordinatorLossPolicy = .goOn,
        replaces: Bool = false,
        configure: (inout WorkerSession.Configuration) -> Void = { _ in }
    ) {
        var configuration = WorkerSession.Configuration(
            name: "w1",
            version: "test",
            slots: slots,
            host: "here",
            processID: 7,
            life: WorkerLife(rawValue: 1)
        )
        configuration.onCoordinatorLost = onCoordinatorLost
        configuration.replaces = replaces
        configure(&configuration)
        session = WorkerSession(configuration)
        random = SplitMix(seed: seed)
    }

    /// A session that has been welcomed, with nothing to run.
    static func welcomed(
        slots: UInt32 = 2,
        onCoordinatorLost: CoordinatorLossPolicy = .goOn
    ) -> SessionDriver {
        var driver = SessionDriver(slots: slots, onCoordinatorLost: onCoordinatorLost)
        driver.connect()
        driver.welcome()
        return driver
    }

    /// One turn with these events.
    ///
    /// - Parameter pause: the time without events before the turn.
    @discardableResult
    mutating func turn(
        _ events: WorkerSession.Event...,
        after pause: Duration = .zero
    ) -> [WorkerSession.Effect] {
        now += pause
        for event in events { session.handle(event, now: now, random: random.next()) }
        let effects = session.finishTurn(now: now)
        if effects.contains(where: { if case .exit = $0 { true } else { false } }) { isOver = true }
        return effects
    }

    /// One turn with these messages of the coordinator.
    @discardableResult
    mutating func receive(
        _ messages: CoordinatorMessage...,
        after pause: Duration = .zero
    ) -> [WorkerSession.Effect] {
        now += pause
        for message in messages { session.handle(.message(message), now: now, random: random.next()) }
        return turn()
    }

    /// Lets time pass until the next tick, and ticks.
    @discardableResult
    mutating func passTime() -> [WorkerSession.Effect] {
        guard let next = session.nextTick else { return [] }
        now = max(now, next)
        return turn(.tick)
    }

    /// Lets time pass until the next tick, and ticks; if a look at the connection is due, it shows what `look` returns for the time.
    @discardableResult
    mutating func passTime(_ look: (Duration) -> WorkerSession.Event) -> [WorkerSession.Effect] {
        guard let next = session.nextTick else { return [] }
        now = max(now, next)
        if session.isLookDue(at: now) { session.handle(look(now), now: now, random: random.next()) }
        return turn(.tick)
    }

    /// Opens the connection that the session wants, and returns the effects of the hello.
    @discardableResult
    mutating func connect() -> [WorkerSession.Effect] {
        while true {
            let effects = passTime()
            if !effects.opened.isEmpty { return turn(.connectionOpened) }
        }
    }

    /// The welcome that answers the last hello, without attempts and without a rank.
    var plainWelcome: Welcome {
        Welcome(
            protocolVersion: ProtocolVersion.newest,
            session: session.session,
            epoch: 1,
            heartbeatInterval: .seconds(1),
            lease: .seconds(45),
            staleAttempts: [],
            recalledAttempts: []
        )
    }

    /// Answers the last hello.
    ///
    /// - Returns: the effects without the list of kept files, which is empty for most workers.
    @discardableResult
    mutating func welcome(
        speaking version: UInt16 = ProtocolVersion.newest,
        stale: [AttemptToken] = [],
        foreign: [AttemptToken] = [],
        recalled: [AttemptToken] = [],
        paused: [AttemptToken] = [],
        heartbeatInterval: Duration = .seconds(1),
        lease: Duration = .seconds(45),
        rank: LeaderRank? = nil
    ) -> [WorkerSession.Effect] {
        let effects = receive(
            .welcome(
                Welcome(
                    protocolVersion: version,
                    session: session.session,
                    epoch: rank?.epoch ?? 1,
                    incarnation: rank?.incarnation ?? .unknown,
                    heartbeatInterval: heartbeatInterval,
                    lease: lease,
                    staleAttempts: stale,
                    foreignAttempts: foreign,
                    recalledAttempts: recalled,
                    pausedAttempts: paused,
                    record: rank?.record ?? .unknown
                )
            )
        )
        return effects.filter { $0 != .send(.filesHeld(session.session, [], isFirst: true)) }
    }

    /// Sends attempts with these serials to run.
    @discardableResult
    mutating func dispatch(
        _ serials: UInt64...,
        hasInputs: Bool = false,
        hookOutcome: Outcome? = nil
    ) -> [WorkerSession.Effect] {
        receive(.dispatch(batch(serials.map { token($0) }, hasInputs: hasInputs, hookOutcome: hookOutcome)))
    }
}

extension Work {
    /// The work of attempts that only a session sees.
    static let command = Work(.commands([["true"]]))
}

/// A batch of attempts; the operation of attempt n is 1/n.
func batch(
    _ tokens: [AttemptToken],
    work: Work = .command,
    hasInputs: Bool = false,
    hookOutcome: Outcome? = nil
) -> DispatchBatch {
    DispatchBatch(
        works: [work],
        queues: ["main"],
        items: tokens.map { token in
            let assignment = Assignment(
                token: token,
                operation: OperationID(job: JobNumber(1), index: UInt32(token.serial)),
                attempt: 1,
                hasInputs: hasInputs,
                hookOutcome: hookOutcome
            )
            return DispatchBatch.Item(assignment, work: 0, queue: 0)
        }
    )
}

extension DispatchBatch {
    /// The attempts with their work, as a session starts them.
    var assigned: [AssignedWork] {
        items.map { AssignedWork(assignment: $0.assignment, work: works[Int($0.work)], queue: queues[Int($0.queue)]) }
    }
}

/// The attempt with this serial of the first epoch.
func token(_ serial: UInt64) -> AttemptToken { AttemptToken(epoch: 1, serial: serial) }

/// A distinguishable result.
func result(_ status: Int32 = 0) -> AttemptResult { AttemptResult(end: .exited(status)) }

extension [WorkerSession.Effect] {
    /// The sent messages.
    var messages: [WorkerMessage] {
        compactMap { if case .send(let message) = $0 { message } else { nil } }
    }

    /// The hellos that are sent.
    var hellos: [WorkerHello] {
        messages.compactMap { if case .hello(let hello) = $0 { hello } else { nil } }
    }

    /// The reports that are sent.
    var reports: [AttemptReport] {
        messages.compactMap { if case .report(_, let report) = $0 { report } else { nil } }
    }

    /// The completions that are sent.
    var completions: [Completion] { reports.flatMap(\.completions) }

    /// The attempts that are reported as started.
    var reportedStarts: [AttemptToken] { reports.flatMap(\.started).map(\.token) }

    /// The attempts that are given back.
    var returned: [AttemptToken] { reports.flatMap(\.returned) }

    /// The places to which connections are opened.
    var opened: [Int] { compactMap { if case .openConnection(let place) = $0 { place } else { nil } } }

    /// What people are told about the leader.
    var leaderNews: [WorkerSession.LeaderNews] {
        compactMap { if case .noteLeader(let news) = $0 { news } else { nil } }
    }

    /// The ranks that are kept.
    var keptRanks: [KnownRanks] { compactMap { if case .keepRanks(let ranks) = $0 { ranks } else { nil } } }

    /// The attempts that are started.
    var started: [AttemptToken] {
        compactMap { if case .startAttempt(let assigned) = $0 { assigned.assignment.token } else { nil } }
    }

    /// The attempts that are ended.
    var ended: [AttemptToken] {
        compactMap { if case .endAttempt(let token, _) = $0 { token } else { nil } }
    }
}
