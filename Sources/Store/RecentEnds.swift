@_spi(Baton) import BatonOperations

/// What happened in the last hour before the start of a coordinator, second by second.
@_spi(Baton) public struct RecentEnds: Hashable, Sendable {
    /// What happened in a second.
    public struct Second: Hashable, Sendable {
        /// The number of last attempts that were started.
        public var started = 0
        /// The number of operations that succeeded.
        public var succeeded = 0
        /// The number of operations that failed.
        public var failed = 0

        /// Nothing happened.
        public init() {}
    }

    /// How far back the figures go, as a negative duration.
    static let back = Duration.seconds(-3_600)

    /// The seconds in which something happened, by their numbers counted from 1970.
    public var seconds: [Int64: Second] = [:]

    /// Nothing has happened.
    public init() {}

    /// The number of operations that failed in each minute with failures, oldest first.
    public var failuresByMinute: [(minute: Int64, failed: Int)] {
        var minutes: [Int64: Int] = [:]
        for (second, figures) in seconds where figures.failed > 0 { minutes[second / 60, default: 0] += figures.failed }
        return minutes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
