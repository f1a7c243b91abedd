/// A change of an operation.
///
/// ```swift
/// for try await change in operation.stateChanges {
///     if case .state(let state, _, let attempt, let worker) = change { print(state, attempt, worker ?? "-") }
/// }
/// ```
public enum OperationChange: Hashable, Sendable {
    /// The operation entered a state; a finished one has an outcome.
    ///
    /// The attempt is the number of the last one, 0 before the first, and the worker is the one of that attempt.
    case state(OperationState, outcome: OperationOutcome?, attempt: Int, worker: String?)
    /// The cancellation of the operation was asked for.
    case cancelled
    /// The operation is held, or was released.
    case held(Bool)
    /// The executing operation was paused, or goes on.
    case paused(Bool)
    /// The processes of the operation were sent a signal, such as `USR1`.
    case signalled(String)
    /// The operation has another priority.
    case priority(DistributedOperation.QueuePriority)
    /// The dependencies changed.
    case dependencies
    /// The operation has another command.
    case commands
    /// The operation reported its progress, from 0 to 1.
    case progress(Double, message: String?)
}
