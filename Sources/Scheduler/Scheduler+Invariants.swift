import Operations

extension Scheduler {
    /// Everything about the state that is not as it must be; empty unless there is a fault in the scheduler.
    ///
    /// - Complexity: O(state); tests call it after each step.
    public func violations() -> [String] {
        var found: [String] = []
        func check(_ condition: Bool, _ message: @autoclosure () -> String) {
            if !condition { found.append(message()) }
        }
        var total = JobCounts()
        var jobCounts: [Int32: JobCounts] = [:]
        var queueCounts: [Int32: JobCounts] = [:]
        var executing: [AttemptToken: Int32] = [:]
        var sequences: Set<UInt64> = []
        for place in nodes.places {
            let node = nodes[place]
            let name = "\(id(of: node))"
            for counts in [\JobCounts.pending, \.ready, \.executing] where counts == node.state.count {
                total[keyPath: counts] += Int(node.count)
                jobCounts[node.job, default: JobCounts()][keyPath: counts] += Int(node.count)
                queueCounts[node.queue, default: JobCounts()][keyPath: counts] += Int(node.count)
            }
            check(node.count > 0, "\(name) is an empty block")
            check(node.state != .finished, "\(name) is finished and held")
            check(self.node(for: id(of: node)) == place, "\(name) is not found by its address")
            check(sequences.insert(node.sequence).inserted, "\(name) has the age of another")
            check(
                (node.state == .executing) == (node.token != nil),
                "\(name) is \(node.state), token \(String(describing: node.token))"
            )
            switch node.state {
            case .pending:
                let hasSkip = skips.contains { $0.node == nodes.reference(to: place) }
                check(node.waiting > 0 || hasSkip, "\(name) is pending and waits for nothing")
                check(!node.isCancelled, "\(name) is cancelled and pending")
            case .ready:
                check(node.waiting == 0, "\(name) is ready and waits for \(node.waiting)")
                check(!node.isCancelled, "\(name) is cancelled and ready")
                let entry = ReadyEntry(rank: node.rank, node: nodes.reference(to: place))
                let isInLine = queues[Int(node.queue)].line.elements.contains {
                    $0.rank == entry.rank && $0.node == entry.node
                }
                check(isInLine, "\(name) is ready and in no line")
            case .executing:
                check(node.count == 1, "\(name) executes as a block")
                if let token = node.token {
                    check(executing.updateValue(place, forKey: token) == nil, "two operations have the token \(token)")
                    let holder = node.worker >= 0 ? workers[node.worker].attempts[token] : orphans[token]
                    check(holder == place, "\(name) executes and nobody holds it")
                }
            case .finished: break
            }
        }
        checkWaiting(&found)
        var finished = 0
        for place in jobs.places {
            let job = jobs[place]
            check(jobPlaces[job.number] == place, "job \(job.number) is not found by its number")
            check(
                job.counts.unfinished == job.join.unfinished,
                "job \(job.number) counts \(job.counts), joins \(job.join)"
            )
            check(job.counts.unfinished > 0, "job \(job.number) is finished and held")
            check(job.counts.total == job.operationCount, "job \(job.number) lost count: \(job.counts)")
            var live = jobCounts[place] ?? JobCounts()
            for outcome in Outcome.allCases { live[outcome] = job.counts[outcome] }
            check(live == job.counts, "job \(job.number) counts \(job.counts), has \(live)")
            finished += job.counts.finished
        }
        check(total.unfinished == totals.unfinished, "the totals are \(totals), there are \(total)")
        check(totals.finished >= finished, "the totals count fewer finished operations than the jobs")
        for (place, queue) in queues.enumerated() {
            check(
                queueCounts[Int32(place)] ?? JobCounts() == queue.counts,
                "queue \(queue.name) counts \(queue.counts)"
            )
            check(!queue.isRunnable || queue.isInOrder, "queue \(queue.name) could run and has no turn")
            if let limit = queue.settings.maxConcurrent, !isReconciling, orphans.isEmpty {
                check(queue.counts.executing <= limit || limitWasLowered, "queue \(queue.name) exceeds its limit")
            }
        }
        checkWorkers(executing, &found)
        if !isReconciling, freeWorkers.best != nil {
            check(!queues.contains(where: \.isRunnable), "there are free slots and operations that could run")
        }
        return found
    }

    /// Whether a queue may run more than its limit: it was lowered, or a returned worker brought attempts along.
    private var limitWasLowered: Bool {
        queues.contains { queue in queue.settings.maxConcurrent.map { queue.counts.executing > $0 } ?? false }
    }

    /// Each pending node waits for as many things as will tell it.
    private func checkWaiting(_ found: inout [String]) {
        var expected: [Int32: Int32] = [:]
        func note(_ head: Int32) {
            for edge in edges.list(from: head) {
                if let dependent = nodes.resolve(edge.dependent) { expected[dependent, default: 0] += 1 }
            }
        }
        for place in nodes.places {
            note(nodes[place].dependents)
            if nodes[place].notBefore != nil { expected[place, default: 0] += 1 }
        }
        for place in jobs.places {
            note(jobs[place].join.dependents)
            for array in jobs[place].arrays { note(array.join.dependents) }
        }
        for place in nodes.places where nodes[place].state == .pending && nodes[place].waiting != expected[place] ?? 0 {
            found.append("\(id(of: nodes[place])) waits for \(nodes[place].waiting), told by \(expected[place] ?? 0)")
        }
    }

    private func checkWorkers(_ executing: [AttemptToken: Int32], _ found: inout [String]) {
        var held = orphans
        for place in workers.places {
            let worker = workers[place]
            let name = worker.introduction.name
            if workerPlaces[name] != place { found.append("worker \(name) is not found by its name") }
            let isKnown = sessions[worker.introduction.session] == place
            if isKnown != (worker.condition != .lost) {
                found.append("worker \(name) is \(worker.condition), session wrong")
            }
            if worker.condition == .lost && !worker.attempts.isEmpty {
                found.append("worker \(name) is lost and holds attempts")
            }
            let isOffered = worker.position >= 0
            if isOffered != (worker.condition == .alive && worker.freeSlots > 0) {
                found.append("worker \(name) offered wrongly")
            }
            held.merge(worker.attempts) { left, _ in
                found.append("two workers hold one attempt")
                return left
            }
        }
        if held != executing {
            found.append("attempts held: \(held.keys.sorted()); executing: \(executing.keys.sorted())")
        }
    }
}

extension OperationState {
    fileprivate var count: WritableKeyPath<JobCounts, Int>? {
        switch self {
        case .pending: \.pending
        case .ready: \.ready
        case .executing: \.executing
        case .finished: nil
        }
    }
}
