@_spi(Baton) public import BatonOperations

/// An action for the coordinator to carry out because of an event.
///
/// Large cases are indirect, so that copies of effects are cheap.
@_spi(Baton) public enum Effect: Sendable {
    /// Send an attempt to a worker, at once.
    indirect case dispatch(Dispatch)
    /// Tell a worker, at once, to end attempts, or to return the attempts that have not started.
    case endAttempts(SessionID, [AttemptToken])
    /// Tell a worker, at once, to return attempts that have not started.
    case recallAttempts(SessionID, [AttemptToken])
    /// Tell a worker, at once, which attempts are to stand still; all others go on.
    case pauses(SessionID, [AttemptToken])
    /// Tell a worker, at once, to send a signal to the processes of attempts.
    case signal(SessionID, [AttemptToken], OperationSignal)
    /// Tell a worker which contents it may delete, when it needs the room.
    case releaseFiles(SessionID, [ContentDigest])
    /// Tell a worker which contents it may not delete any more.
    case retainFiles(SessionID, [ContentDigest])
    /// Tell a worker, at once, to look whether its copies of contents are right, which have come damaged elsewhere.
    case verifyFiles(SessionID, [ContentDigest])
    /// Tell a worker to copy contents from other workers, once all changes so far are on disk; the paths say nothing.
    ///
    /// The effect follows earlier permissions to delete these contents, so that the permissions do not end the copying.
    case copyFiles(SessionID, [KeptFile])
    /// Tell a worker to leave; `isImmediate` if the worker is to end what runs now.
    case stop(SessionID, isImmediate: Bool)
    /// Welcome a worker, and judge the attempts that the worker claims.
    ///
    /// `stale` attempts are no longer valid. `foreign` attempts belong to another record. The worker returns the `recalled`
    /// attempts that have not started before it starts any attempt.
    indirect case welcome(SessionID, stale: [AttemptToken], foreign: [AttemptToken], recalled: [AttemptToken])
    /// Tell the sender that the session is unknown.
    case unknownSession(SessionID)
    /// Tell the sender that another process has the worker's place; `isCopy` if both processes claim to be the same worker.
    indirect case superseded(SessionID, by: WorkerIntroduction, isCopy: Bool)
    /// Tell the sender that another worker owns the name; `by` is nil if the owner has not come back since the restart.
    indirect case nameTaken(SessionID, name: String, by: WorkerIntroduction?)
    /// Tell the sender that its name, or only its identity if `owner` is nil, belongs to a worker with another key.
    indirect case otherKey(SessionID, name: String, owner: WorkerIntroduction?)
    /// Allow the worker to forget the attempt, once all changes so far are on disk.
    case acknowledge(SessionID, AttemptToken, isStale: Bool)
    /// Write a change to the record; events come with ``event(_:queue:)``.
    case commit(RecordChange)
    /// Write an event to the record; `queue` is the queue of the operations that the event is about.
    ///
    /// The change is always that of an event: the record takes it over as it is, while an event would need memory once more. Half a
    /// million operations that become ready at once are as many events.
    case event(RecordChange, queue: String?)
    /// Report ``Event/committed(_:)`` as soon as all changes so far are on disk.
    indirect case confirm(Milestone)
    /// Answer a client, once all changes so far are on disk.
    indirect case answer(RequestID, Answer)
    /// Log that a completion hook did not succeed, which changes nothing else.
    indirect case hookFailed(OperationID, HookRecord)
    /// Report the new condition of a worker.
    indirect case worker(String, WorkerCondition)
}

@_spi(Baton) extension Effect {
    /// The change of the record that the effect is; nil for any other effect.
    public var change: RecordChange? {
        switch self {
        case .commit(let change): change
        case .event(let change, queue: _): change
        default: nil
        }
    }
}
