public import BatonOperations

/// Something that has to be on disk before the scheduler goes on with it.
public enum Milestone: Hashable, Sendable {
    /// That this job came in.
    case job(JobNumber)
    /// That this operation is finished, and its completion hook is to be run.
    case hook(OperationID)
    /// That a worker has this session.
    case session(SessionID)
    /// That this session's worker is sent this attempt, and all that was to be kept before.
    case dispatch(SessionID, AttemptToken)
}
