/// All schedules: `schedule list`.
@_spi(Baton) public struct ScheduleListDocument: Document {
    /// The schedules, by name.
    public var schedules: [ScheduleDocument]

    /// Lists schedules.
    public init(schedules: [ScheduleDocument]) {
        self.schedules = schedules
    }
}
