@_spi(Baton) import BatonOperations

/// Limits that several queues share (LI1 to LI3): who may take units, and who comes first.
///
/// An operation takes all its units when it is sent to a worker with a free slot, and gives them back when it leaves the worker. So
/// nobody holds units while it waits, and no two operations wait for each other's units. After a restart, nobody takes units before the
/// workers have told what they run.
///
/// The order is the same for all queues: highest priority first, then the longest wait. An operation comes before a later one at a
/// limit if it could start but for its limits, or if it has a claim (``SharedLimitTable/claims``). Operations of a queue that is
/// suspended, full or waits for its rate, and those that no worker has room for, hold up nobody until they have a claim.
extension Scheduler {
    /// The first operation of a line that takes units.
    typealias LimitFront = (line: LimitLine, node: NodeIndex)

    /// The units that the operations of a line take, by limit; empty for a line that takes none.
    func units(of requirement: Requirement) -> [String: Int] {
        requirement.request.map { graph.requests[$0].limits } ?? [:]
    }

    /// Notes what a node takes of its limits.
    mutating func takeLimits(of place: NodeIndex) {
        let node = graph[place]
        guard let requirement = graph.requirement(of: node) else { return }
        let taken = units(of: requirement)
        guard !taken.isEmpty else { return }
        limits.take(taken, for: graph.id(of: node), of: LimitLine(queue: node.queue, requirement: requirement))
    }

    /// Takes back what a node has taken of its limits.
    mutating func giveBackLimits(of node: OperationNode) {
        guard let taken = graph.request(of: node)?.limits, !taken.isEmpty else { return }
        limits.giveBack(taken, by: graph.id(of: node))
    }

    /// Whether the first operation of a line may take what it takes of its limits; if not, it has a claim from now on.
    ///
    /// The queue's turn has come, and a worker has room for the operation, or will have.
    ///
    /// - Complexity: O(lines of all queues) for an operation that takes units, otherwise O(1).
    mutating func mayTakeLimits(_ first: NodeIndex, _ requirement: Requirement) -> Bool {
        guard !units(of: requirement).isEmpty else { return true }
        let line = LimitLine(queue: graph[first].queue, requirement: requirement)
        let fronts = limitFronts()
        if areLimitsFree(for: (line, first), among: fronts) { return true }
        limits.claim(for: line)
        return false
    }

    /// Whether the units are free that the first operation of a line takes, and not left to an operation that comes first.
    ///
    /// - Parameter fronts: the first operations of all lines that take units, in the order of their ranks.
    func areLimitsFree(for candidate: LimitFront, among fronts: [LimitFront]) -> Bool {
        let wanted = units(of: candidate.line.requirement)
        // A worker of before the restart may have attempts that hold units and are not in the record.
        guard !reconciliation.isOpen, wanted.allSatisfy({ limits.free(of: $0.key) >= $0.value }) else { return false }
        let kept = unitsOfWaiting
        var left = wanted.keys.reduce(into: [String: Int]()) { $0[$1] = limits.free(of: $1) }
        for front in fronts where front.line != candidate.line {
            let taken = units(of: front.line.requirement)
            let isRival = taken.keys.contains { wanted[$0] != nil }
            guard graph[front.node].rank < graph[candidate.node].rank, precedes(front, beside: kept) else { continue }
            let isNext = taken.allSatisfy { left[$0.key] ?? limits.free(of: $0.key) >= $0.value }
            if isNext, isRival, lacksOnlyLimits(front.line) { return false }
            for (name, number) in taken { left[name, default: limits.free(of: name)] -= number }
        }
        return wanted.allSatisfy { left[$0.key] ?? 0 >= $0.value }
    }

    /// Whether later operations leave the units to the first operation of a line that it takes.
    ///
    /// - Parameter kept: the units of running operations that wait for others. Nobody waits for the end of these: the operation
    ///   that they wait for may be one that would leave the units (WA3).
    private func precedes(_ front: LimitFront, beside kept: [String: Int]) -> Bool {
        let settings = queues[front.line.queue].settings
        guard !settings.isSuspended, settings.maxConcurrent != 0,
            units(of: front.line.requirement).allSatisfy({ name, number in
                (limits[name]?.units ?? 0) - (kept[name] ?? 0) >= number
            })
        else { return false }
        if lacksOnlyLimits(front.line) { return true }
        guard limits.claims.contains(front.line), let index = front.line.requirement.request else { return false }
        let (request, shares) = (graph.requests[index], sharesOfWaiting)
        return workers.indexes.contains { couldHold(front.line.requirement, request, at: $0, beside: shares) }
    }

    /// Whether the first operation of a line could start now but for its limits.
    private func lacksOnlyLimits(_ line: LimitLine) -> Bool {
        let queue = queues[line.queue]
        guard !queue.settings.isSuspended, !queue.gates.contains(.rate), queue.isBelowLimit else { return false }
        if let reservation = queue.hasReservation ? reservations.reservation(ofQueue: line.queue) : nil,
            reservation.requirement == line.requirement
        {
            return self.worker(for: reservation, behind: [:]) != nil
        }
        return !queue.isLastPlaceKept && isServable(line.requirement)
    }

    /// The units of each limit that running operations hold while they wait for other operations.
    private var unitsOfWaiting: [String: Int] {
        var units: [String: Int] = [:]
        for operation in reservations.waiting {
            guard let place = graph.node(for: operation), graph[place].stage == .executing,
                let request = graph.request(of: graph[place])
            else { continue }
            units.merge(request.limits, uniquingKeysWith: +)
        }
        return units
    }

    // MARK: - Lines

    /// The lines of operations that take units.
    ///
    /// - Complexity: O(lines of all queues).
    private var limitLines: [LimitLine] {
        var lines: [LimitLine] = []
        for queue in queues.indexes {
            for requirement in queues[queue].specialLines.keys where !units(of: requirement).isEmpty {
                lines.append(LimitLine(queue: queue, requirement: requirement))
            }
        }
        return lines
    }

    /// The first operations of all lines that take units, in the order of their ranks.
    private mutating func limitFronts() -> [LimitFront] {
        var fronts: [LimitFront] = []
        for line in limitLines {
            if let node = first(inLineOf: line.queue, for: line.requirement) { fronts.append((line, node)) }
        }
        for line in limits.claims where queues[line.queue].specialLines[line.requirement] == nil {
            limits.endClaim(of: line)
        }
        return fronts.sorted { graph[$0.node].rank < graph[$1.node].rank }
    }

    /// The same without a change of the lines, for explanations and checks.
    ///
    /// - Complexity: O(operations that take units and are ready).
    func knownLimitFronts() -> [LimitFront] {
        limitLines.compactMap { line in entries(inLine: line).min().map { (line: line, node: $0.node.index) } }
            .sorted { graph[$0.node].rank < graph[$1.node].rank }
    }

    /// The ready operations that take units of a limit, in the order of their ranks.
    ///
    /// - Complexity: O(operations that take units and are ready), and the time to sort them.
    func waiting(forLimit name: String) -> [NodeIndex] {
        limitLines.filter { units(of: $0.requirement)[name] != nil }.flatMap { entries(inLine: $0) }.sorted()
            .map(\.node.index)
    }

    /// The current entries of a line, in no order.
    private func entries(inLine line: LimitLine) -> [ReadyEntry] {
        let entries = queues[line.queue].specialLines[line.requirement]?.entries.elements ?? []
        return entries.filter {
            isCurrent($0) && !isAtArrayLimit(graph[$0.node.index]) && !isKeptApart($0.node.index)
        }
    }
}
