public import Operations

/// Something that has to be on disk before the scheduler goes on with it.
public enum Milestone: Hashable, Sendable {
    /// That a worker has this session.
    case session(SessionID)
    /// That this session's worker is sent this attempt, which runs at most once.
    case dispatch(SessionID, AttemptToken)
}
