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

    /// Describes the settings of a queue; by default no limit, no class and no total.
    public init(
        maxConcurrent: Int? = nil,
        qualityOfService: QualityOfService? = nil,
        isSuspended: Bool = false,
        total: Int? = nil
    ) {
        self.maxConcurrent = maxConcurrent
        self.qualityOfService = qualityOfService
        self.isSuspended = isSuspended
        self.total = total
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

    /// Asks for a change of a queue's settings.
    public init(
        name: String,
        maxConcurrent: Limit? = nil,
        qualityOfService: QualityOfService? = nil,
        isSuspended: Bool? = nil,
        total: Int? = nil
    ) {
        self.name = name
        self.maxConcurrent = maxConcurrent
        self.qualityOfService = qualityOfService
        self.isSuspended = isSuspended
        self.total = total
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
        return result
    }
}
