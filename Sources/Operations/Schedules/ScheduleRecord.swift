/// A schedule in the record.
@_spi(Baton) public struct ScheduleRecord: Hashable, Sendable {
    /// The most bytes of what a schedule submits.
    public static let maximumRequestLength = 1 << 20
    /// The most schedules of a cluster.
    public static let maximumCount = 1000

    /// When the schedule starts its jobs.
    public var settings: ScheduleSettings
    /// When it was added, by the host's clock.
    public var addedAt: Timestamp
    /// Who added it, such as the name of a key; nil if nobody is known.
    ///
    /// The jobs of the schedule are submitted by the same.
    public var addedBy: String?
    /// The message of a client that submits the job, without a key.
    public var request: [UInt8]
    /// How far the schedule has come.
    public var state: ScheduleState

    /// Describes a schedule.
    public init(
        settings: ScheduleSettings,
        addedAt: Timestamp,
        addedBy: String? = nil,
        request: [UInt8],
        state: ScheduleState
    ) {
        self.settings = settings
        self.addedAt = addedAt
        self.addedBy = addedBy
        self.request = request
        self.state = state
    }
}
