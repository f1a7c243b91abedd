import BatonOperations
import BatonWire

/// What a worker's session with the coordinator decides, without doing any of it: a pure state machine.
///
/// Feed it events with ``handle(_:now:random:)`` and end each turn with ``finishTurn(now:)``, which returns what is to be
/// done. Time and random numbers come in from outside, so that a run can be repeated exactly.
///
/// It keeps each attempt from its dispatch until the coordinator has acknowledged its end: while the coordinator is
/// away attempts start and go on and their completions wait, and every hello lists them all.
///
/// An attempt waits until it is given a slot. Who asks for it back is told of its start or its end before anything else: what is
/// not said to have started by then never will be.
public struct WorkerSession: Sendable {
    /// Where the conversation with the coordinator stands.
    enum Connection: Hashable, Sendable {
        /// There is no connection; a new one is opened then.
        case away(until: Duration)
        /// A connection is being opened by the surroundings.
        case opening
        /// A hello was sent then, and the answer is awaited.
        case greeting(since: Duration)
        /// The coordinator knows this session.
        case welcomed(heartbeatInterval: Duration)
        /// The worker has left.
        case over
    }

    let configuration: Configuration
    /// The moment of what is being handled, in microseconds: that is reckoned with for every attempt.
    var moment: Int64 = 0
    var connection = Connection.away(until: .zero)
    var session = SessionID(rawValue: 0)
    /// How many sessions there were.
    var sessionNumber: UInt64 = 0
    var lastHeard = Duration.zero
    /// When the last heartbeat was sent.
    var lastHeartbeat = Duration.zero
    /// How long attempts may be started after something was sent that the coordinator has answered.
    var lease = Duration.zero
    /// Until when attempts may be started: later, the coordinator may have taken this worker for lost, and given them to
    /// others or promised that they do not start (D5).
    var mayStartUntil = Duration.zero
    /// When a coordinator was last heard that knew the session; nil where none ever did.
    var lastContact: Duration?
    /// The coordinator has been away for too long: nothing is started before it is back.
    public internal(set) var hasGivenUpCoordinator = false
    /// Connections in a row that brought no welcome.
    var fruitlessConnections = 0
    var attempts: [AttemptToken: Attempt] = [:]
    /// The number of the next attempt that arrives.
    var nextArrival: UInt64 = 0
    /// The worker's slots, and the attempts that wait for one.
    var slots: Lane
    /// Completion hooks need no slot.
    var hooks: Lane
    /// Attempts that were started and are not over.
    var runningCount = 0
    var settled = SettledTokens()
    /// Until when the results of foreign attempts are kept; nil where there are no such attempts.
    var foreignUntil: Duration?
    var unsent = Unsent()
    /// When attempts were last reported in this session; nil where none were.
    var lastReport: Duration?
    var leaving = Leaving.no
    /// Why the host could not start the last thing that was to start; nil where it could.
    var fault: String?
    var effects: [Effect] = []

    /// Makes a session that opens its first connection with the first tick.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        slots = Lane(places: Int(configuration.slots))
        hooks = Lane(places: configuration.hooksAtOnce)
    }

    /// Whether the coordinator has answered the current session's hello.
    public var isWelcomed: Bool {
        if case .welcomed = connection { true } else { false }
    }

    /// How many attempts are held: those that are not over, and those whose ends are not acknowledged.
    public var heldCount: Int { attempts.count }

    /// Takes in what happened; the consequences come with ``finishTurn(now:)``.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - now: the time since some fixed moment, by a clock that never goes backwards.
    ///   - random: a fresh random number.
    /// - Complexity: O(what the event names); a welcome takes O(n log n) for n held attempts.
    public mutating func handle(_ event: Event, now: Duration, random: UInt64) {
        guard connection != .over else { return }
        moment = now.microseconds
        switch event {
        case .tick:
            watch(now: now, random: random)
            judgeAbsence(now: now)
            forgetForeign(now: now)
        case .connectionOpened:
            guard connection == .opening else { return }
            greet(now: now, random: random)
        case .connectionLost:
            guard connection != .opening else { return reopenLater(now: now, random: random) }
            loseConnection(now: now, random: random)
        case .message(let message):
            lastHeard = now
            take(message, now: now, random: random)
            if isWelcomed { lastContact = now }
        case .slotFreed(let token):
            freePlace(of: token)
        case .attemptFinished(let token, let result):
            finish(token, with: result)
        case .outputRead(let request, let chunk):
            if isWelcomed { effects.append(.send(.output(request: request, chunk))) }
        case .startFailed(let why):
            startFailed(why)
        case .startSucceeded:
            startSucceeded()
        case .stopRequested:
            leave()
        case .everythingKilled:
            sayGoodbye(now: now)
        }
    }

    /// Ends a turn of events: what can start is started, and what became of attempts in the turn goes out together.
    ///
    /// - Returns: what is to be done, in this order; a report that is due comes before the attempts that it says to have
    ///   started.
    public mutating func finishTurn(now: Duration) -> [Effect] {
        guard connection != .over || !effects.isEmpty else { return [] }
        moment = now.microseconds
        let canStart = connection != .over && now < mayStartUntil && !hasGivenUpCoordinator
        let starts = canStart ? startWaiting() : []
        if let reportDueAt, reportDueAt <= now { sendReport(now: now) }
        if leaving != .no { leaveWhenDone(now: now) }
        effects += starts
        defer { effects.removeAll(keepingCapacity: true) }
        return effects
    }

    /// When a tick is due if nothing else happens; nil once it is over.
    public var nextTick: Duration? {
        var next: Duration?
        func consider(_ time: Duration) { next = min(next ?? time, time) }
        switch connection {
        case .away(let until): consider(until)
        case .opening, .over: break
        case .greeting(let since): consider(since + configuration.welcomePatience)
        case .welcomed(let interval):
            consider(lastHeartbeat + interval)
            consider(lastHeard + interval * configuration.silentIntervals)
        }
        if let reportDueAt { consider(reportDueAt) }
        if let coordinatorDeadline { consider(coordinatorDeadline) }
        if let foreignUntil { consider(foreignUntil) }
        if case .settling(let deadline) = leaving, connection != .over { consider(deadline) }
        return next
    }
}
