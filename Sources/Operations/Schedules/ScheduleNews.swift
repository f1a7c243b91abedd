/// What happened to a schedule, for those who watch the cluster; a start is told as the submission of its job.
@_spi(Baton) public enum ScheduleNews: UInt8, Sendable, CaseIterable {
    /// The schedule was added.
    case added = 0
    /// It was paused.
    case paused = 1
    /// It was resumed.
    case resumed = 2
    /// It was removed.
    case removed = 3
    /// Nothing was started at one of its times.
    case skipped = 4

    /// What a change does that has an effect.
    public init(_ change: ScheduleChange) {
        switch change {
        case .pause: self = .paused
        case .resume: self = .resumed
        case .remove: self = .removed
        }
    }

    /// Whether somebody asks for it.
    public var isRequested: Bool { self != .skipped }

    /// The word for people and scripts.
    public var word: String {
        switch self {
        case .added: "added"
        case .paused: "paused"
        case .resumed: "resumed"
        case .removed: "removed"
        case .skipped: "skipped"
        }
    }
}
