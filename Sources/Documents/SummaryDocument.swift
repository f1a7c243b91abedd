@_spi(Baton) public import BatonOperations

/// What a job took, in sums: `summary JOB`.
///
/// Only finished operations count. Times are in seconds.
@_spi(Baton) public struct SummaryDocument: Document {
    /// An operation with a time.
    public struct OperationTime: Document {
        /// The operation.
        public var operation: OperationID
        /// The operation's name; nil for an operation without a name.
        public var name: String?
        /// The time.
        public var seconds: Double

        /// Describes a time.
        public init(operation: OperationID, name: String?, seconds: Double) {
            self.operation = operation
            self.name = name
            self.seconds = seconds
        }
    }

    /// A step of the critical path.
    public struct Step: Document {
        /// The operation.
        public var operation: OperationID
        /// The operation's name; nil for an operation without a name.
        public var name: String?
        /// The run time of the last attempt; 0 for an operation that never ran.
        public var seconds: Double
        /// The time from the end of the step before, or from the submission of the job, to the start.
        public var waited: Double

        /// Describes a step.
        public init(operation: OperationID, name: String?, seconds: Double, waited: Double) {
            self.operation = operation
            self.name = name
            self.seconds = seconds
            self.waited = waited
        }
    }

    /// A worker that ran attempts of the job.
    public struct Worker: Document {
        /// The worker's name; nil for an unknown worker.
        public var worker: String?
        /// The number of attempts that ended on the worker.
        public var attempts: Int
        /// The run times of these attempts together.
        public var busySeconds: Double

        /// Describes a worker's part.
        public init(worker: String?, attempts: Int, busySeconds: Double) {
            self.worker = worker
            self.attempts = attempts
            self.busySeconds = busySeconds
        }
    }

    /// An operation with an amount of memory.
    public struct OperationMemory: Document {
        /// The operation.
        public var operation: OperationID
        /// The operation's name; nil for an operation without a name.
        public var name: String?
        /// The most resident memory of a single process, in bytes.
        public var bytes: Int64

        /// Describes an amount of memory.
        public init(operation: OperationID, name: String?, bytes: Int64) {
            self.operation = operation
            self.name = name
            self.bytes = bytes
        }
    }

    /// The job's number.
    public var job: JobNumber
    /// The job's name; nil for a job without a name.
    public var name: String?
    /// The state of the whole job.
    public var state: OperationState
    /// Whether the job takes further operations.
    public var open: Bool
    /// The outcome of the whole job; nil until the job is finished.
    public var outcome: Outcome?
    /// The number of operations by state, and of finished operations by outcome.
    public var counts: JobCounts
    /// The time of the submission.
    public var submittedAt: Timestamp
    /// The end of the last operation; nil until the job is finished.
    public var finishedAt: Timestamp?
    /// The time from the submission to the end, or until now.
    public var elapsedSeconds: Double
    /// How many finished operations have run.
    public var operations: Int
    /// The number of their attempts, the repeated ones included.
    public var attempts: Int
    /// The run times of the attempts together.
    public var busySeconds: Double
    /// The times from ready to started of the operations together.
    public var waitingSeconds: Double
    /// The operation that waited the longest from ready to started; nil if none has run.
    public var longestWait: OperationTime?
    /// The number of attempts with a known use of processor time and memory.
    public var measuredAttempts: Int
    /// The processor time of these attempts together; nil without such attempts.
    public var cpuSeconds: Double?
    /// The operation with the process that had the most resident memory; nil if it is not known.
    public var peakMemory: OperationMemory?
    /// The workers, those with the most run time first.
    public var workers: [Worker]
    /// The operations that took the longest, the slowest first.
    public var slowest: [OperationTime]
    /// The chain of operations for which the end waited, first to last, each the dependency of the next that finished last.
    public var criticalPath: [Step]
    /// Whether the chain had more steps before the first.
    public var criticalPathIsCut: Bool

    /// Describes a job.
    ///
    /// - Parameter isOpen: whether the job takes further operations: such a job is not finished.
    public init(
        job: JobNumber,
        name: String?,
        isOpen: Bool = false,
        counts: JobCounts,
        submittedAt: Timestamp,
        finishedAt: Timestamp?,
        elapsedSeconds: Double,
        operations: Int,
        attempts: Int,
        busySeconds: Double,
        waitingSeconds: Double,
        longestWait: OperationTime?,
        measuredAttempts: Int,
        cpuSeconds: Double?,
        peakMemory: OperationMemory?,
        workers: [Worker],
        slowest: [OperationTime],
        criticalPath: [Step],
        criticalPathIsCut: Bool
    ) {
        self.job = job
        self.name = name
        open = isOpen
        state = counts.state(isOpen: isOpen)
        outcome = state == .finished ? counts.outcome : nil
        self.counts = counts
        self.submittedAt = submittedAt
        self.finishedAt = finishedAt
        self.elapsedSeconds = elapsedSeconds
        self.operations = operations
        self.attempts = attempts
        self.busySeconds = busySeconds
        self.waitingSeconds = waitingSeconds
        self.longestWait = longestWait
        self.measuredAttempts = measuredAttempts
        self.cpuSeconds = cpuSeconds
        self.peakMemory = peakMemory
        self.workers = workers
        self.slowest = slowest
        self.criticalPath = criticalPath
        self.criticalPathIsCut = criticalPathIsCut
    }
}
