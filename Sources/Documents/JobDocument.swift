@_spi(Baton) public import BatonOperations

/// One job with its operations, or with a page of the operations: `show JOB`.
///
/// A big job comes in pages of the same form; ``JobDocumentJoiner`` joins the pages into one document.
@_spi(Baton) public struct JobDocument: Document {
    /// The job's number.
    public var job: JobNumber
    /// The job's name; nil for a job without a name.
    public var name: String?
    /// The key that the user gave the submission; nil for none.
    public var key: String?
    /// Who submitted or retried the job, by the name of a key; nil if nobody is known.
    public var by: String?
    /// The state of the whole job (``BatonOperations/JobCounts/state``).
    public var state: OperationState
    /// Whether the job takes further operations; such a job has no outcome, and is pending while nothing runs.
    public var open: Bool
    /// The outcome of the whole job (D10); nil until the job is finished.
    public var outcome: Outcome?
    /// The job retried by this job; nil if this job is not a retry.
    public var retryOf: JobNumber?
    /// The retries of this job, oldest first.
    public var retriedAs: [JobNumber]
    /// The retries of this job with their states, oldest first.
    public var retries: [JobRetry]
    /// The number of failed operations at which what had not started is cancelled; nil for none.
    public var maxFailures: UInt32?
    /// True if what executes is cancelled then, too; absent otherwise.
    @IfPresent public var cancelRunning: Bool?
    /// The job whose results the operations take that are the same there; absent for none.
    @IfPresent public var reuse: JobNumber?
    /// How long after the end of the job its files are kept, such as 7d; absent for no such time.
    @IfPresent public var keepFiles: String?
    /// The most bytes of the files that the operations of the job leave altogether; absent for what the coordinator allows each job.
    @IfPresent public var filesLimit: Int64?
    /// The time from the submission to the moment at which unfinished operations end as failed (SC5); nil for none.
    public var deadline: String?
    /// The commands that are run once the job is finished, by `finish`, `success` and `failure`; nil for none.
    @Content public var hooks: [String: [String]]?
    /// The runs of these commands, by the same words; nil before the end of the job, and for none.
    public var hookRuns: [String: HookDocument]?
    /// The tags of the job: values by key.
    public var tags: [String: String]
    /// The span of the job in the form of W3C Trace Context, `traceparent`, under which `otlp` exports the job; nil if it is unknown.
    ///
    /// The tag `traceparent` has the span that the job was submitted from.
    public var traceContext: String?
    /// The number of operations by state, and of finished operations by outcome, over the whole job instead of the page.
    public var counts: JobCounts
    /// The finished part of the job, from 0 to 1 (PG6).
    public var progress: Double
    /// The number of operations.
    public var size: Int
    /// The names of the queues that the operations are in, in the order of their first use.
    public var queues: [String]
    /// The operations in the order of their indices.
    public var operations: [OperationDocument]
    /// The time of the submission.
    public var submittedAt: Timestamp
    /// The start of the first attempt; nil before.
    public var startedAt: Timestamp?
    /// The end of the last operation; nil until the job is finished.
    public var finishedAt: Timestamp?
    /// The time that the rest will take if the job goes on as fast as lately, in seconds; nil if that is not known.
    public var etaSeconds: Double?
    /// The first index of the next page; nil on the last page.
    public var next: UInt32?

    /// Describes a job.
    ///
    /// - Parameters:
    ///   - settings: what the submission says about the job as a whole.
    ///   - hookRuns: the runs of the job's completion hooks.
    ///   - traceContext: the span of the job.
    ///   - counts: the number of operations by state and outcome; the counts also determine the outcome of the job.
    ///   - progress: the finished part of the job, including the fractions of running operations; nil counts finished
    ///     operations only.
    public init(
        job: JobNumber,
        name: String?,
        key: String? = nil,
        by: String? = nil,
        state: OperationState,
        open: Bool = false,
        retryOf: JobNumber? = nil,
        retries: [JobRetry] = [],
        settings: JobSettings = JobSettings(),
        hookRuns: [String: HookDocument] = [:],
        traceContext: TraceContext? = nil,
        counts: JobCounts,
        progress: Double? = nil,
        queues: [String] = [],
        operations: [OperationDocument],
        submittedAt: Timestamp,
        startedAt: Timestamp? = nil,
        finishedAt: Timestamp? = nil,
        etaSeconds: Double? = nil,
        next: UInt32? = nil
    ) {
        self.job = job
        self.name = name
        self.key = key
        self.by = by
        self.state = state
        self.open = open
        outcome = open ? nil : counts.outcome
        self.retryOf = retryOf
        retriedAs = retries.map(\.job)
        self.retries = retries
        maxFailures = settings.maxFailures
        cancelRunning = settings.cancelRunning ? true : nil
        reuse = settings.reuse
        keepFiles = settings.keepFiles?.text
        filesLimit = settings.filesLimit
        deadline = settings.deadline?.text
        hooks = settings.hooks.map { hooks in
            Dictionary(uniqueKeysWithValues: hooks.commands.map { ($0.key.rawValue, $0.value) })
        }
        self.hookRuns = hookRuns.isEmpty ? nil : hookRuns
        tags = settings.tags
        self.traceContext = traceContext?.description
        self.counts = counts
        self.progress = progress ?? (counts.total > 0 ? Double(counts.finished) / Double(counts.total) : 0)
        size = counts.total
        self.queues = queues
        self.operations = operations
        self.submittedAt = submittedAt
        self.startedAt = startedAt
        self.finishedAt = finishedAt
        self.etaSeconds = etaSeconds
        self.next = next
    }
}
