public import BatonOperations

/// What is to be done because of an event.
public enum Effect: Sendable {
    /// Send an attempt to a worker, at once.
    case dispatch(Assignment)
    /// Tell a worker to end attempts, or to return them where they have not started, at once.
    case endAttempts(SessionID, [AttemptToken])
    /// Tell a worker to return attempts, where they have not started, at once.
    case recallAttempts(SessionID, [AttemptToken])
    /// Receive a worker, and name those of its attempts that are no longer valid, those that are of another record, and those
    /// that it is to return, where they have not started, before it starts anything.
    case welcome(SessionID, stale: [AttemptToken], foreign: [AttemptToken], recalled: [AttemptToken])
    /// Tell the sender that the session is unknown.
    case unknownSession(SessionID)
    /// Tell the sender that another process has its worker's place; `isCopy` says that both claim to be the same worker.
    case superseded(SessionID, by: WorkerIntroduction, isCopy: Bool)
    /// Tell the sender that its name is another worker's; nil stands for one that has not come back since the restart.
    case nameTaken(SessionID, name: String, by: WorkerIntroduction?)
    /// Tell the worker that it may forget this attempt, once all changes so far are on disk.
    case acknowledge(SessionID, AttemptToken, isStale: Bool)
    /// Keep this.
    case keep(RecordChange)
    /// Say so (``Event/kept(_:)``) as soon as all changes so far are on disk.
    case confirm(Milestone)
    /// Answer a client, once all changes so far are on disk.
    case answer(RequestID, Answer)
    /// A completion hook was run and failed; that changes nothing but is worth a line in the log.
    case hookFailed(OperationID, AttemptEnd)
    /// A worker came or went.
    case worker(String, WorkerCondition)
}
