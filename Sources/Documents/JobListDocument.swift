@_spi(Baton) public import BatonJSON
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
        @LaterKey public var open: Bool
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
        /// The first command of a job without a name; nil for a job with a name, and for an operation without a single command.
        public var command: [String]?
        /// The job retried by this job; nil if this job is not a retry.
        public var retryOf: JobNumber?
        /// The retries of this job, oldest first.
        @LaterKey public var retriedAs: [JobNumber]
        /// The tags of the job: values by key.
        @LaterKey public var tags: [String: String]

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
            retriedAs: [JobNumber] = [],
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
            self.retriedAs = retriedAs
            self.tags = tags
        }

        /// Writes the job.
        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("job", job.rawValue)
            writer.member("name", name)
            writer.member("queue", queue)
            writer.member("state", description: state)
            writer.member("open", open)
            writer.member("outcome", description: outcome)
            writer.member("counts", counts)
            writer.member("submittedAt", description: submittedAt)
            writer.member("by", by)
            writer.member("finishedAt", description: finishedAt)
            writer.member("command", strings: command)
            writer.member("retryOf", retryOf?.rawValue)
            writer.member("retriedAs", array: retriedAs) { job, writer in writer.value(job.rawValue) }
            writer.member("tags", texts: tags)
            writer.endObject()
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

    /// Writes the list.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("jobs", array: jobs) { job, writer in job.write(to: &writer) }
        writer.member("next", next?.rawValue)
        writer.member("more", more)
        writer.endObject()
    }
}
