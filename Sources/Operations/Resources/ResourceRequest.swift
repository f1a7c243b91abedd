/// What an operation asks of its worker, in addition to one slot, and of the limits of the cluster.
@_spi(Baton) public struct ResourceRequest: Hashable, Sendable {
    /// The processors, in thousandths of a processor; 0 for no request.
    public var cpus: Int
    /// The memory in bytes; 0 for no request.
    public var memory: Int64
    /// The units of named resources, each at least 1.
    public var resources: [String: Int]
    /// The conditions for the worker's labels, all of which must hold.
    public var labels: [LabelCondition]
    /// The units of the cluster's shared limits, each at least 1; they are not the worker's.
    public var limits: [String: Int]

    /// The most processors that an operation may ask for, in thousandths of a processor.
    public static let maximumCPUs: Int64 = 1_000_000

    /// The least memory in bytes that a user may ask for; 0 asks for none.
    ///
    /// In less than a mebibyte no program starts, and the system's error at its start names another cause.
    public static let leastMemory: Int64 = 1 << 20

    /// The forms of the memory of an operation, for the end of an error's sentence.
    public static let memoryForms =
        "\(ByteSize.forms), from \(ByteSize.text(of: leastMemory)) to \(ByteSize.text(of: ByteSize.maximum)), or 0 for none"

    /// Describes a request; the default asks for nothing.
    public init(
        cpus: Int = 0,
        memory: Int64 = 0,
        resources: [String: Int] = [:],
        labels: [LabelCondition] = [],
        limits: [String: Int] = [:]
    ) {
        self.cpus = cpus
        self.memory = memory
        self.resources = resources
        self.labels = labels
        self.limits = limits
    }

    /// Whether every worker will do, at any time.
    public var isEmpty: Bool {
        cpus == 0 && memory == 0 && resources.isEmpty && labels.isEmpty && limits.isEmpty
    }
}

@_spi(Baton) extension Template {
    /// Whether the operations ask for more than a slot of any worker, at any time.
    public var hasRequest: Bool {
        cpus > 0 || work.memory != nil || !work.resources.isEmpty || !labels.isEmpty || !take.isEmpty
    }

    /// Whether there may be workers that can never take the operations.
    public var maySuitNobody: Bool { hasRequest || work.kind.type != nil || declaredTime != nil }

    /// What each operation asks of its worker, in addition to one slot, and of the cluster's limits.
    public var request: ResourceRequest {
        ResourceRequest(
            cpus: Int(cpus),
            memory: work.memory ?? 0,
            resources: work.resources.mapValues { Int($0) },
            labels: labels,
            limits: take.mapValues { Int($0) }
        )
    }
}
