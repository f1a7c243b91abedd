@_spi(Baton) public import BatonOperations

/// What a screen shows of the cluster: `top`.
@_spi(Baton) public struct OverviewDocument: Document {
    /// A job that is not finished.
    public struct Job: Document {
        /// The job's number.
        public var job: JobNumber
        /// The job's name; nil for a job without a name.
        public var name: String?
        /// The first command of a job without a name, of a Swift operation the type alone; nil for a job with a name, and for an operation
        /// without a single command.
        @Content public var command: [String]?
        /// The state of the whole job.
        public var state: OperationState
        /// Whether the job takes further operations.
        public var open: Bool
        /// The number of operations by state, and of finished operations by outcome.
        public var counts: JobCounts
        /// The finished part of the job, from 0 to 1, with the parts that running operations report (PG6).
        public var progress: Double
        /// The time of the submission.
        public var submittedAt: Timestamp
        /// The time that the rest will take if the job goes on as fast as lately, in seconds; nil if nothing has finished yet.
        public var etaSeconds: Double?

        /// Describes a job.
        ///
        /// - Parameter isOpen: whether the job takes further operations: such a job is not finished.
        public init(
            job: JobNumber,
            name: String?,
            command: [String]?,
            isOpen: Bool = false,
            counts: JobCounts,
            progress: Double,
            submittedAt: Timestamp,
            etaSeconds: Double? = nil
        ) {
            self.job = job
            self.name = name
            self.command = command
            state = counts.state(isOpen: isOpen)
            open = isOpen
            self.counts = counts
            self.progress = progress
            self.submittedAt = submittedAt
            self.etaSeconds = etaSeconds
        }
    }

    /// A queue that is suspended or at its limit, with operations that wait.
    public struct Queue: Document {
        /// The queue's name.
        public var queue: String
        /// Whether the queue is suspended.
        public var suspended: Bool
        /// The maximum number of operations executing at once; nil without a limit.
        public var maxConcurrent: Int?
        /// The number of executing operations.
        public var executing: Int
        /// The number of other unfinished operations.
        public var waiting: Int

        /// Describes a queue.
        public init(queue: String, suspended: Bool, maxConcurrent: Int?, executing: Int, waiting: Int) {
            self.queue = queue
            self.suspended = suspended
            self.maxConcurrent = maxConcurrent
            self.executing = executing
            self.waiting = waiting
        }
    }

    /// A worker that is suspect, lost, failing or draining.
    public struct Worker: Document {
        /// The worker's name.
        public var worker: String
        /// The state.
        public var state: WorkersDocument.State
        /// Why the worker cannot start operations; nil unless it is failing.
        public var reason: String?
        /// The number of slots.
        public var slots: Int
        /// The number of executing operations.
        public var executing: Int

        /// Describes a worker.
        public init(worker: String, state: WorkersDocument.State, reason: String?, slots: Int, executing: Int) {
            self.worker = worker
            self.state = state
            self.reason = reason
            self.slots = slots
            self.executing = executing
        }
    }

    /// The coordinator's address.
    public var coordinator: String
    /// The coordinator's version.
    public var version: String
    /// The number of coordinator starts on the store.
    public var epoch: UInt32
    /// The time since the coordinator's start, in whole seconds.
    public var uptimeSeconds: Int
    /// The present time by the coordinator's clock.
    public var time: Timestamp
    /// Why the record cannot be written, so that nothing new starts; nil while it can.
    public var recordFault: String?
    /// The number of workers, without lost and awaited workers.
    public var workers: Int
    /// The number of workers of before the coordinator's restart that have not come back.
    public var awaitedWorkers: Int
    /// The total number of slots of the workers.
    public var slots: Int
    /// The number of operations by state, and of finished operations by outcome.
    public var counts: JobCounts
    /// The number of operations that have finished since the coordinator's start.
    public var finished: Int
    /// The number of operations that finish in a second; nil in the first document, which has nothing to compare with.
    public var finishedPerSecond: Double?
    /// The number of operations that have failed in the last hour.
    public var failedLastHour: Int
    /// The newest jobs that are not finished, newest first.
    public var jobs: [Job]
    /// The number of other jobs that are not finished.
    public var moreJobs: Int
    /// The first of the queues that are suspended or full, by name.
    public var queues: [Queue]
    /// The number of other queues that are suspended or full.
    public var moreQueues: Int
    /// The first of the workers that are suspect, lost, failing or draining, by name.
    public var troubledWorkers: [Worker]
    /// The number of other workers in these states.
    public var moreTroubledWorkers: Int
    /// The first of the executing operations whose processes are stopped, the earliest stop first; Baton 0.1.0 does not tell them.
    @IfPresent public var stopped: [StoppedOperation]?
    /// The number of other operations whose processes are stopped; Baton 0.1.0 does not tell it.
    @IfPresent public var moreStopped: Int?
    /// The first of the executing operations that are paused, by address; absent if none is.
    @IfPresent public var paused: [PausedOperation]?
    /// The number of other operations that are paused; absent if there is none.
    @IfPresent public var morePaused: Int?

    /// Describes the cluster.
    public init(
        coordinator: String,
        version: String,
        epoch: UInt32,
        uptimeSeconds: Int,
        time: Timestamp,
        recordFault: String?,
        workers: Int,
        awaitedWorkers: Int,
        slots: Int,
        counts: JobCounts,
        finished: Int,
        finishedPerSecond: Double? = nil,
        failedLastHour: Int,
        jobs: [Job],
        moreJobs: Int,
        queues: [Queue],
        moreQueues: Int,
        troubledWorkers: [Worker],
        moreTroubledWorkers: Int,
        stopped: [StoppedOperation] = [],
        moreStopped: Int = 0,
        paused: [PausedOperation] = [],
        morePaused: Int = 0
    ) {
        self.coordinator = coordinator
        self.version = version
        self.epoch = epoch
        self.uptimeSeconds = uptimeSeconds
        self.time = time
        self.recordFault = recordFault
        self.workers = workers
        self.awaitedWorkers = awaitedWorkers
        self.slots = slots
        self.counts = counts
        self.finished = finished
        self.finishedPerSecond = finishedPerSecond
        self.failedLastHour = failedLastHour
        self.jobs = jobs
        self.moreJobs = moreJobs
        self.queues = queues
        self.moreQueues = moreQueues
        self.troubledWorkers = troubledWorkers
        self.moreTroubledWorkers = moreTroubledWorkers
        self.stopped = stopped
        self.moreStopped = moreStopped
        self.paused = paused.isEmpty ? nil : paused
        self.morePaused = morePaused > 0 ? morePaused : nil
    }
}
