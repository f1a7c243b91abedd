/// What an attempt leaves in the record beside the operation's own fields.
public struct AttemptOutput: Hashable, Sendable {
    /// Which attempt of the operation it was, from 1.
    public var attempt: UInt32
    /// The end of its standard output.
    public var standardOutput: OutputTail
    /// The end of its standard error.
    public var standardError: OutputTail
    /// Its result; nil where it left none.
    public var result: [UInt8]?

    /// Describes what an attempt leaves.
    public init(attempt: UInt32, standardOutput: OutputTail, standardError: OutputTail, result: [UInt8]?) {
        self.attempt = attempt
        self.standardOutput = standardOutput
        self.standardError = standardError
        self.result = result
    }
}

/// One thing that happened and is to be kept.
///
/// Changes are kept in their order, and those of one event all or none.
public enum RecordChange: Hashable, Sendable {
    /// A job was accepted.
    case job(JobRecord)
    /// Something happened to an operation, or to neighbouring elements of an array.
    case operation(OperationRecord)
    /// An attempt printed something or left a result.
    case output(OperationID, AttemptOutput)
    /// All operations of a job are finished; the root is the operation that made it fail or be cancelled.
    case jobFinished(JobNumber, JobCounts, Timestamp, root: OperationID? = nil)
    /// A queue was made, its settings changed, or another of its operations completed.
    case queue(String, QueueRecord)
    /// The dependencies of an operation are now these.
    case dependencies(OperationID, [Dependency])
    /// The programs of an operation are now these.
    case commands(OperationID, [[String]])
    /// The completion hook of a finished operation is to be run.
    case hook(CompletionHook)
    /// The completion hook of an operation was run.
    case hookDone(OperationID)
    /// A worker has got a session, so that it may hold attempts from now on; or it has none any more.
    case worker(String, WorkerRecord?)
    /// First attempts may have been made of those operations of a job that have none in the record: nothing is called that again.
    case missingAttempts(JobNumber)
    /// Something happened that can be watched.
    case event(ClusterEvent)
    /// How far the record's own clock has come at a time of day: the moments in the changes beside it are of that day.
    ///
    /// The record's clock goes on from where it was kept last, as fast as a coordinator's does, and stands still while none
    /// runs. What is to wait for a time, or is to be kept for one, is kept by this clock: nobody sets it.
    case clock(Timestamp, at: Timestamp)
}
