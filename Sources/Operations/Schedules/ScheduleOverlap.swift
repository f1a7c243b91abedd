/// What happens at a time of a schedule while its last job goes on (SC3).
@_spi(Baton) public enum ScheduleOverlap: UInt8, Sendable, CaseIterable, CustomStringConvertible {
    /// Nothing starts.
    case skip = 0
    /// The start waits until the job is finished.
    case queue = 1
    /// The job is cancelled, and the start waits until it is finished.
    case replace = 2

    /// Reads a rule by its name; nil for an unknown name.
    public init?(_ text: String) {
        guard let named = Self.allCases.first(where: { $0.description == text }) else { return nil }
        self = named
    }

    /// The name of the rule.
    public var description: String {
        switch self {
        case .skip: "skip"
        case .queue: "queue"
        case .replace: "replace"
        }
    }
}
