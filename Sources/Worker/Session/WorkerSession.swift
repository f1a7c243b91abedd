@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The decisions of a worker's session with the coordinator: a pure state machine without side effects.
///
/// Feed events to ``handle(_:now:random:)`` and end each turn with ``finishTurn(now:)``, which returns the effects to
/// carry out. Time and random numbers are parameters, so a run can be repeated exactly.
///
/// The session keeps each attempt from its dispatch until the coordinator has acknowledged its end. While the
/// coordinator is away, attempts start and go on, their completions wait, and every hello lists all of them.
///
/// An attempt waits until it gets a slot. The session answers a recall with the attempt's start or end before any
/// other report: an attempt not reported as started by then never starts.
@_spi(Baton) public struct WorkerSession: Sendable {
    /// The state of the conversation with the coordinator.
    enum Connection: Hashable, Sendable {
        /// No connection exists; the session opens a new connection at this time.
        case away(until: Duration)
        /// The surroundings are opening a connection.
        case opening
        /// The session sent a hello at this time, and awaits the answer.
        case greeting(since: Duration)
        /// The coordinator answered at this time that it stands by; the session waits at this place until a coordinator leads.
        case standingBy(since: Duration)
        /// The coordinator knows this session.
        case welcomed(HeartbeatTimes)
        /// The coordinator has refused this worker, whose attempts are being ended or finish.
        case refused(Refusal)
        /// The worker has left.
        case over
    }

    let configuration: Configuration
    /// The time of the current event in microseconds, the unit of all attempt times.
    var moment: Int64 = 0
    var connection = Connection.away(until: .zero)
    /// The place of the present or latest connection; nil before the first.
    var place: Int?
    /// What is known of the places.
    var choice: LeaderChoice
    /// The coordinators that the worker has obeyed; with several places alone.
    var ranks: KnownRanks
    /// The rank of the coordinator of the latest welcome; nil if it has not told any, and with one place.
    var rank: LeaderRank?
    /// The time at which a coordinator was left because its record may be an older copy; nil if the latest welcome was obeyed.
    var doubtedSince: Duration?
    /// Whether the inquiries were opened.
    var hasInquired = false
    /// The places at which the keys have not let the worker in since the last welcome; with several places alone.
    var barringPlaces: Set<Int> = []
    var session = SessionID(rawValue: 0)
    /// The number of sessions so far.
    var sessionNumber: UInt64 = 0
    /// The number that the coordinator has sent over the present connection, for the hellos there; nil before.
    var echo: UInt64?
    var lastHeard = Duration.zero
    /// The time of the last look at the connection.
    var lastLook = Duration.zero
    /// How long the answer to a hello may take at least, by the round trip of the present connection.
    var farPatience = Duration.zero
    /// The time of the last sent heartbeat.
    var lastHeartbeat = Duration.zero
    /// The round trip to the coordinator.
    var roundTrip = RoundTrip()
    /// How long attempts may start after the worker sent a message that the coordinator has answered.
    var lease = Duration.zero
    /// The time until which attempts may start.
    ///
    /// Later, the coordinator may have declared this worker lost, and dispatched the attempts elsewhere or promised
    /// that they do not start (D5).
    var mayStartUntil = Duration.zero
    /// The time of the last sign of life from a coordinator that knows the session; nil before the first welcome.
    var lastContact: Duration?
    /// Since when every word about the key has been a refusal; nil before, and after a welcome.
    var refusedSince: Duration?
    /// Whether the coordinator has been away for too long; no attempt starts before its return.
    public internal(set) var hasGivenUpCoordinator = false
    /// The number of consecutive connections without a welcome.
    var fruitlessConnections = 0
    var attempts: [AttemptToken: Attempt] = [:]
    /// The number of the next attempt that arrives.
    var nextArrival: UInt64 = 0
    /// The worker's slots, and the attempts that wait for a slot.
    var slots: Lane
    /// The places of completion hooks, which need no slot.
    var hooks: Lane
    /// The memory and the units of resources that attempts hold.
    var resources: ResourcePool
    /// The attempts whose inputs are fetched or wait to be fetched.
    var inputs: InputWindow
    /// The files that the worker keeps, and the files that attempts wait for.
    var files: SessionFiles
    /// The number of started attempts that have not ended.
    var runningCount = 0
    /// The attempts that are stopped.
    var stops: [AttemptToken: Stop] = [:]
    /// The running attempts that the coordinator wants stopped.
    var paused: Set<AttemptToken> = []
    /// Whether this session has not told of the latest stops.
    var hasUntoldStops = false
    /// The version of the protocol that the coordinator of the last welcome speaks.
    var protocolVersion = ProtocolVersion.oldest
    /// The latest progress of running attempts.
    var progress: [AttemptToken: OperationProgress] = [:]
    /// The attempts whose latest progress this session has not sent yet.
    var unsentProgress: Set<AttemptToken> = []
    var forgotten = ForgottenTokens()
    /// The time until which the results of foreign attempts are kept; nil without foreign attempts.
    var foreignUntil: Duration?
    var inheritance = Inheritance()
    /// The places in the ledger of the directory; nil without a ledger.
    var startPlaces: StartPlaces?
    var unsent = Unsent()
    /// The time of this session's last report about attempts; nil before the first report.
    var lastReport: Duration?
    var leaving = Leaving.no
    /// The last moment at which the worker had something to do, or the first moment; nil before the first event.
    var idleSince: Duration?
    /// The reason for which the host could not start the last attempt; nil after a successful start.
    var fault: String?
    var effects: [Effect] = []

    /// Creates a session that opens its first connection at the first tick.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        choice = LeaderChoice(places: configuration.places, kept: configuration.knownRanks.highest)
        ranks = configuration.knownRanks
        slots = Lane(places: Int(configuration.slots))
        hooks = Lane(places: configuration.hooksAtOnce)
        resources = ResourcePool(configuration.offer)
        inputs = InputWindow(slots: Int(configuration.slots))
        files = SessionFiles(configuration.heldFiles)
        startPlaces = configuration.leftStarts.map { StartPlaces($0) }
    }

    /// Whether the coordinator has answered the current session's hello.
    public var isWelcomed: Bool {
        if case .welcomed = connection { true } else { false }
    }

    /// Whether the session has ended.
    public var isOver: Bool { connection == .over }

    /// The number of attempts in memory: attempts that have not ended, and attempts whose ends are not acknowledged.
    public var attemptCount: Int { attempts.count }

    /// Takes in an event; the consequences come with ``finishTurn(now:)``.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - now: the time since a fixed moment, by a clock that never goes backwards.
    ///   - random: a fresh random number.
    /// - Complexity: O(tokens in the event); events that visit all n attempts, such as a welcome or a stop, take
    ///   O(n log n).
    public mutating func handle(_ event: Event, now: Duration, random: UInt64) {
        guard !isOver else { return }
        moment = now.microseconds
        if idleSince == nil { inherit(configuration.inherited) }
        noteBusyness(now: now)
        switch event {
        case .tick:
            watch(now: now, random: random)
            judgeAbsence(now: now)
            forgetForeign(now: now)
            judgeLimits(now: now)
        case .connectionOpened:
            guard connection == .opening else { return }
            greet(now: now, random: random)
        case .connectionLost:
            guard connection != .opening else { return reopenLater(now: now, random: random) }
            loseConnection(now: now, random: random)
        case .notAdmitted(let obstacle):
            endUnlessNeeded(because: obstacle, now: now)
        case .leadership(let leadership, let place):
            note(leadership, at: place, now: now, random: random)
        case .placeSilent(let place):
            noteSilence(at: place, now: now, random: random)
        case .placeLost(let place):
            choice.noteLost(at: place)
        case .connectionSeen(let sign, let roundTrip):
            noteLook(sign, roundTrip: roundTrip, now: now)
        case .message(let message):
            guard !isRefused else { return }
            lastHeard = now
            receive(message, now: now, random: random)
            if isWelcomed { lastContact = now }
        case .slotFreed(let token):
            freePlace(of: token)
        case .attemptFinished(let token, let result):
            finish(token, with: result)
        case .attemptsProgressed(let reported):
            note(reported)
        case .attemptsStopped(let signals):
            noteStops(signals)
        case .outputRead(let request, let chunk):
            if isWelcomed { effects.append(.send(.output(request: request, chunk))) }
        case .filesFetched(let token):
            filesFetched(for: token)
        case .filesUnavailable(let token, let digests):
            filesUnavailable(digests, for: token)
        case .noRoomForFiles(let token, let lack):
            noRoomForFiles(lack, for: token)
        case .filesChanged(let held, let dropped):
            files.note(held: held, dropped: dropped, isTold: isWelcomed)
        case .fileLost(let digest, let isDamaged):
            tellLoss(of: digest, isDamaged: isDamaged)
        case .filesArriving(let bytes):
            tellFetches(bytes)
        case .filesVerified(let digests):
            if isWelcomed { files.tellAgain(digests) }
        case .filesNotCopied(let session, let digests, let hasRoom):
            if isWelcomed, session == self.session {
                effects.append(.send(.filesNotCopied(session, digests, hasRoom: hasRoom)))
            }
        case .startFailed(let why):
            startFailed(why)
        case .startSucceeded:
            startSucceeded()
        case .stopRequested:
            leave(now: now)
        case .finishRequested:
            finish()
        case .everythingKilled:
            sayGoodbye(now: now)
        }
    }

    /// Ends a turn of events: starts waiting attempts, and reports the turn's starts and ends together.
    ///
    /// - Parameters:
    ///   - now: the time since the same moment as that of the events.
    ///   - holdsReports: whether an attempt whose place is free already ends in the next turn. A report before would tell of
    ///     more executing attempts than the worker has places.
    /// - Returns: the effects to carry out, in order; a report precedes the starts of the attempts it reports.
    public mutating func finishTurn(now: Duration, holdsReports: Bool = false) -> [Effect] {
        guard !isOver || !effects.isEmpty else { return [] }
        moment = now.microseconds
        let canStart = !isOver && !isRefused && now < mayStartUntil && !hasGivenUpCoordinator
        let starts = canStart ? startWaiting() : []
        eraseStarts()
        requestInputs()
        if !holdsReports, let reportDueAt, reportDueAt <= now { sendReport(now: now) }
        if files.hasNews { tellFiles() }
        sendProgress(now: now)
        tellStops(now: now)
        if isRefused { exitWhenDone(now: now) } else if leaving != .no { leaveWhenDone(now: now) }
        // Mostly there is nothing before the starts, which then are not copied.
        if effects.isEmpty { effects = starts } else { effects += starts }
        invariant(runningCount <= attempts.count, "More attempts run than the worker has.")
        invariant(slots.taken + hooks.taken <= runningCount, "More places are taken than attempts run.")
        // The last pass of each turn has no effects, and keeps its room for them.
        guard !effects.isEmpty else { return [] }
        defer { effects.removeAll(keepingCapacity: true) }
        return effects
    }

    /// The time of the next tick if no event comes before; nil if no tick is due, as after the end.
    public var nextTick: Duration? {
        var next: Duration?
        func consider(_ time: Duration) { next = min(next ?? time, time) }
        switch connection {
        case .away(let until): consider(until)
        case .opening, .refused, .over: break
        case .greeting: consider(lastHeard + welcomePatience)
        case .standingBy(let since): consider(since + Self.standbyPatience)
        case .welcomed(let times):
            consider(lastHeartbeat + times.interval)
            consider(lastHeard + times.longestSilence)
            if let lookDueAt { consider(lookDueAt) }
        }
        if let reportDueAt { consider(reportDueAt) }
        if let coordinatorDeadline { consider(coordinatorDeadline) }
        if let foreignUntil { consider(foreignUntil) }
        if let departureDueAt { consider(departureDueAt) }
        if let limitDueAt { consider(limitDueAt) }
        return next
    }
}
