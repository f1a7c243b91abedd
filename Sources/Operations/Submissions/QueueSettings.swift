/// The settings of a queue.
@_spi(Baton) public struct QueueSettings: Hashable, Sendable {
    /// How many operations of the queue may execute at once on all workers together; nil for no bound (CO1, CO4).
    public var maxConcurrent: Int?
    /// The class that decides the queue's share of free slots (QO5); nil means unset and counts as default (QO1).
    public var qualityOfService: QualityOfService?
    /// Whether the queue starts nothing (SU1).
    public var isSuspended: Bool
    /// The number of operations for complete progress (PG1); nil if the queue reports no progress.
    public var total: Int?
    /// How many operations of the queue may start in a time; nil for no bound (CO10).
    public var startRate: StartRate?

    /// Describes the settings of a queue; by default no limit, no class, no total and no rate.
    public init(
        maxConcurrent: Int? = nil,
        qualityOfService: QualityOfService? = nil,
        isSuspended: Bool = false,
        total: Int? = nil,
        startRate: StartRate? = nil
    ) {
        self.maxConcurrent = maxConcurrent
        self.qualityOfService = qualityOfService
        self.isSuspended = isSuspended
        self.total = total
        self.startRate = startRate
    }
}

/// A request to change settings of a queue; nil fields leave their settings unchanged.
@_spi(Baton) public struct QueueChange: Hashable, Sendable {
    /// A new bound on executing operations.
    public enum Limit: Hashable, Sendable {
        /// At most this many operations at once; 0 starts nothing (CO3).
        case atMost(Int)
        /// No limit of the queue's own (-1 on the command line, CO4).
        case unlimited
    }

    /// A new bound on starts.
    public enum Rate: Hashable, Sendable, CustomStringConvertible {
        /// At most so many in a time.
        case atMost(StartRate)
        /// No bound.
        case unlimited

        /// The word for no bound.
        public static let unlimitedWord = "none"

        /// Reads a rate, or the word for none; nil for a text of another form.
        public init?(_ text: String) {
            if text == Self.unlimitedWord {
                self = .unlimited
            } else if let rate = StartRate(text) {
                self = .atMost(rate)
            } else {
                return nil
            }
        }

        /// The text that ``init(_:)`` reads.
        public var description: String {
            switch self {
            case .atMost(let rate): rate.description
            case .unlimited: Self.unlimitedWord
            }
        }
    }

    /// The queue's name; a missing queue is created.
    public var name: String
    /// The new limit; nil for no change.
    public var maxConcurrent: Limit?
    /// The new class; nil for no change.
    public var qualityOfService: QualityOfService?
    /// Whether to suspend or resume the queue; nil for no change.
    public var isSuspended: Bool?
    /// The new total of the progress; nil for no change, 0 to end the reports.
    public var total: Int?
    /// The new rate; nil for no change.
    public var startRate: Rate?

    /// Asks for a change of a queue's settings.
    public init(
        name: String,
        maxConcurrent: Limit? = nil,
        qualityOfService: QualityOfService? = nil,
        isSuspended: Bool? = nil,
        total: Int? = nil,
        startRate: Rate? = nil
    ) {
        self.name = name
        self.maxConcurrent = maxConcurrent
        self.qualityOfService = qualityOfService
        self.isSuspended = isSuspended
        self.total = total
        self.startRate = startRate
    }

    /// Returns the settings after the change.
    public func applied(to settings: QueueSettings) -> QueueSettings {
        var result = settings
        switch maxConcurrent {
        case .atMost(let limit): result.maxConcurrent = limit
        case .unlimited: result.maxConcurrent = nil
        case nil: break
        }
        if let qualityOfService { result.qualityOfService = qualityOfService }
        if let isSuspended { result.isSuspended = isSuspended }
        if let total { result.total = total > 0 ? total : nil }
        switch startRate {
        case .atMost(let rate): result.startRate = rate
        case .unlimited: result.startRate = nil
        case nil: break
        }
        return result
    }
}
