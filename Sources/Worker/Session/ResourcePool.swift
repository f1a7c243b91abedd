@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The memory and the units of resources that started attempts hold, and those that are free.
///
/// The coordinator counts processors: the worker does not know of them.
struct ResourcePool: Sendable {
    private struct Claim: Sendable {
        var memory: Int64
        var units: [String: [Int]]
    }

    private let offer: WorkerOffer
    private var freeMemory: Int64
    /// The numbers of the free units, in order.
    private var freeUnits: [String: [Int]]
    private var claims: [AttemptToken: Claim] = [:]

    /// - Parameter offer: what the worker has; the units of each resource are numbered from 0.
    init(_ offer: WorkerOffer) {
        self.offer = offer
        freeMemory = offer.memory
        freeUnits = offer.resources.mapValues { Array(0..<$0) }
    }

    /// Why a work can never run on this worker, as a sentence; nil if it can.
    func objection(to work: Work) -> String? {
        if let memory = work.memory, memory > offer.memory {
            return "The operation asks for \(ByteSize.text(of: memory)) of memory, and its worker has "
                + "\(ByteSize.text(of: offer.memory))."
        }
        for (name, amount) in work.resources.sorted(by: { $0.key < $1.key }) {
            let most = offer.resources[name] ?? 0
            if amount > most {
                return "The operation asks for \(amount) of \(name.asShown), and its worker has \(most)."
            }
        }
        return nil
    }

    /// Takes what a work asks for, for an attempt that starts.
    ///
    /// - Returns: the numbers of the units, by the names of the resources; nil, without an effect, if something is not free.
    mutating func claim(_ work: Work, for token: AttemptToken) -> [String: [Int]]? {
        invariant(claims[token] == nil, "An attempt claims its resources twice.")
        let memory = work.memory ?? 0
        guard memory <= freeMemory, work.resources.allSatisfy({ $0.value <= freeUnits[$0.key]?.count ?? 0 }) else {
            return nil
        }
        freeMemory -= memory
        var units: [String: [Int]] = [:]
        for (name, amount) in work.resources {
            let count = Int(amount)
            units[name] = freeUnits[name].map { Array($0.prefix(count)) }
            freeUnits[name]?.removeFirst(count)
        }
        claims[token] = Claim(memory: memory, units: units)
        return units
    }

    /// Takes back what an attempt holds, if anything.
    mutating func release(_ token: AttemptToken) {
        guard !claims.isEmpty, let claim = claims.removeValue(forKey: token) else { return }
        freeMemory += claim.memory
        invariant(freeMemory <= offer.memory, "More memory is free than the worker has.")
        invariant(!claims.isEmpty || freeMemory == offer.memory, "No attempt holds memory, and some is missing.")
        for (name, numbers) in claim.units {
            let free = ((freeUnits[name] ?? []) + numbers).sorted()
            invariant(free.count <= offer.resources[name] ?? 0, "More units are free than the worker has.")
            invariant(
                !claims.isEmpty || free.count == offer.resources[name] ?? 0,
                "No attempt holds units, and some are missing."
            )
            freeUnits[name] = free
        }
    }
}

extension Work {
    /// Whether an attempt holds memory or units of resources while it runs.
    var claimsResources: Bool { memory != nil || !resources.isEmpty }
}
