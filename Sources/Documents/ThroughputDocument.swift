@_spi(Baton) public import BatonOperations

/// What a cluster did in the last minutes or hours, in parts of equal length.
@_spi(Baton) public struct ThroughputDocument: Document {
    /// A part of the time.
    public struct Bucket: Document {
        /// The beginning of the part.
        public var time: Timestamp
        /// The number of attempts that were started.
        public var started: UInt64
        /// The number of operations that succeeded.
        public var succeeded: UInt64
        /// The number of operations that failed.
        public var failed: UInt64
        /// The number of executing operations at the end of the part.
        public var executing: Int
        /// The number of ready operations at the end of the part.
        public var ready: Int

        /// Describes a part.
        public init(
            time: Timestamp,
            started: UInt64,
            succeeded: UInt64,
            failed: UInt64,
            executing: Int,
            ready: Int
        ) {
            self.time = time
            self.started = started
            self.succeeded = succeeded
            self.failed = failed
            self.executing = executing
            self.ready = ready
        }
    }

    /// The length of a part: 1 or 60.
    public var bucketSeconds: Int
    /// The parts, oldest first, without the present one; up to an hour before the start of the coordinator they are from the record,
    /// which knows nothing of what was executing or ready.
    public var buckets: [Bucket]

    /// Describes the parts.
    public init(bucketSeconds: Int, buckets: [Bucket]) {
        self.bucketSeconds = bucketSeconds
        self.buckets = buckets
    }
}
