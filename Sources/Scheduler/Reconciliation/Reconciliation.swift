import BatonOperations

/// The facts unknown to a restarted coordinator until its former workers report.
///
/// The record may lack the last moments before a crash: first dispatches, and completions that workers still keep. An operation
/// with a recorded dispatch waits for its worker for as long as without a restart. An operation without a recorded dispatch may
/// have been dispatched nevertheless, and waits until all workers that may hold the attempt have come back and reported, or
/// until the reconcile window is over.
struct Reconciliation {
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
            if case .workerFault(_, hasRun: false)? = end?.result.end { return false }
            return startedAt != nil
        }
    }

    /// Whether the reconcile window is open.
    var isOpen = false
    /// Whether the reconcile window has timed out, and is closed at the end of the event.
    var isTimeUp = false
    /// Whether a worker came back as another process: attempts of the earlier process that the record lacks stay unknown.
    var isAnyoneReplaced = false
    /// The workers that had a session at the end of the record and have not come back, by name, with their lives.
    ///
    /// No other worker can hold an attempt that the record lacks.
    var expected: [String: WorkerRecord] = [:]
    /// The workers that have come back, as recorded: another process may yet take the place of a worker.
    var returned: [String: WorkerRecord] = [:]
    /// The requests received during the reconcile window whose results depend on the attempts started so far.
    var postponed: [Event] = []
    /// The first job since the restart: no worker can hold an attempt of this job from before the restart.
    ///
    /// An earlier attempt may name the same job number, but means a job that never reached the disk.
    var firstNewJob = JobNumber(1)
    /// The tokens of earlier epochs that already belong to an operation.
    var knownTokens: Set<AttemptToken> = []
    /// The claims that do not hold yet.
    var earlyClaims: [OperationID: EarlyClaim] = [:]
    /// The ends of attempts whose claims have come to hold during the current event.
    var ends: [ReportedEnd] = []
}
