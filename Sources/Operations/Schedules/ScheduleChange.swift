/// What a user asks to be done with a schedule.
@_spi(Baton) public enum ScheduleChange: UInt8, Sendable, CaseIterable {
    /// It starts nothing until it is resumed; what waits is dropped.
    case pause = 0
    /// It goes on with the next of its times.
    case resume = 1
    /// It is gone; its jobs go on.
    case remove = 2
}
