@_spi(Baton) public import BatonOperations

/// The run of a completion hook, as `show` tells it.
@_spi(Baton) public struct HookDocument: Document {
    /// The state of a completion hook.
    public enum State: String, DocumentValue, CaseIterable {
        /// The hook waits for a worker.
        case waiting
        /// A worker runs the hook, or has just got it.
        case executing
        /// The command exited with status 0.
        case succeeded
        /// The command failed.
        case failed
        /// A user asked for the end of the hook.
        case cancelled
    }

    /// The state of the hook.
    public var state: State
    /// The worker of the run; nil while the hook waits.
    public var worker: String?
    /// The reason for an unsuccessful end, as a word.
    public var reason: Reason.Code?
    /// The exit status, if the command exited.
    public var exitStatus: Int32?
    /// The signal that ended the command, if any.
    public var signal: Int32?
    /// The reason for an unsuccessful end as a sentence.
    public var message: String?
    /// The last lines of standard error; nil before the end.
    @Content public var stderr: String?
    /// The start of the run; nil before the end.
    public var startedAt: Timestamp?
    /// The end of the run; nil before the end.
    public var finishedAt: Timestamp?
    /// The signal that keeps a process of the run stopped, and since when; absent if none does.
    @IfPresent public var stop: StopDocument?

    /// Changes the texts; those of standard error line by line.
    public mutating func changeTexts(_ change: (String) -> String) {
        changeTextsOfMembers(linesAt: \.stderr, change)
    }

    /// Describes a hook that has not ended.
    ///
    /// - Parameters:
    ///   - worker: the worker that has the hook; nil for a hook that waits.
    ///   - stop: the signal that keeps a process of the run stopped.
    public init(worker: String?, stop: StopDocument? = nil) {
        state = worker == nil ? .waiting : .executing
        self.worker = worker
        self.stop = stop
    }

    /// Describes a hook that has ended.
    public init(_ record: HookRecord) {
        state =
            switch record.reason?.code {
            case nil: .succeeded
            case .cancelled: .cancelled
            default: .failed
            }
        worker = record.worker
        exitStatus = record.exitStatus
        signal = record.signal
        reason = record.reason?.code
        message = record.reason?.message
        stderr = record.standardError
        startedAt = record.startedAt
        finishedAt = record.endedAt
    }
}
