public import Operations

/// Something that happens to the cluster.
public enum Event: Sendable {
    /// A client submits; `settled` tells of each existing dependency that the scheduler does not hold any more.
    case submit(Submission, settled: [Address: SettledDependency], request: RequestID)
    /// A client cancels.
    case cancel([CancellationTarget], request: RequestID)
    /// A client changes a queue.
    case setQueue(QueueChange, request: RequestID)
    /// A worker says hello.
    case workerJoined(WorkerIntroduction)
    /// A worker gave a sign of life.
    case workerHeard(SessionID)
    /// A worker says that it ends what it runs and takes nothing new.
    case workerLeaving(SessionID)
    /// A worker says goodbye.
    case workerLeft(SessionID)
    /// A worker reports the end of an attempt; the seed decides the jitter of a retry.
    case attemptEnded(SessionID, AttemptToken, OperationID, AttemptResult, seed: UInt64)
    /// Time has passed; see ``Scheduler/nextDeadline``.
    case timePassed
}
