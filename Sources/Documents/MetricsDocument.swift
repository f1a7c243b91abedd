@_spi(Baton) public import BatonOperations

/// The figures of a coordinator for a monitoring system.
///
/// Sums count from the making of the record, or from the first start of a version of Baton that keeps them there: they continue
/// after a restart of the coordinator. Histograms count from the start of the coordinator.
@_spi(Baton) public struct MetricsDocument: Document {
    /// A queue.
    public struct Queue: Document {
        /// The queue's name, also after its deletion; `other` for all queues without a label of their own together.
        public var queue: String
        /// The maximum number of operations executing at once; nil without a limit.
        public var maxConcurrent: Int?
        /// Whether the queue is suspended.
        public var suspended: Bool
        /// The number of unfinished operations by state, and of finished ones by outcome since the queue was made.
        public var counts: JobCounts
        /// The number of operations that were submitted: those that have finished, and the unfinished ones.
        public var submitted: Int
        /// The times from ready to started of all attempts.
        public var wait: HistogramDocument
        /// The times that attempts took, as their workers measured them.
        public var run: HistogramDocument

        /// Describes a queue.
        public init(
            queue: String,
            maxConcurrent: Int?,
            suspended: Bool,
            counts: JobCounts,
            submitted: Int,
            wait: HistogramDocument,
            run: HistogramDocument
        ) {
            self.queue = queue
            self.maxConcurrent = maxConcurrent
            self.suspended = suspended
            self.counts = counts
            self.submitted = submitted
            self.wait = wait
            self.run = run
        }

        /// Adds the figures of another queue; the sum has no limit.
        public mutating func add(_ other: Queue) {
            (maxConcurrent, suspended) = (nil, suspended || other.suspended)
            counts += other.counts
            submitted = submitted.addingSaturated(other.submitted)
            wait += other.wait
            run += other.run
        }
    }

    /// A worker.
    public struct Worker: Document {
        /// The worker's name; `other` for all workers behind the first thousand together.
        public var worker: String
        /// The number of slots.
        public var slots: Int
        /// The number of executing operations.
        public var executing: Int
        /// The time since the last sign of life; nil for a worker that has not come back after a restart of the coordinator.
        public var silentSeconds: Double?

        /// Describes a worker.
        public init(worker: String, slots: Int, executing: Int, silentSeconds: Double?) {
            self.worker = worker
            self.slots = slots
            self.executing = executing
            self.silentSeconds = silentSeconds
        }

        /// Adds the figures of another worker; the sum is silent for as long as the most silent one.
        public mutating func add(_ other: Worker) {
            slots += other.slots
            executing += other.executing
            silentSeconds = [silentSeconds, other.silentSeconds].compactMap { $0 }.max()
        }
    }

    /// A limit that several queues share.
    public struct Limit: Document {
        /// The limit's name.
        public var limit: String
        /// The most units that operations may take together.
        public var units: Int
        /// The units that operations have taken.
        public var taken: Int
        /// The number of ready operations that take units once they start.
        public var waiting: Int

        /// Describes a limit.
        public init(limit: String, units: Int, taken: Int, waiting: Int) {
            self.limit = limit
            self.units = units
            self.taken = taken
            self.waiting = waiting
        }
    }

    /// The pieces of files that the coordinator passes on.
    public struct Transfers: Document {
        /// The number of workers with a connection for files.
        public var connections: Int
        /// The number of pieces that workers were asked for and have not given.
        public var underWay: Int
        /// The number of bytes that were passed on since the start of the coordinator.
        public var passedBytes: UInt64
        /// The number of bytes that workers have received directly from others since the start of the coordinator, as they tell.
        public var directBytes: UInt64

        /// Describes transfers.
        public init(connections: Int, underWay: Int, passedBytes: UInt64, directBytes: UInt64) {
            self.connections = connections
            self.underWay = underWay
            self.passedBytes = passedBytes
            self.directBytes = directBytes
        }
    }

    /// The coordinator's version.
    public var version: String
    /// The number of coordinator starts on the store.
    public var epoch: UInt32
    /// The time of the coordinator's start.
    public var startedAt: Timestamp
    /// Whether the record cannot be written at present.
    public var recordFailing: Bool
    /// The size of the record's file in bytes; nil if it cannot be read at present.
    public var recordBytes: Int64?
    /// The size of the record's write-ahead log in bytes; nil if it cannot be read at present.
    public var recordLogBytes: Int64?
    /// The free bytes of the record's file system; nil if they are not known.
    public var diskFreeBytes: Int64?
    /// All bytes of the record's file system; nil if they are not known.
    public var diskBytes: Int64?
    /// The number of events in the life of the record.
    public var events: UInt64
    /// The labels of queues: those of queues in the order of their creation, and those of deleted ones.
    public var queues: [Queue]
    /// The first limits that several queues share, by name; nil without any.
    @IfPresent public var limits: [Limit]?
    /// The transfers of files; nil if there has been none since the start of the coordinator, and no worker is ready for one.
    @IfPresent public var transfers: Transfers?
    /// The number of ended attempts by end.
    public var attempts: [String: UInt64]
    /// The number of unfinished jobs by state.
    public var jobs: [String: Int]
    /// The number of finished jobs by outcome.
    public var jobsFinished: [String: Int]
    /// The workers by name.
    public var workers: [Worker]
    /// The number of workers by state.
    public var workerStates: [String: Int]
    /// The times from the moment at which changes were handed to the record until they were on disk.
    public var commit: HistogramDocument
    /// The times that the turns of the coordinator's loop took.
    public var turn: HistogramDocument

    /// Describes a coordinator.
    public init(
        version: String,
        epoch: UInt32,
        startedAt: Timestamp,
        recordFailing: Bool,
        recordBytes: Int64? = nil,
        recordLogBytes: Int64? = nil,
        diskFreeBytes: Int64? = nil,
        diskBytes: Int64? = nil,
        events: UInt64,
        queues: [Queue],
        limits: [Limit]? = nil,
        transfers: Transfers? = nil,
        attempts: [String: UInt64],
        jobs: [String: Int],
        jobsFinished: [String: Int],
        workers: [Worker],
        workerStates: [String: Int],
        commit: HistogramDocument,
        turn: HistogramDocument
    ) {
        self.version = version
        self.epoch = epoch
        self.startedAt = startedAt
        self.recordFailing = recordFailing
        self.recordBytes = recordBytes
        self.recordLogBytes = recordLogBytes
        self.diskFreeBytes = diskFreeBytes
        self.diskBytes = diskBytes
        self.events = events
        self.queues = queues
        self.limits = limits
        self.transfers = transfers
        self.attempts = attempts
        self.jobs = jobs
        self.jobsFinished = jobsFinished
        self.workers = workers
        self.workerStates = workerStates
        self.commit = commit
        self.turn = turn
    }
}
