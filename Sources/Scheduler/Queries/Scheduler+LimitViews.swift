@_spi(Baton) import BatonOperations

@_spi(Baton) extension Scheduler {
    /// The number of limits that several queues share.
    public var sharedLimitCount: Int { limits.all.count }

    /// The limits that several queues share, by name.
    ///
    /// - Parameter most: the most holders and waiting operations that are listed of each limit.
    /// - Complexity: O(limits · operations that take units and are ready).
    public func sharedLimits(listing most: Int) -> [SharedLimitView] {
        limits.all.sorted { $0.key < $1.key }.map { name, limit in
            let waiting = waiting(forLimit: name)
            return SharedLimitView(
                name: name,
                units: limit.units,
                taken: limit.taken,
                holderCount: limit.holders.count,
                holders: holders(of: limit, atMost: most),
                waitingCount: waiting.reduce(0) { $0 + Int(graph[$1].count) },
                waiting: waiting.prefix(most).map { graph.id(at: $0) }
            )
        }
    }

    /// The first operations that have taken units of a limit.
    func holders(of limit: SharedLimit, atMost most: Int) -> [SharedLimitView.Holder] {
        limit.holders.map { SharedLimitView.Holder(operation: $0.key, units: $0.value) }
            .sorted { $0.operation < $1.operation }.prefix(most).map { $0 }
    }

    /// The limits that a ready operation waits for.
    ///
    /// - Parameter isBrief: whether to leave out the operations to which free units are left, which take time to find.
    func limitsWaitedFor(by node: OperationNode, isBrief: Bool) -> [Impediment] {
        guard let requirement = graph.requirement(of: node) else { return [] }
        var first: OperationID?
        if !isBrief, let place = graph.node(for: graph.id(of: node)) {
            first = ahead(of: (LimitLine(queue: node.queue, requirement: requirement), place))
        }
        return units(of: requirement).sorted { $0.key < $1.key }.compactMap { name, needed -> Impediment? in
            let limit = limits[name] ?? SharedLimit(units: 0)
            let isLacking = limit.free < needed
            guard isLacking || first.map({ takes(name, $0) }) ?? false else { return nil }
            return Impediment.sharedLimit(
                name,
                needed: needed,
                units: limit.units,
                taken: limit.taken,
                holders: holders(of: limit, atMost: Self.toldHolders).map(\.operation),
                holderCount: limit.holders.count,
                first: isLacking ? nil : first
            )
        }
    }

    /// The maximum number of listed operations that have taken units.
    private static let toldHolders = 5

    /// Whether a ready operation takes units of a limit.
    private func takes(_ name: String, _ operation: OperationID) -> Bool {
        graph.node(for: operation).flatMap { graph.request(of: graph[$0])?.limits[name] } != nil
    }

    /// The first operation that comes before another one at one of its limits; nil if its units are free for it.
    private func ahead(of candidate: LimitFront) -> OperationID? {
        let fronts = knownLimitFronts()
        guard !areLimitsFree(for: candidate, among: fronts) else { return nil }
        let wanted = units(of: candidate.line.requirement)
        return fronts.first { front in
            front.line != candidate.line && graph[front.node].rank < graph[candidate.node].rank
                && units(of: front.line.requirement).keys.contains { wanted[$0] != nil }
        }.map { graph.id(at: $0.node) }
    }
}
