/// What a worker has for its operations, in addition to its slots.
@_spi(Baton) public struct WorkerOffer: Hashable, Sendable {
    /// The way in which a worker enforces the memory limits of operations.
    public enum MemoryControl: String, CaseIterable, Sendable {
        /// The kernel enforces the limit, by a control group for each operation.
        case cgroup
        /// The worker measures the resident memory at intervals.
        case sampling
    }

    /// The processors, in thousandths of a processor.
    public var cpus: Int
    /// The memory in bytes.
    public var memory: Int64
    /// How the worker enforces memory limits; nil if it does not.
    public var memoryControl: MemoryControl?
    /// The units of named resources.
    public var resources: [String: Int]
    /// The labels by name.
    public var labels: [String: String]

    /// Describes an offer; the default offers nothing.
    public init(
        cpus: Int = 0,
        memory: Int64 = 0,
        memoryControl: MemoryControl? = nil,
        resources: [String: Int] = [:],
        labels: [String: String] = [:]
    ) {
        self.cpus = cpus
        self.memory = memory
        self.memoryControl = memoryControl
        self.resources = resources
        self.labels = labels
    }

    /// Whether the labels meet all conditions of a request.
    public func meetsLabels(of request: ResourceRequest) -> Bool {
        request.labels.allSatisfy { $0.holds(for: labels) }
    }
}
