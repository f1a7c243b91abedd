@_spi(Baton) extension Logger {
    /// The importance of a line, from `trace` up to `critical`.
    public enum Level: String, Sendable, Hashable, CaseIterable, Comparable {
        /// A step of a program.
        case trace
        /// For the search for a fault.
        case debug
        /// For an operator.
        case info
        /// Out of the ordinary.
        case notice
        /// May become a fault.
        case warning
        /// A fault.
        case error
        /// A fault that needs attention now.
        case critical

        /// Whether the left level matters less than the right level.
        public static func < (left: Level, right: Level) -> Bool {
            left.severity < right.severity
        }

        /// The place of the level among all levels.
        var severity: Int {
            switch self {
            case .trace: 0
            case .debug: 1
            case .info: 2
            case .notice: 3
            case .warning: 4
            case .error: 5
            case .critical: 6
            }
        }
    }
}
