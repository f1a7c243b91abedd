@_spi(Baton) public import BatonOperations

/// One schedule: `schedule show`, and an element of `schedule list`.
@_spi(Baton) public struct ScheduleDocument: Document {
    /// The schedule's name.
    public var schedule: String
    /// The times, as in crontab(5).
    public var cron: String
    /// The time zone by whose clocks the times are.
    public var timeZone: String
    /// What happens at a time while the last job goes on (SC3).
    public var overlap: ScheduleOverlap
    /// Which of missed times starts a job (SC1).
    public var catchUp: ScheduleCatchUp
    /// Whether the schedule starts nothing until it is resumed.
    public var paused: Bool
    /// The next times: five, or one in `schedule list`; none while the schedule is paused, or if the coordinator's host does not know
    /// the time zone.
    public var next: [Timestamp]
    /// The times whose starts wait for the end of the last job.
    public var waiting: [Timestamp]
    /// The time of the last start; nil before the first.
    public var lastTime: Timestamp?
    /// The last job; nil before the first.
    public var lastJob: JobNumber?
    /// The last time at which nothing was started; nil if there was none.
    public var skippedTime: Timestamp?
    /// Why nothing was started then: the last job went on, nobody could start it in time, or the job was refused.
    public var skipReason: ScheduleSkip.Reason?
    /// Why the job was refused; nil for other reasons.
    @Content public var skipMessage: String?
    /// When the schedule was added.
    public var addedAt: Timestamp
    /// Who added the schedule and submits its jobs, such as the name of a key; nil if nobody is known.
    public var addedBy: String?

    /// Describes a schedule.
    public init(_ record: ScheduleRecord, next: [Timestamp]) {
        schedule = record.settings.name
        cron = record.settings.cron.description
        timeZone = record.settings.timeZone
        overlap = record.settings.overlap
        catchUp = record.settings.catchUp
        paused = record.state.isPaused
        self.next = next
        waiting = record.state.waiting
        lastTime = record.state.last?.time
        lastJob = record.state.last?.job
        skippedTime = record.state.skip?.time
        skipReason = record.state.skip?.reason
        skipMessage = record.state.skip?.message
        addedAt = record.addedAt
        addedBy = record.addedBy
    }
}
