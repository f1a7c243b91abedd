@_spi(Baton) public import BatonOperations

@_spi(Baton) extension Scheduler {
    /// All impediments that keep an unfinished operation from executing now; empty for an executing operation.
    ///
    /// The first dependencies are listed, and the rest are counted. The first few dependencies include their own impediments.
    /// Below the first level, only the first unfinished dependency is listed, down to the fourth level: enough to find the
    /// root cause.
    ///
    /// - Returns: nil if the scheduler does not know the operation.
    /// - Complexity: O(its dependencies + ready nodes of its queue + workers), behind a barrier also O(unfinished nodes).
    public func impediments(of id: OperationID) -> [Impediment]? {
        graph.node(for: id).map { impediments(of: $0, offset: id.index - graph[$0].index, depth: 4) }
    }

    /// The maximum number of dependencies listed with their own impediments.
    private static let explainedDependencies = 8
    /// The maximum number of listed dependencies.
    private static let toldDependencies = 20
    /// The maximum number of listed operations that a barrier waits for.
    private static let toldBeforeBarrier = 5

    private func impediments(of place: NodeIndex, offset: UInt32 = 0, depth: Int) -> [Impediment] {
        let node = graph[place]
        switch node.stage {
        // A cancelled operation ignores its conditions (CA3, SU3).
        case .pending where node.isCancelled, .ready where node.isCancelled:
            return [.cancelled(queue: queues[node.queue].name)]
        case .pending:
            return lackingFiles(of: place, depth: depth) + lackingRoom(of: place)
                + conditions(of: node, offset: offset, depth: depth)
        case .ready: return competition(for: node, offset: offset)
        case .sent:
            let queue = queues[node.queue]
            let isAway = node.worker.map { workers[$0].isAbsent } ?? false
            let sent = Impediment.sent(worker: workerName(of: node), isRecalled: node.isRecalled, isAway: isAway)
            return [shownFetch(of: node) ?? sent]
                + (queue.settings.isSuspended ? [.suspended(queue: queue.name)] : [])
        case .executing, .finished: return []
        }
    }

    /// The files for which a node waits; empty if it waits for none.
    func lackingFiles(of place: NodeIndex, depth: Int) -> [Impediment] {
        guard let lost = graph.fileWaits[place], let first = lost.min(), let source = files[first] else { return [] }
        let rerun = graph.reruns[first]?.place
        // Whether it has to run again is not known before all workers have told what they have.
        if rerun == nil, let wait = firstFileReportsWait { return [wait] }
        let name = graph.job(first.job).flatMap { job in
            graph[job].entry(ofIndex: first.index).map { graph[job].names[$0] }
        }
        return [
            .files(
                first,
                name: name?.isEmpty == false ? name : nil,
                files: source.files.count { files.holders(of: $0.digest).isEmpty },
                loss: source.loss,
                others: lost.count - 1,
                isExecuting: rerun.map { graph[$0].stage == .executing } ?? false,
                reasons: depth > 1 ? rerun.map { impediments(of: $0, depth: depth - 1) } ?? [] : []
            )
        ]
    }

    private func conditions(of node: OperationNode, offset: UInt32, depth: Int) -> [Impediment] {
        var result: [Impediment] = []
        var untold = 0
        for submitted in graph.dependencies(of: node) {
            let dependency = graph.single(submitted, at: node.index + offset, of: node)
            // Below the first level, one dependency is enough.
            let isExplained = depth == 4 ? result.count < Self.explainedDependencies : result.isEmpty
            if depth < 4 && !isExplained { break }
            var counts = JobCounts()
            var reasons: [Impediment] = []
            let address: Address
            switch graph.source(of: dependency.target, job: node.job) {
            case .gone: continue
            case .node(let other):
                var id = graph.id(of: graph[other])
                // Elements that count one by one may be in a block.
                if case .existing(.operation(let element)) = dependency.target { id = element }
                address = .operation(id)
                counts = JobCounts(of: graph[other].state)
                if depth > 1, isExplained {
                    reasons = impediments(of: other, offset: id.index - graph[other].index, depth: depth - 1)
                }
            case .array(let job, let array):
                guard graph[job].arrays[array.offset].join.unfinished > 0 else { continue }
                address = graph[job].address(of: array)
                for member in graph.nodes(of: array, in: job) {
                    counts += JobCounts(of: graph[member].state, number: Int(graph[member].count))
                }
                if depth > 1, isExplained,
                    let waiting = firstWaiting(
                        among: graph.unfinishedNodes(of: job, inEntry: graph[job].arrays[array.offset].entry)
                    )
                {
                    reasons = impediments(of: waiting, depth: depth - 1)
                }
            case .job(let job):
                address = .job(graph[job].number)
                counts = graph[job].counts
                if depth > 1, isExplained, let waiting = firstWaiting(among: graph.unfinishedNodes(of: job)) {
                    reasons = impediments(of: waiting, depth: depth - 1)
                } else if graph[job].isOpen, counts.unfinished == 0 {
                    reasons = [.openJob(graph[job].number)]
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
        // Before the first attempt it is the delay of the submission; after one, also if that did not fail but lacked room for its files.
        if let time = node.notBefore { result.append(.delay(until: time, isRetry: node.attempt > 0)) }
        let queue = queues[node.queue]
        if queue.settings.isSuspended { result.append(.suspended(queue: queue.name)) }
        return result
    }

    /// The first unfinished operations of a queue that are older than an age.
    private func firstUnfinished(inQueue queue: QueueIndex, before age: UInt64, limit: Int) -> [OperationID] {
        guard limit > 0 else { return [] }
        var result: [OperationID] = []
        for job in graph.jobsByAge {
            for place in graph.unfinishedNodes(of: job) where graph[place].queue == queue && graph[place].sequence < age
            {
                let node = graph[place]
                let missing = UInt32(limit - result.count)
                let indices = node.index..<node.index + min(node.count, missing)
                result += indices.map { OperationID(job: graph[job].number, index: $0) }
                if result.count == limit { return result }
            }
        }
        return result
    }

    /// The first of some nodes, if none of the nodes executes; otherwise nil.
    private func firstWaiting(among places: [NodeIndex]) -> NodeIndex? {
        places.allSatisfy { graph[$0].state != .executing } ? places.first : nil
    }

    private func competition(for node: OperationNode, offset: UInt32) -> [Impediment] {
        shortage(for: node, isBrief: false) + order(of: node, offset: offset, graph.requirement(of: node))
    }

    /// What a ready operation waits for, without the operations of its queue that come first.
    ///
    /// - Parameter isBrief: whether to leave out what takes time to find: the end of the wait after a restart, and barriers. The
    ///   complexity is then O(workers).
    func shortage(for node: OperationNode, isBrief: Bool) -> [Impediment] {
        var result = isBrief ? [] : restartAndBarriers(of: node)
        let queue = queues[node.queue]
        if queue.settings.isSuspended {
            // After the wait for a restart, before barriers.
            result.insert(.suspended(queue: queue.name), at: result.first?.isReconciling == true ? 1 : 0)
        }
        let requirement = graph.requirement(of: node)
        let reservation = queue.hasReservation ? reservations.reservation(ofQueue: node.queue) : nil
        let isReserved = reservation != nil && reservation?.requirement == requirement
        if let (array, limit, taken) = arrayLimit(of: node), taken >= limit {
            result.append(.arrayLimit(graph[node.job].address(of: array), limit: limit, executing: taken))
        }
        if let rate = queue.settings.startRate, let moment = queue.pace?.waitsUntil {
            result.append(.rate(queue: queue.name, rate, until: moment))
        }
        if !limits.isEmpty { result += limitsWaitedFor(by: node, isBrief: isBrief) }
        if let limit = queue.settings.maxConcurrent {
            let executing = queue.counts.executing + queue.sentCount
            if !queue.isBelowLimit {
                result.append(.limit(queue: queue.name, limit: limit, executing: executing))
            } else if let reservation, queue.isLastPlaceKept, let first = firstReserved(reservation),
                graph[first].rank < node.rank
            {
                result.append(
                    .keptPlace(
                        queue: queue.name,
                        limit: limit,
                        executing: executing,
                        operation: graph.id(at: first),
                        worker: workers[reservation.worker].introduction.name
                    )
                )
            }
        }
        if let excess = excessOfFiles(of: node, amongFree: false) {
            result.append(excess)
            return result
        }
        let type = requirement?.type
        let suitable = workers.runners.filter { worker in
            type.map { workers[worker].introduction.types.contains($0) } ?? true
        }
        var able = suitable.filter { hasTime($0, for: requirement) }.map { workers[$0] }
        if let request = graph.request(of: node), able.contains(where: { !$0.isAbsent }) {
            let capable = suitable.filter { worker in
                let offer = workers[worker].introduction.offer
                return !workers[worker].isAbsent && offer.hasRoom(for: request) && offer.meetsLabels(of: request)
            }
            guard capable.isEmpty || capable.contains(where: { workers[$0].isAlive }) else {
                // The workers that could run it are silent, or get nothing new.
                result.append(missingWorker(for: node, type: type, among: capable.map { workers[$0] }))
                return result
            }
            let others = isReserved ? reservation : nil
            let lack = lack(of: request, among: suitable.filter { hasTime($0, for: requirement) }, reserving: others)
            if let shortage = lack.impediment { result.append(shortage) }
            if lack.able.isEmpty { return result }
            able = lack.able
        }
        let alive = able.filter(\.isAlive)
        let failing = alive.filter { $0.failing != nil }.sorted { $0.introduction.name < $1.introduction.name }
        let slots = alive.reduce(0) { $0 + ($1.failing == nil ? $1.introduction.slots : 0) }
        if let first = failing.first, let fault = first.failing, able.allSatisfy({ $0.freeSlots == 0 }) {
            let (name, others) = (first.introduction.name, failing.count - 1)
            result.append(.failing(worker: name, reason: fault.reason, others: others))
        }
        if slots == 0, failing.isEmpty {
            result.append(missingWorker(for: node, type: type, among: suitable.map { workers[$0] }))
        } else if slots > 0, able.allSatisfy({ $0.freeSlots == 0 }) {
            result.append(.slots(total: slots, type: type))
        } else if let fetches = awaitedFetches(of: node) {
            result.append(fetches)
        }
        return result
    }

    /// The wait for the workers of before a restart, and for barriers.
    private func restartAndBarriers(of node: OperationNode) -> [Impediment] {
        [restart(of: node), barrier(of: node, told: Self.toldBeforeBarrier)].compactMap { $0 }
    }

    /// The wait for the workers of before a restart; nil for an operation that they do not hold up.
    func restart(of node: OperationNode) -> Impediment? {
        let takesUnits = reconciliation.isOpen && graph.request(of: node)?.limits.isEmpty == false
        guard queues[node.queue].isGated || takesUnits,
            let until = timers.all.first(where: \.isReconcileWindow)?.deadline
        else { return nil }
        return .reconciling(until: until, workers: reconciliation.expected.keys.filter { !$0.isEmpty }.sorted())
    }

    /// The wait for a barrier, or of a barrier for the operations before it; nil for a node that may start.
    ///
    /// - Parameter most: the most operations that are listed.
    /// - Complexity: O(barriers of the queue) if no operations are listed, else also O(unfinished nodes).
    func barrier(of node: OperationNode, told most: Int) -> Impediment? {
        let queue = queues[node.queue]
        let segment = queue.segments.position(ofAge: node.sequence)
        if node.isBarrier {
            let unfinished = queue.segments.unfinished(inFirst: segment + 1)
            guard unfinished > 0 else { return rerunsBefore(node, told: most) }
            let first = firstUnfinished(inQueue: node.queue, before: node.sequence, limit: most)
            return .beforeBarrier(queue: queue.name, unfinished: unfinished, first: first)
        }
        guard segment > 0, let barrier = queue.segments.barrier(before: segment).flatMap({ graph.resolve($0) }) else {
            guard !graph.reruns.isEmpty, isRerun(node), let present = barrierAtWorker(ofQueue: node.queue) else {
                return nil
            }
            return .barrier(graph.id(at: present), queue: queue.name, unfinished: 0, first: [])
        }
        return .barrier(
            graph.id(of: graph[barrier]),
            queue: queue.name,
            unfinished: queue.segments.unfinished(inFirst: segment),
            first: firstUnfinished(inQueue: node.queue, before: graph[barrier].sequence, limit: most)
        )
    }

    /// The wait of a barrier for operations of its queue that run again because their files were lost; nil if there are none.
    ///
    /// - Complexity: O(reruns) if there are any in the queue.
    private func rerunsBefore(_ node: OperationNode, told most: Int) -> Impediment? {
        let count = files.reruns.count(in: node.queue)
        guard count > 0 else { return nil }
        let running = graph.reruns.filter { _, rerun in
            graph[rerun.place].queue == node.queue && graph[rerun.place].token != nil
        }
        let first = Array(running.keys.sorted().prefix(most))
        return .besideReruns(queue: queues[node.queue].name, count: count, first: first)
    }

    /// The operations of the queue that come first, if any.
    private func order(of node: OperationNode, offset: UInt32, _ requirement: Requirement?) -> [Impediment] {
        // A node behind a barrier has no position in the order yet.
        guard isFirst(node) else { return [] }
        let queue = queues[node.queue]
        var ahead = Int(offset)
        var lines = [queue.line]
        let shares = sharesOfWaiting
        // Operations that no worker can run delay no other operations.
        for (other, line) in queue.specialLines {
            let isPossible =
                other.request.map { request in
                    workers.indexes.contains { couldHold(other, graph.requests[request], at: $0, beside: shares) }
                } ?? other.type.map { workers.types.isKnown($0) } ?? true
            if other == requirement || isPossible { lines.append(line) }
        }
        for entry in lines.lazy.flatMap(\.entries.elements) where entry.rank < node.rank {
            if isCurrent(entry) { ahead += Int(graph[entry.node.index].count) }
        }
        return ahead > 0 ? [.order(queue: queue.name, ahead: ahead)] : []
    }
}

extension Scheduler {
    /// Why no worker takes a ready operation.
    ///
    /// - Parameter suitable: the workers that run the operation's type, suspect and draining workers included.
    private func missingWorker(for node: OperationNode, type: String?, among suitable: [WorkerState]) -> Impediment {
        let known = suitable.filter { !$0.introduction.name.isEmpty }
        let silent = known.filter { $0.condition == .suspect }.map(\.introduction.name).sorted()
        let ending = known.filter { $0.isAlive && $0.failing == nil }
        if let last = ending.max(by: { ($0.endsAt ?? now) < ($1.endsAt ?? now) }), let end = last.endsAt,
            let needed = graph.declaredTime(of: node)
        {
            return .timeLimit(
                needed: needed,
                left: max(.zero, end - now),
                worker: last.introduction.name,
                others: ending.count - 1
            )
        }
        let draining = known.filter { $0.condition == .draining }
        guard !draining.isEmpty else { return .noWorker(type: type, silent: silent) }
        return .draining(
            workers: draining.map(\.introduction.name).sorted(),
            drained: draining.filter { $0.isDrained && !$0.isLeaving }.map(\.introduction.name).sorted(),
            silent: silent
        )
    }
}

extension Timer {
    fileprivate var isReconcileWindow: Bool {
        if case .reconcileWindow = purpose { true } else { false }
    }
}

extension Impediment {
    fileprivate var isReconciling: Bool {
        if case .reconciling = self { true } else { false }
    }
}
