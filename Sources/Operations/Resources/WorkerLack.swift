/// What a worker lacks for an operation.
@_spi(Baton) public struct WorkerLack: Hashable, Sendable {
    /// One thing that the worker lacks.
    public enum Shortage: Hashable, Sendable {
        /// The worker's labels do not meet the condition.
        case label(LabelCondition)
        /// The worker has too few processors, in thousandths of a processor; `free` of `total` are neither taken nor reserved.
        case cpus(needed: Int, free: Int, total: Int)
        /// The worker has too little memory, in bytes; `free` of `total` is neither taken nor reserved.
        case memory(needed: Int64, free: Int64, total: Int64)
        /// The worker has too few units of a resource; `free` of `total` are neither taken nor reserved.
        case resource(String, needed: Int, free: Int, total: Int)
    }

    /// The worker's name.
    public var worker: String
    /// What the worker lacks; conditions for labels first.
    public var shortages: [Shortage]

    /// Finds out what a worker lacks for a request.
    ///
    /// - Parameters:
    ///   - offer: what the worker has.
    ///   - use: what others have taken of it or reserved.
    /// - Returns: nil if the worker lacks nothing.
    public init?(of worker: String, for request: ResourceRequest, offering offer: WorkerOffer, beside use: ResourceUse)
    {
        var shortages = request.labels.filter { !$0.holds(for: offer.labels) }.map(Shortage.label)
        // A worker may offer less than before: its earlier attempts may take more than it has.
        let (cpus, memory) = (max(0, offer.cpus - use.cpus), max(0, offer.memory - use.memory))
        if request.cpus > cpus {
            shortages.append(.cpus(needed: request.cpus, free: cpus, total: offer.cpus))
        }
        if request.memory > memory {
            shortages.append(.memory(needed: request.memory, free: memory, total: offer.memory))
        }
        for (name, needed) in request.resources.sorted(by: { $0.key < $1.key }) {
            let total = offer.resources[name] ?? 0
            let free = max(0, total - (use.resources[name] ?? 0))
            if needed > free { shortages.append(.resource(name, needed: needed, free: free, total: total)) }
        }
        guard !shortages.isEmpty else { return nil }
        self.worker = worker
        self.shortages = shortages
    }

    /// Whether a label's condition is among the shortages.
    public var isOfLabels: Bool {
        shortages.contains { if case .label = $0 { true } else { false } }
    }

    /// The shortages in words, such as `gpu: needs 2, 1 of 2 free`.
    public var description: String {
        shortages.map { shortage in
            switch shortage {
            case .label(let condition): "its labels do not meet \(condition.description)"
            case .cpus(let needed, let free, let total):
                Self.text(
                    Thousandths.text(of: needed),
                    Thousandths.text(of: free),
                    Thousandths.text(of: total),
                    "processors"
                )
            case .memory(let needed, let free, let total):
                Self.text(
                    ByteSize.text(of: needed),
                    ByteSize.roughText(of: free),
                    ByteSize.roughText(of: total),
                    "memory"
                )
            case .resource(let name, let needed, let free, let total):
                Self.text("\(needed)", "\(free)", "\(total)", name)
            }
        }.joined(separator: "; ")
    }

    private static func text(_ needed: String, _ free: String, _ total: String, _ noun: String) -> String {
        "\(noun): needs \(needed), \(free) of \(total) free"
    }
}
