import BatonOperations

/// What a restarted coordinator still has to learn from the workers that served it before.
///
/// The last moments before a crash may be missing in the record: first dispatches, and completions that workers still keep.
/// What the record says was dispatched waits for its worker as long as it would without a restart. What the record says was
/// not, may have been: so nothing of that is dispatched until all workers that may hold it have come back and told, or had
/// the time to.
struct Reconciliation {
    /// A first attempt of an operation that, as far as the record goes, could not have started yet.
    ///
    /// It was dispatched because of a completion that is missing in the record. The worker that keeps that completion
    /// sends it again; then the claim holds. Later attempts are on disk before they are sent, and are never claimed so.
    struct EarlyClaim {
        /// The session that holds the attempt.
        var session: SessionID
        /// The attempt.
        var token: AttemptToken
        /// When it started; nil where it has not.
        var startedAt: Timestamp?
        /// How it ended, where it did already.
        var end: HeldEnd?

        /// Whether something of it ran, as far as its worker has said.
        var hasRun: Bool {
            if case .workerFault(_, hasRun: false)? = end?.result.end { return false }
            return startedAt != nil
        }
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

        /// When it started.
        var startedAt: Timestamp { endedAt.before(microseconds: max(0, result.microseconds)) }
    }

    /// Whether workers are still waited for.
    var isOpen = false
    /// Whether they have had their time, and the window is closed at the end of the event.
    var isTimeUp = false
    /// Whether a worker came back as another process: what the earlier one held, and the record does not have, nobody knows.
    var isAnyoneReplaced = false
    /// The workers that had a session when the record ended and have not come back, with their lives: nobody else can hold
    /// anything that the record does not have.
    var expected: [String: WorkerRecord] = [:]
    /// Those of them that have come back, as the record had them: another process may yet take the place of one.
    var returned: [String: WorkerRecord] = [:]
    /// The requests that came while the window is open, for which it matters what has started.
    var postponed: [Event] = []
    /// The first job since the restart, of which nobody can hold an attempt from before.
    ///
    /// Who names one means a job of the same number that never reached the disk.
    var firstNewJob = JobNumber(1)
    /// The tokens of earlier epochs that have an operation already.
    var knownTokens: Set<AttemptToken> = []
    /// The claims that do not hold yet.
    var earlyClaims: [OperationID: EarlyClaim] = [:]
    /// The ends of attempts whose claim has come to hold by the event that is being handled.
    var ends: [HeldEnd] = []
}
