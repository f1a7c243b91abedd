/// What can be set of a queue.
public struct QueueSettings: Hashable, Sendable {
    /// How many operations of the queue may execute at once on all workers together; nil for no bound (CO1, CO4).
    public var maxConcurrent: Int?
    /// The class that decides the queue's share of free slots (QO5); nil is unset, and reads as default (QO1).
    public var qualityOfService: QualityOfService?
    /// Whether it starts nothing (SU1).
    public var isSuspended: Bool
    /// How many operations make the whole of its progress (PG1); nil where it reports none.
    public var total: Int?

    /// Describes the settings of a queue; a queue that nobody set has no limit, no class and no total.
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

/// A request to set something of a queue; what is not mentioned stays as it is.
public struct QueueChange: Hashable, Sendable {
    /// A new bound on executing operations.
    public enum Limit: Hashable, Sendable {
        /// At most this many at once; 0 starts nothing (CO3).
        case atMost(Int)
        /// No limit of the queue's own (-1 on the command line, CO4).
        case unlimited
    }

    /// The queue's name; a queue that does not exist is made.
    public var name: String
    /// The new limit, where it is to change.
    public var maxConcurrent: Limit?
    /// The new class, where it is to change.
    public var qualityOfService: QualityOfService?
    /// Whether it is to be suspended or resumed, where that is to change.
    public var isSuspended: Bool?
    /// The new total of its progress, where it is to change; 0 ends the reporting.
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

    /// The settings after the change.
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
