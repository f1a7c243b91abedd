/// How far a schedule has come.
///
/// All times are those of the host's clock.
@_spi(Baton) public struct ScheduleState: Hashable, Sendable {
    /// The last job that a schedule has started.
    public struct Start: Hashable, Sendable {
        /// The time of the schedule.
        public var time: Timestamp
        /// The job.
        public var job: JobNumber

        /// Describes a start.
        public init(time: Timestamp, job: JobNumber) {
            self.time = time
            self.job = job
        }
    }

    /// The most times that wait for the end of the last job.
    public static let maximumWaiting = 100

    /// Whether the schedule starts nothing until it is resumed.
    public var isPaused = false
    /// The moment up to which it is decided what starts; later times are still to come.
    public var decidedUntil: Timestamp
    /// The last job; nil before the first.
    public var last: Start?
    /// The times whose starts wait for the end of the last job, in their order.
    public var waiting: [Timestamp] = []
    /// The last time at which nothing was started; nil if there was none.
    public var skip: ScheduleSkip?

    /// Describes a schedule whose times are decided up to a moment, and that has started nothing.
    public init(decidedUntil: Timestamp) {
        self.decidedUntil = decidedUntil
    }
}
