public import BatonOperations

/// The jobs that there are, or a page of them: `list`.
public struct JobListDocument: Document {
    /// One job at a glance.
    public struct Job: Document {
        /// Its number.
        public var job: JobNumber
        /// Its name; nil where it has none.
        public var name: String?
        /// The queue of all its operations; nil where they are in several.
        public var queue: String?
        /// The state of the whole.
        public var state: OperationState
        /// The outcome of the whole (D10); nil until it is finished.
        public var outcome: Outcome?
        /// How many of its operations are where in their lives.
        public var counts: JobCounts
        /// When it was submitted.
        public var submittedAt: Timestamp

        /// Describes a job at a glance.
        public init(
            job: JobNumber,
            name: String?,
            queue: String?,
            state: OperationState,
            counts: JobCounts,
            submittedAt: Timestamp
        ) {
            self.job = job
            self.name = name
            self.queue = queue
            self.state = state
            outcome = counts.outcome
            self.counts = counts
            self.submittedAt = submittedAt
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
            writer.endObject()
        }
    }

    /// The jobs, newest first.
    public var jobs: [Job]
    /// The job before which the next page starts; nil where there are no more.
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
