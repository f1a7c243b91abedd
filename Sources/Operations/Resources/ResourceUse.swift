/// What requests take of a worker's offer together.
@_spi(Baton) public struct ResourceUse: Hashable, Sendable {
    /// The processors, in thousandths of a processor.
    public private(set) var cpus = 0
    /// The memory in bytes.
    public private(set) var memory: Int64 = 0
    /// The units of named resources; names of which nothing is taken are absent.
    public private(set) var resources: [String: Int] = [:]

    /// Nothing is taken.
    public init() {}

    /// Adds what a request takes.
    public mutating func add(_ request: ResourceRequest) {
        cpus += request.cpus
        memory += request.memory
        for (name, amount) in request.resources { resources[name, default: 0] += amount }
    }

    /// Takes back what ``add(_:)`` has added for a request.
    public mutating func subtract(_ request: ResourceRequest) {
        cpus -= request.cpus
        memory -= request.memory
        for (name, amount) in request.resources {
            let rest = (resources[name] ?? 0) - amount
            resources[name] = rest == 0 ? nil : rest
        }
    }

    /// Adds what other requests take.
    public mutating func add(_ other: ResourceUse) {
        cpus += other.cpus
        memory += other.memory
        resources.merge(other.resources, uniquingKeysWith: +)
    }

    /// Whether nothing is taken.
    public var isEmpty: Bool { cpus == 0 && memory == 0 && resources.isEmpty }
}

@_spi(Baton) extension WorkerOffer {
    /// Whether a worker with the offer has what a request takes, beside what others have taken; labels play no part.
    ///
    /// A request that asks for none of a resource fits however much of the resource is taken.
    public func hasRoom(for request: ResourceRequest, beside use: ResourceUse = ResourceUse()) -> Bool {
        guard request.cpus == 0 || request.cpus <= cpus - use.cpus,
            request.memory == 0 || request.memory <= memory - use.memory
        else { return false }
        return request.resources.allSatisfy { name, amount in
            amount <= (resources[name] ?? 0) - (use.resources[name] ?? 0)
        }
    }

    /// The offer with no more than operations may ask for, so that sums of requests stay far from the limits of integers.
    public var limited: WorkerOffer {
        var offer = self
        offer.cpus = max(0, min(cpus, Int(ResourceRequest.maximumCPUs) * 1000))
        offer.memory = max(0, min(memory, ByteSize.maximum))
        return offer
    }
}
