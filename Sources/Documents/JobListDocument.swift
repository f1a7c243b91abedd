@_spi(Baton) public import BatonOperations

/// All jobs, or a page of the jobs: `list`.
@_spi(Baton) public struct JobListDocument: Document {
    /// A summary of one job.
    public struct Job: Document {
        /// The job's number.
        public var job: JobNumber
        /// The job's name; nil for a job without a name.
        public var name: String?
        /// The queue of all operations; nil if the job uses several queues.
        public var queue: String?
        /// The state of the whole job.
        public var state: OperationState
        /// Whether the job takes further operations; such a job has no outcome, and is pending while nothing runs.
        public var open: Bool
        /// The outcome of the whole job (D10); nil until the job is finished.
        public var outcome: Outcome?
        /// The number of operations by state, and of finished operations by outcome.
        public var counts: JobCounts
        /// The time of the submission.
        public var submittedAt: Timestamp
        /// Who submitted or retried the job, by the name of a key; nil if nobody is known.
        public var by: String?
        /// The time at which the last operation was finished; nil for an unfinished job.
        public var finishedAt: Timestamp?
        /// The first command of a job without a name, of a Swift operation the type alone; nil for a job with a name, and for an operation
        /// without a single command.
        @Content public var command: [String]?
        /// The job retried by this job; nil if this job is not a retry.
        public var retryOf: JobNumber?
        /// The retries of this job, oldest first.
        public var retriedAs: [JobNumber]
        /// The retries of this job with their states, oldest first.
        public var retries: [JobRetry]
        /// The tags of the job: values by key.
        public var tags: [String: String]

        /// Describes a job.
        public init(
            job: JobNumber,
            name: String?,
            queue: String?,
            state: OperationState,
            open: Bool = false,
            counts: JobCounts,
            submittedAt: Timestamp,
            by: String? = nil,
            finishedAt: Timestamp? = nil,
            command: [String]? = nil,
            retryOf: JobNumber? = nil,
            retries: [JobRetry] = [],
            tags: [String: String] = [:]
        ) {
            self.job = job
            self.name = name
            self.queue = queue
            self.state = state
            self.open = open
            outcome = open ? nil : counts.outcome
            self.counts = counts
            self.submittedAt = submittedAt
            self.by = by
            self.finishedAt = finishedAt
            self.command = command
            self.retryOf = retryOf
            retriedAs = retries.map(\.job)
            self.retries = retries
            self.tags = tags
        }
    }

    /// The jobs, newest first.
    public var jobs: [Job]
    /// The next page lists the jobs before this job; nil on the last page.
    public var next: JobNumber?
    /// The number of further jobs; nil if there are too many jobs to look through at once.
    public var more: Int?

    /// Lists jobs.
    public init(jobs: [Job], next: JobNumber? = nil, more: Int? = 0) {
        self.jobs = jobs
        self.next = next
        self.more = more
    }
}
