public import BatonOperations

/// What a worker sends to the coordinator.
public enum WorkerMessage: Hashable, Sendable {
    /// It is there; the answer is `welcome` or `refused`.
    case hello(WorkerHello)
    /// It is still there; the answer is a heartbeat with the same number.
    case heartbeat(SessionID, number: UInt64)
    /// What became of attempts.
    case report(SessionID, AttemptReport)
    /// It wants the results of an operation's dependencies before it starts the attempt (DE20).
    case fetchInputs(SessionID, AttemptToken, OperationID)
    /// The answer to `readOutput`; nil where the worker does not have that output (any more).
    case output(request: UInt64, OutputChunk?)
    /// It cannot start attempts, and why; nil where it can again (D9).
    case health(SessionID, fault: String?)
    /// It ends what it runs and then goes away: it takes nothing new.
    case leaving(SessionID)
    /// It goes away; what it ran is interrupted, and its completions were sent before.
    case goodbye(SessionID)
}
