@_spi(Baton) public import BatonOperations

/// What happened in a job during a window of time, in buckets of equal length.
@_spi(Baton) public struct TimelineDocument: Document {
    /// A part of the window.
    public struct Bucket: Document {
        /// The number of operations that were finished.
        public var finished: Int
        /// The number of operations that failed; part of `finished`.
        public var failed: Int
        /// The mean number of executing attempts.
        public var executing: Double

        /// Describes a bucket.
        public init(finished: Int, failed: Int, executing: Double) {
            self.finished = finished
            self.failed = failed
            self.executing = executing
        }
    }

    /// A worker that executed attempts of the job in the window.
    public struct Worker: Document {
        /// The worker's name; nil for unknown workers and those beyond the limit, together.
        public var worker: String?
        /// The number of attempts that the worker runs at once; nil if unknown.
        public var slots: Int?
        /// The used share of the slots in each bucket, from 0 to 1; without known slots, the mean number of executing attempts.
        public var busy: [Double]

        /// Describes a worker.
        public init(worker: String?, slots: Int?, busy: [Double]) {
            self.worker = worker
            self.slots = slots
            self.busy = busy
        }
    }

    /// What the worker of an attempt fetched before the attempt started.
    public struct Fetch: Document {
        /// When the attempt was sent to the worker.
        public var from: Timestamp
        /// When the last of the files was there.
        public var to: Timestamp
        /// The number of different contents.
        public var count: Int
        /// The bytes of the contents.
        public var bytes: Int64

        /// Describes a fetch.
        public init(_ fetch: FetchRecord) {
            (from, to) = (fetch.sentAt, fetch.arrivedAt)
            (count, bytes) = (Int(fetch.files), fetch.bytes)
        }
    }

    /// An attempt in the window.
    public struct Attempt: Document {
        /// The operation.
        public var operation: OperationID
        /// The number of the attempt, from 1.
        public var attempt: UInt32
        /// The worker; nil for an unknown worker.
        public var worker: String?
        /// The lane of the worker, from 0: attempts of one lane never overlap.
        public var lane: Int
        /// The start, which may lie before the window.
        public var from: Timestamp
        /// The end, which may lie behind the window; for an executing attempt, the present.
        public var to: Timestamp
        /// The end of the attempt: `succeeded`, `failed`, `cancelled`, `lost` or `stopped`; nil for an executing attempt.
        public var outcome: String?
        /// What the worker fetched before; absent for nothing.
        @IfPresent public var fetch: Fetch?

        /// Describes an attempt.
        public init(
            operation: OperationID,
            attempt: UInt32,
            worker: String?,
            lane: Int,
            from: Timestamp,
            to: Timestamp,
            outcome: String?,
            fetch: Fetch? = nil
        ) {
            self.operation = operation
            self.attempt = attempt
            self.worker = worker
            self.lane = lane
            self.from = from
            self.to = to
            self.outcome = outcome
            self.fetch = fetch
        }
    }

    /// The beginning of the window.
    public var from: Timestamp
    /// The end of the window.
    public var to: Timestamp
    /// The length of each bucket but the last one, which ends with the window.
    public var bucketSeconds: Double
    /// The buckets, in order.
    public var buckets: [Bucket]
    /// The workers, by name.
    public var workers: [Worker]
    /// The attempts, by their starts; nil if there are too many.
    public var operations: [Attempt]?

    /// Describes a timeline.
    public init(
        from: Timestamp,
        to: Timestamp,
        bucketSeconds: Double,
        buckets: [Bucket],
        workers: [Worker],
        operations: [Attempt]?
    ) {
        self.from = from
        self.to = to
        self.bucketSeconds = bucketSeconds
        self.buckets = buckets
        self.workers = workers
        self.operations = operations
    }
}
