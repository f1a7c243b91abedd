/// A part of a job's history: entries with their dependencies, the states of the operations, and all attempts that are known.
///
/// A history says what operations are called and how they went, and nothing of what they do, print or return.
@_spi(Baton) public struct HistoryPage: Hashable, Sendable {
    /// The most operations of a page.
    public static let mostOperations = 4_000
    /// The most earlier attempts of a page; the attempts of the last operation may exceed the number.
    public static let mostAttempts = 10_000
    /// The most dependencies of a page; those of the last entry may exceed the number.
    public static let mostDependencies = 20_000

    /// The job.
    public var job: JobNumber
    /// The job's name; nil for none.
    public var name: String?
    /// The address of the coordinator, as its users know it.
    public var coordinator: String
    /// The version of the coordinator.
    public var version: String
    /// When the job was submitted.
    public var submittedAt: Timestamp
    /// When the last operation of the job was finished; nil for an unfinished job.
    public var finishedAt: Timestamp?
    /// The moment that the page shows.
    public var moment: Timestamp
    /// The number of operations of the job by state, and of finished operations by outcome.
    public var counts: JobCounts
    /// The index of the first operation of the page.
    public var from: UInt32
    /// The entries of the page, in order; an entry may reach beyond both ends of the page.
    public var entries: [HistoryEntry]
    /// The operations of the page, in order.
    public var operations: [OperationHistory]
    /// The attempts that ended before the operations of the page, by operation and attempt.
    public var attempts: [EarlierAttempt]
    /// What was fetched for attempts of the page, by operation and attempt.
    public var fetches: [HistoryFetch]
    /// The files that attempts of the page left, by operation.
    public var files: [HistoryFiles]
    /// The known workers; empty on later pages than the first.
    public var workers: [HistoryWorker]
    /// The operations of this job on the critical path, first to last; empty on later pages than the first.
    public var criticalPath: [UInt32]
    /// The index of the first operation of the next page; nil for the last page.
    public var next: UInt32?

    /// Describes a page without operations.
    public init(
        job: JobNumber,
        name: String?,
        coordinator: String,
        version: String,
        submittedAt: Timestamp,
        finishedAt: Timestamp?,
        moment: Timestamp,
        counts: JobCounts,
        from: UInt32 = 0
    ) {
        self.job = job
        self.name = name
        self.coordinator = coordinator
        self.version = version
        self.submittedAt = submittedAt
        self.finishedAt = finishedAt
        self.moment = moment
        self.counts = counts
        self.from = from
        entries = []
        operations = []
        attempts = []
        fetches = []
        files = []
        workers = []
        criticalPath = []
    }
}

/// A worker in a history.
@_spi(Baton) public struct HistoryWorker: Hashable, Sendable {
    /// The worker's name.
    public var name: String
    /// The number of attempts that the worker runs at once.
    public var slots: UInt32

    /// Describes a worker.
    public init(name: String, slots: UInt32) {
        self.name = name
        self.slots = slots
    }
}
