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
        /// The outcome of the whole job (D10); nil until the job is finished.
        public var outcome: Outcome?
        /// The number of operations by state, and of finished operations by outcome.
        public var counts: JobCounts
        /// The time of the submission.
        public var submittedAt: Timestamp
        /// Who submitted or retried the job, by the name of a key; nil if nobody is known.
        public var by: String?

        /// Describes a job.
        public init(
            job: JobNumber,
            name: String?,
            queue: String?,
            state: OperationState,
            counts: JobCounts,
            submittedAt: Timestamp,
            by: String? = nil
        ) {
            self.job = job
            self.name = name
            self.queue = queue
            self.state = state
            outcome = counts.outcome
            self.counts = counts
            self.submittedAt = submittedAt
            self.by = by
        }

        /// Writes the job.
        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("job", job.rawValue)
            writer.member("name", name)
            writer.member("queue", queue)
            writer.member("state", description: state)
            writer.member("outcome", description: outcome)
            writer.member("counts", counts)
            writer.member("submittedAt", description: submittedAt)
            writer.member("by", by)
            writer.endObject()
        }
    }

    /// The jobs, newest first.
    public var jobs: [Job]
    /// The next page lists the jobs before this job; nil on the last page.
    public var next: JobNumber?

    /// Lists jobs.
    public init(jobs: [Job], next: JobNumber? = nil) {
        self.jobs = jobs
        self.next = next
    }

    /// Writes the list.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("jobs", array: jobs) { job, writer in job.write(to: &writer) }
        writer.member("next", next?.rawValue)
        writer.endObject()
    }
}
