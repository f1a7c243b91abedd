import Operations

/// What a restarted coordinator still has to learn from the workers that served it before.
///
/// The last moments before a crash may be missing in the record: dispatches, and completions that workers still keep.
/// So nothing is dispatched until all workers that may hold anything have come back and told, or had the time to.
struct Reconciliation {
    /// An attempt of an operation that, as far as the record goes, could not have started yet.
    ///
    /// It was dispatched because of a completion that is missing in the record. The worker that keeps that completion
    /// sends it again; then the claim holds.
    struct EarlyClaim {
        /// The session that holds the attempt.
        var session: SessionID
        /// The attempt.
        var token: AttemptToken
        /// Which attempt of the operation it is.
        var attempt: UInt32
        /// When it started; nil where it has not.
        var startedAt: Timestamp?
        /// How it ended, where it did already.
        var end: HeldEnd?
    }

    /// The end of an attempt that waits for its claim to hold.
    struct HeldEnd {
        /// The session that reported it.
        var session: SessionID
        /// The attempt.
        var token: AttemptToken
        /// The operation that it is an attempt of.
        var operation: OperationID
        /// What it left.
        var result: AttemptResult
        /// When it ended.
        var endedAt: Timestamp
        /// The seed for the jitter of a retry.
        var seed: UInt64
    }

    /// Whether workers are still waited for.
    var isOpen = false
    /// Whether they have had their time, and the window is closed at the end of the event.
    var isTimeUp = false
    /// Whether nobody will come any more who could tell of an attempt, so that those which are missing count as lost.
    var isEverybodyHeard = false
    /// The workers that had a session when the record ended and have not come back: nobody else can hold anything.
    var expected: Set<String> = []
    /// The requests that came while the window is open, for which it matters what has started.
    var postponed: [Event] = []
    /// The first job since the restart, of which nobody can hold an attempt from before.
    ///
    /// Who names one means a job of the same number that never reached the disk.
    var firstNewJob = JobNumber(1)
    /// Attempts of the record whose workers have not come back yet, with the places of their operations.
    var orphans: [AttemptToken: Int32] = [:]
    /// The tokens of earlier epochs that have an operation already.
    var knownTokens: Set<AttemptToken> = []
    /// The claims that do not hold yet, at most one for each attempt, in the order of attempts.
    ///
    /// Where the end of a dependency is missing in the record, so is all that came of it, retries included.
    var earlyClaims: [OperationID: [EarlyClaim]] = [:]
    /// The ends of attempts whose claim has come to hold by the event that is being handled.
    var ends: [HeldEnd] = []
}
