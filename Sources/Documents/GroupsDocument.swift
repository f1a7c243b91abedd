@_spi(Baton) public import BatonOperations

/// The operations of a job in groups of one name, reason, worker or queue.
@_spi(Baton) public struct GroupsDocument: Document {
    /// The run times of a group.
    ///
    /// Only the last attempts of finished operations count. Percentiles of over 64 run times are up to 1.6 % off.
    public struct Seconds: Document {
        /// The run time that half of the operations did not exceed.
        public var p50: Double
        /// The run time that 95 % of the operations did not exceed.
        public var p95: Double
        /// The longest run time.
        public var max: Double
        /// All run times together.
        public var sum: Double

        /// Describes run times.
        public init(p50: Double, p95: Double, max: Double, sum: Double) {
            self.p50 = p50
            self.p95 = p95
            self.max = max
            self.sum = sum
        }
    }

    /// A group of operations.
    public struct Group: Document {
        /// The common name, reason, worker or queue; nil for operations without one.
        public var name: String?
        /// The first operation of the group.
        public var first: OperationID
        /// The number of operations.
        public var size: Int
        /// The number of operations by state, and of finished operations by outcome.
        public var counts: JobCounts
        /// The run times; nil if no operation of the group has run to its end.
        public var seconds: Seconds?

        /// Of a worker, how many times as long its operations took as those of the same names on the other workers; nil for other
        /// groups, and for a worker with fewer than five run times to compare.
        ///
        /// Operations that succeeded count.
        public var pace: Double?

        /// Describes a group, whose size follows from the counts.
        public init(name: String?, first: OperationID, counts: JobCounts, seconds: Seconds?, pace: Double? = nil) {
            self.name = name
            self.first = first
            size = counts.total
            self.counts = counts
            self.seconds = seconds
            self.pace = pace
        }
    }

    /// The groups: the one with the most failures first, then the largest, then the one with the first operation.
    public var groups: [Group]
    /// The number of operations in further groups.
    public var more: Int

    /// Lists groups.
    public init(groups: [Group], more: Int) {
        self.groups = groups
        self.more = more
    }
}
