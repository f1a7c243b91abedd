@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The facts unknown to a restarted coordinator until its former workers report.
///
/// The record may lack the last moments before a crash: first dispatches, and completions that workers still keep. An operation
/// with a recorded dispatch waits for its worker for as long as without a restart. An operation without a recorded dispatch may
/// have been dispatched nevertheless, and waits until all workers that may hold the attempt have come back and reported, or
/// until the reconcile window is over.
struct Reconciliation: Sendable {
    /// A first attempt of an operation that could not have started yet according to the record.
    ///
    /// The attempt was dispatched because of a completion that the record lacks. The worker that keeps the completion reports
    /// it again, and then the claim holds. Later attempts are on disk before their dispatch, and are never claimed in this way.
    struct EarlyClaim {
        /// The session that holds the attempt.
        var session: SessionID
        /// The attempt's token.
        var token: AttemptToken
        /// The time at which the attempt started; nil if it has not started.
        var startedAt: Timestamp?
        /// The end of the attempt, if it has ended.
        var end: ReportedEnd?

        /// Whether any code of the attempt ran, according to its worker.
        var hasRun: Bool {
            if let end, end.result.end.hasNotRun { return false }
            return startedAt != nil
        }
    }

    /// The loss of a recorded first attempt that may have started, and whose worker no longer has it.
    ///
    /// The worker may also have returned the attempt without a trace in the record, and another worker may have been sent the
    /// operation and claim it. Without a claim, the loss counts at the end of the window.
    struct PendingLoss {
        /// The recorded attempt's token.
        var token: AttemptToken
        /// The name of its worker.
        var worker: String
        /// The cause.
        var reason: Reason
        /// When the worker was known to be without the attempt.
        var moment: Timestamp
        /// Whether the operation's losses count the attempt.
        var isCounted: Bool
    }

    /// Whether the reconcile window is open.
    private(set) var isOpen = false
    /// Whether the reconcile window has timed out, and is closed at the end of the event.
    private(set) var hasTimedOut = false
    /// Whether the time was extended once, because announced ends may decide claims.
    private(set) var isExtended = false
    /// The ends that returned workers have announced with their hellos, and have not reported yet.
    private var announcedEnds: [SessionID: Set<AttemptToken>] = [:]
    /// Whether a worker came back as another process that does not tell what the earlier one had started: attempts of the earlier
    /// process that the record lacks stay unknown.
    private(set) var isAnyoneReplaced = false
    /// The workers that had a session at the end of the record and have not come back, by name, with their lives.
    ///
    /// No other worker can hold an attempt that the record lacks.
    private(set) var expected: [String: WorkerRecord] = [:]
    /// The workers that have come back, as recorded: another process may yet take the place of a worker.
    private var returned: [String: WorkerRecord] = [:]
    /// The keys of the workers that had a session at the end of the record; nil if some key is unknown.
    private var keys: Set<UInt32>?
    /// The requests received during the reconcile window whose results depend on the attempts started so far.
    private var postponed: [Event] = []
    /// The first job since the restart: no worker can hold an attempt of this job from before the restart.
    ///
    /// An earlier attempt may name the same job number, but means a job that never reached the disk.
    private(set) var firstNewJob = JobNumber(1)
    /// The tokens of earlier epochs that already belong to an operation.
    private var knownTokens: Set<AttemptToken> = []
    /// The claims that do not hold yet.
    private(set) var earlyClaims: [OperationID: EarlyClaim] = [:]
    /// The losses that count unless a worker claims a later attempt.
    private var pendingLosses: [OperationID: PendingLoss] = [:]
    /// The ends of attempts whose claims have come to hold during the current event.
    private var ends: [ReportedEnd] = []

    // MARK: - The window

    /// Opens the window.
    ///
    /// - Parameters:
    ///   - workers: the workers that had a session when the record ended.
    ///   - firstNewJob: the number of the first job since the restart.
    mutating func open(for workers: [String: WorkerRecord], firstNewJob: JobNumber) {
        invariant(!isOpen, "A reconcile window is opened that is open.")
        expected = workers
        let known = workers.values.compactMap(\.keyNumber)
        keys = known.count == workers.count ? Set(known) : nil
        isOpen = true
        self.firstNewJob = firstNewJob
    }

    /// Notes that the window has timed out.
    mutating func noteTimeout() {
        invariant(isOpen, "A reconcile window times out that is not open.")
        hasTimedOut = true
    }

    /// Notes that the time is extended: an end on its way from a worker that is back may decide a claim.
    mutating func noteExtension() {
        isExtended = true
    }

    /// Notes the ended attempts that a hello lists; their ends follow.
    mutating func noteAnnounced(_ claimed: [ClaimedAttempt], in session: SessionID) {
        guard isOpen else { return }
        let ended = claimed.lazy.filter(\.isFinished).map(\.token)
        if !ended.isEmpty { announcedEnds[session] = Set(ended) }
    }

    /// Notes the arrival of an end.
    mutating func noteArrival(of end: ReportedEnd) {
        guard !announcedEnds.isEmpty else { return }
        announcedEnds[end.session]?.remove(end.token)
        if announcedEnds[end.session]?.isEmpty == true { announcedEnds[end.session] = nil }
    }

    /// Whether a claim waits, and an announced end of a present session may decide it.
    func awaitsEnds(ofSessions isPresent: (SessionID) -> Bool) -> Bool {
        !earlyClaims.isEmpty && announcedEnds.keys.contains(where: isPresent)
    }

    /// Whether all expected workers have returned and all claims are decided.
    var isAnswered: Bool { expected.isEmpty && earlyClaims.isEmpty }

    /// The state of the window at its end, with operations and workers in order.
    struct Remainder {
        /// The claims that do not hold.
        var claims: [(operation: OperationID, claim: EarlyClaim)]
        /// The losses of operations that no worker has claimed.
        var losses: [(operation: OperationID, loss: PendingLoss)]
        /// The names of the workers that have not come back.
        var absent: [String]
    }

    /// Closes the window.
    mutating func close() -> Remainder {
        invariant(isOpen, "A reconcile window is closed that is not open.")
        let remainder = Remainder(
            claims: earlyClaims.sorted { $0.key < $1.key }.map { (operation: $0.key, claim: $0.value) },
            losses: pendingLosses.sorted { $0.key < $1.key }.map { (operation: $0.key, loss: $0.value) },
            absent: expected.keys.sorted()
        )
        isOpen = false
        expected = [:]
        returned = [:]
        keys = nil
        knownTokens = []
        earlyClaims = [:]
        pendingLosses = [:]
        announcedEnds = [:]
        return remainder
    }

    /// Notes that a worker of before the restart has returned, or that another process has taken its place.
    ///
    /// - Parameter tellsStarts: whether to trust what another process tells of the starts of the earlier one.
    /// - Returns: true for the first replaced worker whose starts stay unknown, which has to be recorded.
    mutating func noteReturn(of introduction: WorkerIntroduction, tellsStarts: Bool) -> Bool {
        let name = introduction.name
        guard isOpen, let known = expected.removeValue(forKey: name) ?? returned[name] else { return false }
        returned[name] = known
        guard known.id != introduction.id || known.life != introduction.life, !isAnyoneReplaced else { return false }
        if tellsStarts, introduction.tellsStarts(of: known) { return false }
        isAnyoneReplaced = true
        return true
    }

    // MARK: - Postponed requests

    /// Whether any request is postponed.
    @inline(__always) var hasPostponed: Bool { !postponed.isEmpty }

    /// Postpones a request to the end of the window.
    mutating func postpone(_ event: Event) {
        invariant(isOpen, "An event is postponed after the end of the reconcile window.")
        postponed.append(event)
    }

    /// Takes the first postponed request.
    mutating func takePostponed() -> Event? {
        postponed.isEmpty ? nil : postponed.removeFirst()
    }

    /// Passes the ends of finished targets, nil for all others, to the postponed requests that may name them (DE6).
    mutating func learn(_ end: (Address) -> DependencyEnd?) {
        for position in postponed.indices { _ = postponed[position].learn(end) }
    }

    // MARK: - Claims

    /// Notes the token of an attempt of an earlier epoch.
    ///
    /// - Returns: false if the token already belongs to an operation.
    mutating func noteKnown(_ token: AttemptToken) -> Bool { knownTokens.insert(token).inserted }

    /// Whether a worker with a key can have an attempt, or the run of a completion hook, that the record lacks.
    ///
    /// Every worker with a session is in the record before anything is sent to it.
    func mayHold(withKey key: UInt32?) -> Bool {
        guard let keys, let key else { return true }
        return keys.contains(key)
    }

    /// Notes a worker's claim to a first attempt that the record lacks.
    ///
    /// - Returns: false if the token belongs to another operation, or if another attempt claims the operation.
    mutating func mayClaim(_ operation: OperationID, _ token: AttemptToken) -> Bool {
        if let claim = earlyClaims[operation] { return claim.token == token }
        return noteKnown(token)
    }

    /// Adds or replaces a claim.
    mutating func add(_ claim: EarlyClaim, on operation: OperationID) {
        invariant(isOpen, "An operation is claimed after the end of the reconcile window.")
        earlyClaims[operation] = claim
    }

    /// Adds a loss, to be decided at the end of the window.
    mutating func add(_ loss: PendingLoss, of operation: OperationID) {
        invariant(isOpen, "A loss is to be decided after the end of the reconcile window.")
        pendingLosses[operation] = loss
    }

    /// Whether an attempt is not the earlier one of an operation whose loss is pending.
    func isLater(_ token: AttemptToken, of operation: OperationID) -> Bool {
        pendingLosses[operation].map { $0.token < token } ?? true
    }

    /// Forgets the pending loss of an operation that runs on another worker.
    mutating func dropLoss(of operation: OperationID) { pendingLosses[operation] = nil }

    /// Takes the claim on an operation, because it is decided.
    mutating func takeClaim(on operation: OperationID) -> EarlyClaim? { earlyClaims.removeValue(forKey: operation) }

    /// Drops the claims on attempts that their worker has given back, unstarted, before the claims came to hold.
    mutating func dropClaims(of tokens: [AttemptToken], in session: SessionID) {
        guard !earlyClaims.isEmpty else { return }
        earlyClaims = earlyClaims.filter { _, claim in claim.session != session || !tokens.contains(claim.token) }
    }

    /// Notes the starts of attempts whose claims do not hold yet.
    mutating func noteStarts(_ starts: [AttemptStart], in session: SessionID, at now: Timestamp) {
        guard !earlyClaims.isEmpty else { return }
        let ages = Dictionary(starts.lazy.map { ($0.token, $0.age) }, uniquingKeysWith: { first, _ in first })
        for (operation, claim) in earlyClaims where claim.session == session && claim.startedAt == nil {
            guard let age = ages[claim.token] else { continue }
            earlyClaims[operation]?.startedAt = now.before(microseconds: age)
        }
    }

    /// Keeps the end of an attempt whose claim does not hold yet.
    ///
    /// - Returns: false if no such claim exists.
    mutating func deferEnd(_ end: ReportedEnd) -> Bool {
        guard let claim = earlyClaims[end.operation], claim.token == end.token, claim.session == end.session else {
            return false
        }
        earlyClaims[end.operation]?.end = end
        // An ended attempt has started even without a report of the start, unless its worker could not start the attempt.
        if end.result.end.hasNotRun { return true }
        if claim.startedAt == nil { earlyClaims[end.operation]?.startedAt = end.startedAt }
        return true
    }

    /// Adds the end of an attempt whose claim has come to hold.
    mutating func addDueEnd(_ end: ReportedEnd) {
        invariant(isOpen, "A claim comes to hold after the end of the reconcile window.")
        ends.append(end)
    }

    /// Whether claims on attempts that have ended have come to hold.
    @inline(__always) var hasDueEnds: Bool { !ends.isEmpty }

    /// Takes the ends of attempts whose claims have come to hold, in order.
    mutating func takeDueEnds() -> [ReportedEnd] {
        defer { ends = [] }
        return ends
    }

    /// The violated invariants after an event; empty unless the scheduler has a bug.
    func violations() -> [String] {
        var found: [String] = []
        if !ends.isEmpty { found.append("an event left ends of attempts behind") }
        if !isOpen, !isAnswered || !knownTokens.isEmpty || !pendingLosses.isEmpty || !announcedEnds.isEmpty {
            found.append("the reconcile window is over and left claims behind")
        }
        return found
    }
}
