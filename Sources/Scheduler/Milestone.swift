@_spi(Baton) public import BatonOperations

/// A fact that must be on disk before the scheduler continues.
@_spi(Baton) public enum Milestone: Hashable, Sendable {
    /// The job came in, or operations were added to it.
    case job(JobNumber)
    /// The operation is finished, and its completion hook is to be run.
    case hook(OperationID)
    /// A worker has this session.
    case session(SessionID)
    /// The worker of this session is sent this attempt, and all earlier changes are recorded.
    case dispatch(SessionID, AttemptToken)
}
