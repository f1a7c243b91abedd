/// The output, the result and the use of resources of an attempt, kept in the record beside the operation's own fields.
@_spi(Baton) public struct AttemptOutput: Hashable, Sendable {
    /// The number of the attempt, from 1.
    public var attempt: UInt32
    /// The end of its standard output.
    public var standardOutput: OutputTail
    /// The end of its standard error.
    public var standardError: OutputTail
    /// The result; nil if the attempt left none.
    public var result: [UInt8]?
    /// What the processes of the attempt used; nil if that is not known.
    public var usage: AttemptUsage?

    /// Describes the output, the result and the use of resources of an attempt.
    public init(
        attempt: UInt32,
        standardOutput: OutputTail,
        standardError: OutputTail,
        result: [UInt8]?,
        usage: AttemptUsage? = nil
    ) {
        self.attempt = attempt
        self.standardOutput = standardOutput
        self.standardError = standardError
        self.result = result
        self.usage = usage
    }

    /// Whether the attempt neither printed anything nor left a result.
    public var isBlank: Bool {
        standardOutput.totalLength == 0 && standardOutput.bytes.isEmpty && standardError.totalLength == 0
            && standardError.bytes.isEmpty && result == nil
    }
}

/// One change to commit to the record.
///
/// The record commits changes in their order, and the changes of one event all or none.
///
/// The enumeration is indirect, so that a change is one word: its way from the scheduler to the store copies it several times.
@_spi(Baton) public indirect enum RecordChange: Hashable, Sendable {
    /// A job was accepted.
    case job(JobRecord)
    /// Operations were added to an open job.
    case addition(JobAddition)
    /// A job takes no further operations.
    case jobClosed(JobNumber)
    /// The state of an operation, or of neighbouring elements of an array, changed.
    case operation(OperationRecord)
    /// An attempt of an operation ended, and the operation did not.
    case attempt(OperationID, AttemptRecord)
    /// An attempt printed something, left a result, or used processor time and memory.
    case output(OperationID, AttemptOutput)
    /// An operation without an attempt has a copy of the result of another one.
    case result(OperationID, from: OperationID)
    /// An attempt of an operation left these files; the list replaces that of an earlier attempt of the operation.
    case files(OperationID, attempt: UInt32, [KeptFile])
    /// The worker of an attempt that has started had fetched files for it.
    case fetch(OperationID, attempt: UInt32, FetchRecord)
    /// All operations of a job are finished; the root is the operation that made the job fail or be cancelled.
    ///
    /// The start is that of the first attempt; nil for a job in which nothing has run.
    case jobFinished(JobNumber, JobCounts, Timestamp, startedAt: Timestamp? = nil, root: OperationID? = nil)
    /// A queue was created, its settings changed, or another of its operations completed.
    case queue(String, QueueRecord)
    /// A queue was deleted, with its settings; operations of finished jobs keep its name.
    case queueDeleted(String)
    /// The totals at the end of a batch of changes: those of all ends in the batch and in earlier ones.
    ///
    /// The totals of a queue are missing if they are the last recorded ones.
    case totals(ClusterTotals)
    /// The new dependencies of an operation.
    case dependencies(OperationID, [Dependency])
    /// The new programs of an operation.
    case commands(OperationID, [[String]])
    /// The completion hook of a finished operation is due, or its cancellation was asked for.
    case hook(CompletionHook)
    /// The completion hook of an operation was run.
    case hookDone(OperationID, HookRecord)
    /// A worker got a session and may hold attempts from now on, or (nil) no longer has a session.
    case worker(String, WorkerRecord?)
    /// A worker is to get nothing new from now on, or (nil) may get operations again.
    case drain(WorkerID, DrainRecord?)
    /// An executing operation is paused from now on, or (nil) goes on or has ended its attempt.
    case pause(OperationID, PauseRecord?)
    /// A schedule was added, or (nil) removed.
    case schedule(String, ScheduleRecord?)
    /// A schedule has come further, or was paused or resumed.
    case scheduleState(String, ScheduleState)
    /// A limit that several queues share was set or removed.
    case limit(LimitChange)
    /// Operations of a job without an attempt in the record may have had a first attempt: its number is not used again.
    case missingAttempts(JobNumber)
    /// An event for watching clients occurred.
    case event(ClusterEvent)
    /// The reading of the record's own clock at a time of day: the moments in the changes beside it use that time of day.
    ///
    /// The record's clock continues from its last recorded reading at the speed of a coordinator's clock, and stands still
    /// while no coordinator runs. Waiting times and retention times follow this clock, because users cannot set it.
    case clock(Timestamp, at: Timestamp)

    /// How far the time of day is ahead of the record's clock, in microseconds; nil for any other change than a reading.
    public var clockOffset: Int64? {
        if case .clock(let clock, at: let time) = self { time.rawValue &- clock.rawValue } else { nil }
    }
}
