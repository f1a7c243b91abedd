public import BatonOperations

extension Scheduler {
    /// All impediments that keep an unfinished operation from executing now; empty for an executing operation.
    ///
    /// The first dependencies are listed, and the rest are counted. The first few dependencies include their own impediments.
    /// Below the first level, only the first unfinished dependency is listed, down to the fourth level: enough to find the
    /// root cause.
    ///
    /// - Returns: nil if the scheduler does not hold the operation.
    /// - Complexity: O(its dependencies + ready nodes of its queue + workers), behind a barrier also O(unfinished nodes).
    public func impediments(of id: OperationID) -> [Impediment]? {
        node(for: id).map { impediments(of: $0, offset: id.index - nodes[$0].index, depth: 4) }
    }

    /// The maximum number of dependencies listed with their own impediments.
    private static let explainedDependencies = 8
    /// The maximum number of listed dependencies.
    private static let toldDependencies = 20
    /// The maximum number of listed operations that a barrier waits for.
    private static let toldBeforeBarrier = 5

    private func impediments(of place: Int32, offset: UInt32 = 0, depth: Int) -> [Impediment] {
        let node = nodes[place]
        switch node.stage {
        // A cancelled operation ignores its conditions (CA3, SU3).
        case .pending where node.isCancelled, .ready where node.isCancelled:
            return [.cancelled(queue: queues[Int(node.queue)].name)]
        case .pending: return conditions(of: node, depth: depth)
        case .ready: return competition(for: node, offset: offset)
        case .sent:
            let queue = queues[Int(node.queue)]
            let isAway = node.worker >= 0 && workers[node.worker].isAbsent
            return [.sent(worker: workerName(of: node), isRecalled: node.isRecalled, isAway: isAway)]
                + (queue.settings.isSuspended ? [.suspended(queue: queue.name)] : [])
        case .executing, .finished: return []
        }
    }

    private func conditions(of node: OperationNode, depth: Int) -> [Impediment] {
        var result: [Impediment] = []
        var untold = 0
        for dependency in dependencies(of: node) {
            // Below the first level, one dependency is enough.
            let isExplained = depth == 4 ? result.count < Self.explainedDependencies : result.isEmpty
            if depth < 4 && !isExplained { break }
            var counts = JobCounts()
            var reasons: [Impediment] = []
            let address: Address
            switch source(of: dependency.target, job: node.job) {
            case .gone: continue
            case .node(let other):
                address = .operation(self.id(of: nodes[other]))
                counts = JobCounts(of: nodes[other].state)
                if depth > 1, isExplained { reasons = impediments(of: other, depth: depth - 1) }
            case .array(let job, let array):
                guard jobs[job].arrays[array].join.unfinished > 0 else { continue }
                address = jobs[job].address(ofArray: array)
                for member in jobs[job].arrays[array].blocks + jobs[job].arrays[array].elements.values {
                    counts += JobCounts(of: nodes[member].state, number: Int(nodes[member].count))
                }
                if depth > 1, isExplained,
                    let waiting = firstWaiting(among: unfinishedNodes(of: job, inEntry: jobs[job].arrays[array].entry))
                {
                    reasons = impediments(of: waiting, depth: depth - 1)
                }
            case .job(let job):
                address = .job(jobs[job].number)
                counts = jobs[job].counts
                if depth > 1, isExplained, let waiting = firstWaiting(among: unfinishedNodes(of: job)) {
                    reasons = impediments(of: waiting, depth: depth - 1)
                }
            }
            guard result.count < Self.toldDependencies else {
                untold += 1
                continue
            }
            result.append(.dependency(address, condition: dependency.condition, counts: counts, reasons: reasons))
        }
        if untold > 0 { result.append(.moreDependencies(untold)) }
        if node.isHeld { result.append(.hold) }
        if let time = node.notBefore { result.append(.delay(until: time, isRetry: node.failures > 0)) }
        let queue = queues[Int(node.queue)]
        if queue.settings.isSuspended { result.append(.suspended(queue: queue.name)) }
        return result
    }

    /// The first unfinished operations of a queue that are older than an age.
    private func firstUnfinished(inQueue queue: Int32, before age: UInt64) -> [OperationID] {
        var result: [OperationID] = []
        for job in jobPlaces.keys.sorted().compactMap({ jobPlaces[$0] }) {
            for place in unfinishedNodes(of: job) where nodes[place].queue == queue && nodes[place].sequence < age {
                let node = nodes[place]
                let missing = UInt32(Self.toldBeforeBarrier - result.count)
                let indices = node.index..<node.index + min(node.count, missing)
                result += indices.map { OperationID(job: jobs[job].number, index: $0) }
                if result.count == Self.toldBeforeBarrier { return result }
            }
        }
        return result
    }

    /// The first of some nodes, if none of the nodes executes; otherwise nil.
    private func firstWaiting(among places: [Int32]) -> Int32? {
        places.allSatisfy { nodes[$0].state != .executing } ? places.first : nil
    }

    private func competition(for node: OperationNode, offset: UInt32) -> [Impediment] {
        var result: [Impediment] = []
        let queue = queues[Int(node.queue)]
        if queue.isGated, let until = timers.elements.first(where: \.isReconcileWindow)?.deadline {
            let missing = reconciliation.expected.keys.filter { !$0.isEmpty }.sorted()
            result.append(.reconciling(until: until, workers: missing))
        }
        if queue.settings.isSuspended { result.append(.suspended(queue: queue.name)) }
        let segment = queue.segment(ofAge: node.sequence)
        if node.isBarrier {
            let unfinished = queue.segments[...segment].reduce(segment) { $0 + $1.unfinished }
            if unfinished > 0 {
                let first = firstUnfinished(inQueue: node.queue, before: node.sequence)
                result.append(.beforeBarrier(queue: queue.name, unfinished: unfinished, first: first))
            }
        } else if segment > 0, let barrier = queue.segments[segment].barrier.flatMap({ nodes.resolve($0) }) {
            let unfinished = queue.segments[..<segment].reduce(segment - 1) { $0 + $1.unfinished }
            let first = firstUnfinished(inQueue: node.queue, before: nodes[barrier].sequence)
            result.append(.barrier(id(of: nodes[barrier]), queue: queue.name, unfinished: unfinished, first: first))
        }
        if let limit = queue.settings.maxConcurrent, !queue.isBelowLimit {
            result.append(
                .limit(queue: queue.name, limit: limit, executing: queue.counts.executing + queue.sentCount)
            )
        }
        let type = type(of: node)
        let able = workers.places.map { workers[$0] }.filter { worker in
            type.map { worker.introduction.types.contains($0) } ?? true
        }
        let alive = able.filter(\.isAlive)
        let failing = alive.filter { $0.failing != nil }.sorted { $0.introduction.name < $1.introduction.name }
        let slots = alive.reduce(0) { $0 + ($1.failing == nil ? $1.introduction.slots : 0) }
        if let first = failing.first, let fault = first.failing, able.allSatisfy({ $0.freeSlots == 0 }) {
            let (name, others) = (first.introduction.name, failing.count - 1)
            result.append(.failing(worker: name, reason: fault.reason, others: others))
        }
        if slots == 0, failing.isEmpty {
            let silent = able.filter { $0.condition == .suspect && !$0.introduction.name.isEmpty }
            result.append(.noWorker(type: type, silent: silent.map(\.introduction.name).sorted()))
        } else if slots > 0, able.allSatisfy({ $0.freeSlots == 0 }) {
            result.append(.slots(total: slots, type: type))
        }
        // A node behind a barrier has no position in the order yet.
        guard isFirst(node) else { return result }
        var ahead = Int(offset)
        var lines = [queue.line]
        // Operations of types that no worker runs delay no other operations.
        for (other, line) in queue.typedLines where other == type || types.isKnown(other) { lines.append(line) }
        for entry in lines.lazy.flatMap(\.entries.elements) where entry.rank < node.rank {
            if isCurrent(entry) { ahead += Int(nodes[entry.node.place].count) }
        }
        if ahead > 0 { result.append(.order(queue: queue.name, ahead: ahead)) }
        return result
    }
}

extension Timer {
    fileprivate var isReconcileWindow: Bool {
        if case .reconcileWindow = purpose { true } else { false }
    }
}
