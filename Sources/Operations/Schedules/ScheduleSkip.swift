/// A time of a schedule at which nothing was started.
@_spi(Baton) public struct ScheduleSkip: Hashable, Sendable {
    /// Why nothing was started.
    public enum Reason: String, Sendable, CaseIterable, CustomStringConvertible {
        /// The last job went on.
        case overlap
        /// Nobody could start it at its time.
        case missed
        /// The job was refused.
        case refused

        /// The name of the reason.
        public var description: String { rawValue }
    }

    /// The time.
    public var time: Timestamp
    /// Why nothing was started.
    public var reason: Reason
    /// The sentence of the refusal; nil for other reasons.
    public var message: String?

    /// Describes a time at which nothing was started.
    public init(time: Timestamp, reason: Reason, message: String? = nil) {
        self.time = time
        self.reason = reason
        self.message = message
    }
}
