public import Operations

extension Scheduler {
    /// All that keeps an unfinished operation from executing, at one moment; empty for one that executes.
    ///
    /// - Returns: nil where the scheduler does not hold the operation.
    /// - Complexity: O(its dependencies + ready nodes of its queue + workers).
    public func impediments(of id: OperationID) -> [Impediment]? {
        guard let place = node(for: id) else { return nil }
        let node = nodes[place]
        switch node.state {
        case .pending: return conditionsOf(node)
        case .ready: return competition(for: node, offset: id.index - node.index)
        case .executing, .finished: return []
        }
    }

    private func conditionsOf(_ node: OperationNode) -> [Impediment] {
        var result: [Impediment] = []
        for position in jobs[node.job].dependencyRange(ofEntry: Int(node.entry)) {
            let dependency = jobs[node.job].dependencies[position]
            var counts = JobCounts()
            let address: Address
            switch source(of: dependency.target, job: node.job) {
            case .gone: continue
            case .node(let other):
                address = .operation(self.id(of: nodes[other]))
                counts = JobCounts(of: nodes[other].state)
            case .array(let array):
                guard case .entry(let entry) = dependency.target, jobs[node.job].arrays[array].join.unfinished > 0
                else {
                    continue
                }
                let first = OperationID(job: jobs[node.job].number, index: jobs[node.job].entries[entry].first)
                let name = jobs[node.job].names[entry]
                address = name.isEmpty ? .operation(first) : .named(first.job, name)
                for member in jobs[node.job].arrays[array].blocks + jobs[node.job].arrays[array].elements.values {
                    counts += JobCounts(of: nodes[member].state, number: Int(nodes[member].count))
                }
            case .job(let job):
                address = .job(jobs[job].number)
                counts = jobs[job].counts
            }
            result.append(.dependency(address, condition: dependency.condition, counts: counts))
        }
        if let time = node.notBefore { result.append(.delay(until: time, isRetry: node.attempt > 0)) }
        return result
    }

    private func competition(for node: OperationNode, offset: UInt32) -> [Impediment] {
        var result: [Impediment] = []
        let queue = queues[Int(node.queue)]
        if reconciliation.isOpen, let until = timers.elements.first(where: \.isReconcileWindow)?.deadline {
            result.append(.reconciling(until: until))
        }
        if let limit = queue.settings.maxConcurrent, queue.counts.executing >= limit {
            result.append(.limit(queue: queue.name, limit: limit, executing: queue.counts.executing))
        }
        let slots = workers.places.reduce(0) { total, place in
            let isStaying = workers[place].condition == .alive && !workers[place].isLeaving
            return total + (isStaying ? workers[place].introduction.slots : 0)
        }
        if slots == 0 {
            result.append(.noWorker)
        } else if freeWorkers.best == nil {
            result.append(.slots(total: slots))
        }
        var ahead = Int(offset)
        for entry in queue.line.elements where entry.rank < node.rank {
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
