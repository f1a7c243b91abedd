public import BatonOperations
public import BatonWire

extension WorkerSession {
    /// What a worker's session wants done.
    public enum Effect: Hashable, Sendable {
        /// Open a connection, and report it.
        case openConnection
        /// Close the connection, with whatever waits in it.
        case closeConnection
        /// Send this over the connection.
        case send(WorkerMessage)
        /// Start an attempt of commands or of a Swift operation now, and report its end.
        case startAttempt(DispatchBatch.Item, Work, queue: String)
        /// Keep these inputs for an attempt, which is started later; if that fails, it ends when it is started.
        case storeInputs(AttemptToken, [Input])
        /// Remove what was kept for an attempt, which will not be started.
        case discardInputs(AttemptToken)
        /// End an attempt that was started, with its grace period (CA4).
        case endAttempt(AttemptToken, EndCause)
        /// Read a piece of an attempt's output, and report it; `isOver` says that it will not grow any more.
        case readOutput(OutputRequest, isOver: Bool)
        /// It is over: end the loop.
        case exit(ExitReason)
    }

    /// Why an attempt is ended before its time.
    public enum EndCause: Hashable, Sendable {
        /// The coordinator asked for it.
        case cancelled
        /// The worker goes away: the attempt is reported as ``AttemptEnd/interrupted``.
        case leaving
        /// The coordinator has been away for too long: the same.
        case coordinatorLost
        /// The coordinator has another record, which knows nothing of it: the same.
        case foreign

        /// Whether the worker ends it of its own accord, so that nobody knows how far it would have come.
        var isInterruption: Bool { self != .cancelled }
    }

    /// Why a session is over.
    public enum ExitReason: Hashable, Sendable {
        /// The worker was asked to stop, and has said goodbye.
        case stopped
        /// The coordinator does not take this worker.
        case refused(Refusal)
        /// Another process has the worker's place; `isCopy` says that it has the same identity.
        case superseded(Refusal, isCopy: Bool)
    }
}
