public import BatonOperations

/// Something that happens to the cluster.
public enum Event: Sendable {
    /// A client submits; `settled` tells of each existing dependency that the scheduler does not hold any more.
    case submit(ValidatedSubmission, settled: [Address: SettledDependency], request: RequestID)
    /// A client cancels.
    case cancel([OperationSelection], request: RequestID)
    /// A client holds operations that have not started.
    case hold([OperationSelection], request: RequestID)
    /// A client releases operations that are held.
    case release([OperationSelection], request: RequestID)
    /// A client gives waiting operations another level.
    case setPriority([OperationSelection], Priority, request: RequestID)
    /// A client makes an operation depend on others; `settled` tells of each that the scheduler does not hold any more.
    case depend(OperationID, [Dependency], settled: [Address: SettledDependency], request: RequestID)
    /// A client removes dependencies of an operation; names are replaced where they do not stand for an array.
    case undepend(OperationID, [Address], request: RequestID)
    /// A client adds a program, with its arguments, to an operation that has not started.
    case addCommand(OperationID, [String], request: RequestID)
    /// A running operation says how much of it is done.
    case reportProgress(OperationID, attempt: UInt32, OperationProgress, request: RequestID)
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
    /// A worker reports attempts whose code may run from now on.
    case attemptsStarted(SessionID, [AttemptStart])
    /// A worker gives attempts back that it has not started, and never will.
    case attemptsReturned(SessionID, [AttemptToken])
    /// A worker reports the end of an attempt, so many microseconds after it; the seed decides the jitter of a retry.
    case attemptEnded(SessionID, AttemptToken, OperationID, AttemptResult, age: Int64 = 0, seed: UInt64)
    /// A worker says why it cannot start attempts; nil where it can again.
    case workerHealth(SessionID, fault: String?)
    /// What was to be confirmed is on disk.
    case kept(Milestone)
    /// The record cannot be written, or can be again: nothing is dispatched in between.
    case recordWritable(Bool)
    /// Time has passed; see ``Scheduler/nextDeadline``.
    case timePassed
}

extension Event {
    /// Whether it is a request for which it matters what has started.
    var dependsOnWhatStarted: Bool {
        switch self {
        case .cancel, .hold, .release, .setPriority, .depend, .undepend, .addCommand, .reportProgress, .setQueue: true
        default: false
        }
    }
}
