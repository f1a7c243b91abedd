/// A worker that could be started, with its resources for operations.
@_spi(Baton) public struct OfferedWorker: Hashable, Sendable {
    /// The number of operations that the worker would run at once, at least 1.
    public var slots: Int
    /// The processors, in thousandths of a processor; nil if the number is unknown before the start.
    public var cpus: Int?
    /// The memory in bytes; nil if the size is unknown before the start.
    public var memory: Int64?
    /// The units of named resources.
    public var resources: [String: Int]
    /// The labels by name.
    public var labels: [String: String]
    /// The time from the worker's start to its end; nil without a limit.
    public var time: Duration?

    /// Describes a worker.
    public init(
        slots: Int = 1,
        cpus: Int? = nil,
        memory: Int64? = nil,
        resources: [String: Int] = [:],
        labels: [String: String] = [:],
        time: Duration? = nil
    ) {
        self.slots = max(1, slots)
        self.cpus = cpus
        self.memory = memory
        self.resources = resources
        self.labels = labels
        self.time = time
    }

    /// The number of operations with a request that the worker would run at once; 0 if it could never run one.
    ///
    /// An unknown resource counts as enough for every slot.
    public func capacity(for request: ResourceRequest) -> Int {
        guard request.labels.allSatisfy({ $0.holds(for: labels) }) else { return 0 }
        var capacity = slots
        if let cpus, request.cpus > 0 { capacity = min(capacity, cpus / request.cpus) }
        if let memory, request.memory > 0 { capacity = Int(min(Int64(capacity), memory / request.memory)) }
        for (name, needed) in request.resources where needed > 0 {
            capacity = min(capacity, (resources[name] ?? 0) / needed)
        }
        return max(0, capacity)
    }
}
