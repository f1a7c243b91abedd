@_spi(Baton) import BatonOperations

extension DistributedOperation {
    /// The priority of an operation among the ready ones of its queue.
    ///
    /// ```swift
    /// operation.queuePriority = .high
    /// let hasEffect = try await operation.set(queuePriority: .init(clamping: 100))  // false once it has started
    /// ```
    public enum QueuePriority: Int, Hashable, Sendable, CaseIterable, Comparable {
        /// Last.
        case veryLow = -8
        /// After normal.
        case low = -4
        /// The default.
        case normal = 0
        /// Before normal.
        case high = 4
        /// First.
        case veryHigh = 8

        /// Takes any number and moves it towards normal to the nearest priority.
        public init(clamping level: Int) {
            self.init(Priority(clamping: level))
        }

        init(_ priority: Priority) {
            self =
                switch priority {
                case .veryLow: .veryLow
                case .low: .low
                case .normal: .normal
                case .high: .high
                case .veryHigh: .veryHigh
                }
        }

        /// The priority as messages have it.
        var stored: Priority { Priority(clamping: rawValue) }

        /// Orders priorities from `veryLow` to `veryHigh`.
        public static func < (left: QueuePriority, right: QueuePriority) -> Bool {
            left.rawValue < right.rawValue
        }
    }
}
