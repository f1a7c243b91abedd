extension Logger {
    /// How much a line matters, from `trace` up to `critical`.
    public enum Level: String, Sendable, Hashable, CaseIterable, Comparable {
        /// Step by step.
        case trace
        /// For who looks for a fault.
        case debug
        /// For who operates it.
        case info
        /// Out of the ordinary.
        case notice
        /// May become a fault.
        case warning
        /// A fault.
        case error
        /// A fault to look at now.
        case critical

        /// Whether one matters less than the other.
        public static func < (left: Level, right: Level) -> Bool {
            left.severity < right.severity
        }

        private var severity: Int {
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
