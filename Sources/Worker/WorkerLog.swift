@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// What the log says of a worker's session and of what it runs.
///
/// The lines have no commands, environments or outputs, because secrets may be in them. Owns what the log has said so far.
struct WorkerLog {
    /// The interval between log lines while starts fail, or while the keys do not let the worker in.
    static let faultInterval = Duration.seconds(60)

    private let logger: Logger
    private let onCoordinatorLost: CoordinatorLossPolicy
    private let drainTimeout: Duration
    /// Whether the worker is a part of its coordinator, and ends with it.
    private let isKeeper: Bool
    /// What the log has said of attempts that have not ended, and when; empty unless the log has their starts.
    private var attempts: [AttemptToken: (Logger.Metadata, ContinuousClock.Instant)] = [:]
    /// The time of the last line about failing starts; nil while starts succeed.
    private var faultAt: Duration?
    private var wasWelcomed = false
    private var wasRefused = false
    private var hadGivenUp = false
    /// The latest line about the coordinator's place among others, and its time; nil after a welcome.
    private var leaderNews: (news: WorkerSession.LeaderNews, toldAt: Duration)?

    init(_ logger: Logger, for configuration: WorkerSession.Configuration) {
        self.logger = logger
        onCoordinatorLost = configuration.onCoordinatorLost
        drainTimeout = configuration.drainTimeout
        isKeeper = configuration.keeper != nil
    }

    // MARK: - Attempts

    /// Logs that an attempt starts, at the level info.
    mutating func noteStart(of assigned: AssignedWork) {
        guard logger.level <= .info else { return }
        let assignment = assigned.assignment
        let subject = assignment.isHook ? "hookOf" : "operation"
        let metadata: Logger.Metadata = [subject: "\(assignment.operation)", "attempt": "\(assignment.attempt)"]
        attempts[assignment.token] = (metadata, .now)
        logger.info("started", metadata: metadata)
    }

    /// Logs how an attempt has ended, if its start was logged.
    mutating func noteEnd(of token: AttemptToken, _ result: AttemptResult) {
        guard !attempts.isEmpty, let (start, moment) = attempts.removeValue(forKey: token) else { return }
        var metadata = start
        metadata["end"] = "\(Self.words(for: result.end))"
        metadata["duration"] = "\((ContinuousClock.now - moment).roughText)"
        logger.info("ended", metadata: metadata)
    }

    /// The end of an attempt without texts of the operation.
    private static func words(for end: AttemptEnd) -> String {
        switch end {
        case .exited(let status): "status \(status)"
        case .signalled(let signal): "signal \(signal)"
        case .timedOut: "timeout"
        case .exceededMemory: "memory"
        case .cancelled: "cancelled"
        case .notStarted: "not started"
        case .unusableResult: "unusable result"
        case .unkeptFiles: "files that cannot be kept"
        case .threw: "error"
        case .workerFault: "returned because of a fault of the worker"
        case .noRoom: "returned, as there is no room for its files"
        case .lostInputs: "returned, as files that it needs were lost or damaged"
        case .interrupted, .stopped: "ended by the worker"
        }
    }

    /// Logs now and then that the worker cannot start attempts.
    mutating func noteFault(_ why: String, at now: Duration) {
        guard faultAt.map({ now - $0 >= Self.faultInterval }) ?? true else { return }
        faultAt = now
        logger.error(
            "cannot start operations, and returns them to the coordinator; the coordinator tries again periodically",
            metadata: ["reason": "\(why)"]
        )
    }

    /// Logs that the worker can start attempts again.
    ///
    /// - Returns: false if it could before.
    mutating func noteEndOfFault() -> Bool {
        guard faultAt != nil else { return false }
        faultAt = nil
        logger.notice("can start operations again")
        return true
    }

    // MARK: - The session

    /// Logs what has become of the conversation with the coordinator since the last call.
    mutating func noteChanges(isWelcomed: Bool, isRefused: Bool, isOutdated: Bool, hasGivenUp: Bool) {
        if !wasRefused, isRefused {
            logger.warning(
                isOutdated
                    ? "the coordinator refuses the worker's version; executing operations finish, and their ends are kept for the next worker in this directory"
                    : "the coordinator refuses the worker; executing operations are ended"
            )
        } else if wasWelcomed, !isWelcomed, !isKeeper {
            logger.warning("lost the coordinator; executing operations continue")
        }
        if !wasWelcomed, isWelcomed { leaderNews = nil }
        if !hadGivenUp, hasGivenUp { logGivingUp() }
        (wasWelcomed, wasRefused, hadGivenUp) = (isWelcomed, isRefused, hasGivenUp)
    }

    /// Logs news about the coordinator's place among others; while they stay the same, once a minute.
    mutating func note(_ news: WorkerSession.LeaderNews, at now: Duration) {
        if let leaderNews, leaderNews.news == news, now - leaderNews.toldAt < Self.faultInterval { return }
        leaderNews = (news, now)
        switch news {
        case .standsBy(let leader):
            logger.notice(
                "the coordinator stands by; executing operations continue",
                metadata: ["leader": "\(leader?.asShown ?? "none")"]
            )
        case .superseded(let rank):
            logger.warning(
                "a coordinator that another one has replaced is not obeyed; looking for the leader",
                metadata: ["epoch": "\(rank.epoch)", "incarnation": "\(rank.incarnation)"]
            )
        case .restored(let rank):
            logger.warning(
                "the coordinator's record was restored from an earlier copy: it has begun anew with an epoch that was used before",
                metadata: ["epoch": "\(rank.epoch)", "incarnation": "\(rank.incarnation)"]
            )
        }
    }

    private func logGivingUp() {
        guard let deadline = onCoordinatorLost.deadline else { return }
        var consequence = "no operation is started until it is back"
        if case .kill = onCoordinatorLost { consequence += ", and executing operations are ended" }
        logger.warning(
            "the coordinator has been away for too long; \(consequence)",
            metadata: ["deadline": "\(deadline.text)"]
        )
    }

    /// Logs why the worker leaves of its own accord, or at a client's request.
    func note(_ departure: WorkerSession.Departure, running: Int) {
        switch departure {
        case .requested(isImmediate: false): noteStop("stopping, because a client asks for it", running: running)
        case .requested(isImmediate: true):
            logger.notice("stopping at once, because a client asks for it", metadata: ["attempts": "\(running)"])
        case .idle: logger.notice("stopping, because there was nothing to do for long enough")
        case .timeLimit: noteStop("stopping, because the time limit is reached", running: running)
        }
    }

    /// Logs that the worker leaves once its attempts have ended by themselves.
    func noteFinish(running: Int) {
        logger.notice("stopping once all executing operations have ended", metadata: ["attempts": "\(running)"])
    }

    /// Logs that the worker leaves, with the number of attempts that it waits for, and its drain timeout.
    func noteStop(_ what: Logger.Message, running: Int) {
        let timeout = drainTimeout == .zero ? "none" : drainTimeout.text
        logger.notice(what, metadata: ["attempts": "\(running)", "drainTimeout": "\(timeout)"])
    }
}
