@_spi(Baton) import BatonOperations

@_spi(Baton) extension Scheduler {
    /// All violated invariants of the state; empty unless the scheduler has a bug.
    ///
    /// - Complexity: at least O(state); tests call the function after each step.
    public func violations() -> [String] {
        var found =
            graph.violations() + queues.violations() + workers.violations() + requests.violations()
            + reconciliation.violations() + changes.violations()
        checkNodes(&found)
        checkCounts(&found)
        checkQueues(&found)
        checkTurns(&found)
        checkWorkers(&found)
        checkResources(&found)
        checkArrayLimits(&found)
        checkSharedLimits(&found)
        checkFiles(&found)
        checkLeftovers(&found)
        return found
    }

    private func checkNodes(_ found: inout [String]) {
        var ages: [Range<UInt64>] = []
        for place in graph.nodeIndexes {
            let node = graph[place]
            var wrong: [String] = []
            if node.count == 0 { wrong.append("is an empty block") }
            if node.state == .finished { wrong.append("is finished and in memory") }
            for offset in Set([0, node.count / 2, max(node.count, 1) - 1]) {
                let id = OperationID(job: graph[node.job].number, index: node.index + offset)
                if (graph.node(for: id) ?? graph.reruns[id]?.place) != place {
                    wrong.append("is not found by the address \(id)")
                }
            }
            if node.state == .executing && node.token == nil || node.state == .pending && node.token != nil {
                wrong.append("is \(node.state), token \(node.token as Any)")
            }
            if node.cancellation == .awaitsTurn && (node.reservations == 0 || node.token != nil) {
                wrong.append("awaits the turn of a cancellation and is \(node.state)")
            }
            if node.cancellation == .overdue && node.token == nil {
                wrong.append("is to end at a worker, and has none")
            }
            // Many of them finish in turns, and are reserved until then.
            if node.isCancelled && (node.stage == .pending || node.stage == .ready) && node.reservations == 0
                && !queues[node.queue].settings.isSuspended
            {
                wrong.append("is cancelled and \(node.state)")
            }
            if node.stage != .sent && (node.isPrefetched || node.isRecalled) { wrong.append("is marked as sent") }
            if node.stage != .executing && graph.progress[place] != nil {
                wrong.append("reports progress at \(node.stage)")
            }
            if (node.stage != .executing || node.isCancelled) && graph.pauses[place] != nil {
                wrong.append("is paused at \(node.stage)")
            }
            if node.state != .pending && node.waiting != 0 {
                wrong.append("is \(node.state) and waits for \(node.waiting)")
            }
            if node.state == .pending && node.waiting <= 0 { wrong.append("is pending and waits for nothing") }
            if node.count > 1 && node.token != nil { wrong.append("was sent as a block") }
            if node.count > 1 && node.dependents != nil { wrong.append("is a block with dependents of its own") }
            found += wrong.map { "\(graph.id(of: node)) \($0)" }
            ages.append(node.sequence..<node.sequence + UInt64(node.count))
        }
        ages.sort { $0.lowerBound < $1.lowerBound }
        for (older, younger) in zip(ages, ages.dropFirst()) where older.upperBound > younger.lowerBound {
            found.append("two operations have the age \(younger.lowerBound)")
        }
    }

    /// Checks the counts of queues against the nodes.
    private func checkCounts(_ found: inout [String]) {
        var counts: [QueueIndex: JobCounts] = [:]
        for place in graph.nodeIndexes {
            let node = graph[place]
            counts[node.queue, default: JobCounts()].add(Int(node.count), to: node.state)
        }
        for index in queues.indexes where counts[index] ?? JobCounts() != queues[index].counts {
            let queue = queues[index]
            found.append("queue \(queue.name) counts \(queue.counts), has \(counts[index] as Any)")
        }
    }

    /// Checks that each ready node is in its queue's line once, and that each runnable queue has a turn.
    private func checkQueues(_ found: inout [String]) {
        for place in queues.indexes {
            let queue = queues[place]
            let lines = [(nil, queue.line)] + queue.specialLines.map { (Requirement?($0), $1) }
            let current = lines.flatMap { requirement, line in
                line.entries.elements.filter {
                    isCurrent($0) && graph.requirement(of: graph[$0.node.index]) == requirement
                }
            }.map(\.node.index).sorted()
            let ready = graph.nodeIndexes.filter { node in
                graph[node].stage == .ready && graph[node].queue == place
                    && isFirst(graph[node]) && graph[node].reservations == 0 && !isSetAside(node) && !isApart(node)
                    && !(!graph[node].isInLine && files.fetchLines.contains(graph.reference(to: node)))
            }.sorted()
            if current != ready { found.append("queue \(queue.name) has \(current) in line, ready are \(ready)") }
            checkSegments(queue, place, &found)
            checkApart(queue, place, &found)
            checkSent(queue, place, &found)
            for (requirement, line) in lines {
                let stale = line.entries.elements.filter { !isCurrent($0) }.count
                if stale != line.staleEntries {
                    found.append("queue \(queue.name) has \(stale) stale entries, and counts \(line.staleEntries)")
                }
                if requirement != nil, !line.hasCurrentEntries {
                    found.append("queue \(queue.name) keeps a line of nobody")
                }
            }
        }
        if recordState.isWritable, workers.freeWorker != nil,
            queues.indexes.contains(where: { couldStartSomething($0) })
        {
            found.append("there are free slots and operations that could run")
        }
    }

    /// Checks that the next queue does not wait behind later attempts sent ahead, if a worker lets the queue overtake them
    /// (QO5).
    private func checkTurns(_ found: inout [String]) {
        // With declared times and requests, the first operation of the queue may be one that the worker cannot take.
        guard !reconciliation.isOpen, recordState.isWritable, workers.freeWorker == nil, !graph.distinguishesTimes,
            graph.requests.isEmpty
        else {
            return
        }
        let waiting = queues.indexes.filter {
            queues[$0].isInOrder && queues[$0].isRunnable && queues[$0].line.hasCurrentEntries
        }
        guard let queue = waiting.min(by: { (queues[$0].pass, $0) < (queues[$1].pass, $1) }),
            let first = queues[queue].line.entries.elements.filter({ isCurrent($0) && !isKeptApart($0.node.index) })
                .min(),
            couldStartSomething(queue), files.haveNoCopies || !graph[first.node.index].hasInputs
        else { return }
        let isShort = shortTime(of: graph[first.node.index]) != nil
        guard let worker = isShort ? workers.overtakableWorker : workers.yieldingWorker, isFlowing(worker) else {
            return
        }
        if mayOvertake(queue, at: worker) {
            found.append("queue \(queues[queue].name) waits for what comes later")
        }
    }

    /// Whether a queue is runnable, and no attempt of a priority above the queue's first node was sent ahead and still waits.
    private func couldStartSomething(_ index: QueueIndex) -> Bool {
        let queue = queues[index]
        var entries = queue.line.entries.elements
        let fronts = limits.isEmpty ? [] : knownLimitFronts()
        for (requirement, line) in queue.specialLines where isServable(requirement) {
            let front = fronts.first { $0.line == LimitLine(queue: index, requirement: requirement) }
            if let front, !areLimitsFree(for: front, among: fronts) { continue }
            entries += line.entries.elements
        }
        guard queue.isRunnable,
            let first = entries.filter({ entry in
                isCurrent(entry) && !isAtArrayLimit(graph[entry.node.index]) && !isKeptApart(entry.node.index)
            }).min()
        else { return false }
        if queue.isLastPlaceKept,
            let reserved = reservations.reservation(ofQueue: index).flatMap({ firstReserved($0) }),
            graph[reserved].rank < first.rank
        {
            return false
        }
        if awaitedFetches(of: graph[first.node.index]) != nil { return false }
        let step = graph[first.node.index].priority.step
        return !queue.prefetchedCounts[(step + 1)...].contains { $0 > 0 }
    }

    /// Checks that each barrier begins a segment, and that segments count their unfinished operations.
    private func checkSegments(_ queue: QueueState, _ place: QueueIndex, _ found: inout [String]) {
        var unfinished = [Int](repeating: 0, count: queue.segments.count)
        var barriers = 0
        // A rerun is of an operation that has finished, for which no barrier waits.
        for node in graph.nodeIndexes where graph[node].queue == place && !isRerun(graph[node]) {
            let segment = queue.segments.position(ofAge: graph[node].sequence)
            if graph[node].isBarrier {
                barriers += 1
                if segment + 1 >= queue.segments.count
                    || queue.segments.barrier(before: segment + 1).flatMap({ graph.resolve($0) }) != node
                {
                    found.append("\(graph.id(of: graph[node])) is a barrier and begins no segment")
                }
            } else {
                unfinished[segment] += Int(graph[node].count)
                let parked = queue.segments.parked(in: segment).count { $0 == graph.reference(to: node) }
                if parked != (graph[node].isParked ? 1 : 0) || graph[node].isParked && segment == 0 {
                    found.append("\(graph.id(of: graph[node])) is parked \(parked) times")
                }
                if graph[node].stage == .ready, segment > 0, graph[node].reservations == 0, parked == 0 {
                    found.append("\(graph.id(of: graph[node])) is ready behind a barrier and not parked")
                }
                if graph[node].token != nil, segment > 0 {
                    found.append("\(graph.id(of: graph[node])) was sent before a barrier that is older")
                }
            }
        }
        if unfinished != queue.segments.unfinished || barriers != queue.segments.count - 1 {
            found.append("queue \(queue.name) counts \(queue.segments.unfinished), has \(unfinished)")
        }
    }

    /// Checks that no barrier is at a worker beside what runs again, and that neither waits for the other without need (BA1).
    private func checkApart(_ queue: QueueState, _ place: QueueIndex, _ found: inout [String]) {
        let sent = graph.nodeIndexes.filter { graph[$0].queue == place && graph[$0].token != nil }
        let reruns = sent.filter { isRerun(graph[$0]) }
        let count = files.reruns.count(in: place)
        if reruns.count != count {
            found.append("queue \(queue.name) has \(reruns.count) reruns at workers, and counts \(count)")
        }
        // What workers have from before a restart was sent in an order that the record may not show.
        if let rerun = reruns.first, let barrier = sent.first(where: { graph[$0].isBarrier }),
            (reruns + [barrier]).contains(where: { token(of: graph[$0])?.epoch == tokens.epoch })
        {
            found.append("\(graph.id(at: rerun)) runs again beside the barrier \(graph.id(at: barrier))")
        }
        for waiting in files.reruns.apart(in: place).compactMap({ graph.resolve($0) }) {
            let node = graph[waiting]
            if node.stage == .ready, !node.isInLine, node.reservations == 0, !isKeptApart(waiting) {
                found.append("\(graph.id(of: node)) stands in no line, and could run")
            }
        }
    }

    /// Checks that sent nodes are linked by priority and counted, and that the progress of the queue adds up.
    private func checkSent(_ queue: QueueState, _ place: QueueIndex, _ found: inout [String]) {
        var linked: Set<NodeIndex> = []
        for (step, last) in queue.sent.enumerated() {
            var (current, next): (NodeIndex?, NodeIndex?) = (last, nil)
            while let node = current, linked.insert(node).inserted {
                if graph[node].nextSent != next || graph[node].priority.step != step {
                    found.append("\(graph.id(of: graph[node])) is linked wrongly among what was sent")
                }
                (current, next) = (graph[node].previousSent, node)
            }
        }
        let sent = Set(graph.nodeIndexes.filter { graph[$0].queue == place && graph[$0].stage == .sent })
        if linked != sent || queue.sentCount != sent.count {
            found.append("queue \(queue.name) has sent \(sent.sorted()), linked are \(linked.sorted())")
        }
        for step in queue.sent.indices {
            let ahead = sent.filter { graph[$0].priority.step == step && graph[$0].isPrefetched }.count
            if ahead != queue.prefetchedCounts[step] {
                found.append("queue \(queue.name) miscounts what was sent ahead")
            }
        }
        let partial = graph.nodeIndexes.filter { graph[$0].queue == place && !graph[$0].isBarrier }.reduce(Int64(0)) {
            sum,
            node in
            sum + Int64(graph.progress[node]?.millionths ?? 0)
        }
        if partial != queue.partial { found.append("queue \(queue.name) sums progress up wrongly") }
    }

    /// Checks that each sent attempt is at exactly one worker, and that the counts of workers are right.
    private func checkWorkers(_ found: inout [String]) {
        var claimed: [AttemptToken: NodeIndex] = [:]
        for place in workers.indexes {
            let worker = workers[place]
            let name = worker.introduction.name
            if worker.condition == .lost && !worker.attempts.isEmpty {
                found.append("worker \(name) is lost and has attempts")
            }
            let sent = worker.attempts.filter { graph[$0.value].stage == .sent }
            if Set(worker.sent.all) != Set(sent.keys)
                || worker.sent.count + worker.sent.fetchingCount != sent.count
                || worker.prefetchedCount != sent.values.filter({ graph[$0].isPrefetched }).count
                || worker.recalledCount != sent.values.filter({ graph[$0].isRecalled }).count
                || worker.longCount != worker.attempts.values.filter({ graph[$0].isLong }).count
            {
                found.append("worker \(name) miscounts what it was sent")
            }
            let fetching = worker.sent.fetchingTokens.compactMap { sent[$0] }
            if fetching.contains(where: { graph[$0].isPrefetched || graph[$0].isLong })
                || !fetching.isEmpty && !files.fetchers.contains(place)
            {
                found.append("worker \(name) is wrong about what it fetches files for")
            }
            for (token, hook) in worker.hooks
            where hooks.entries[hook].token != token || hooks.entries[hook].worker != place {
                found.append("worker \(name) has a hook that does not know it")
            }
            if (worker.times.judgedAt == nil) != (worker.condition == .lost) {
                found.append("worker \(name) is not watched")
            }
            if worker.isPresent, (worker.condition == .draining) != (worker.isDrained || worker.isLeaving) {
                found.append("worker \(name) is \(worker.condition), drained: \(worker.isDrained)")
            }
            if worker.isDrained != (drains[worker.introduction.id] != nil) {
                found.append("worker \(name) is wrong about being drained")
            }
            claimed.merge(worker.attempts) { left, _ in
                found.append("two workers have one attempt")
                return left
            }
        }
        for place in graph.nodeIndexes where graph[place].token != nil {
            guard let token = token(of: graph[place]), claimed.removeValue(forKey: token) == place else {
                found.append("\(graph.id(of: graph[place])) was sent and nobody has it")
                continue
            }
        }
        if !claimed.isEmpty { found.append("workers have attempts that do not execute: \(claimed.keys.sorted())") }
    }

    /// Checks the resource ledger against the requests of the workers' attempts, and the counts of reservations.
    private func checkResources(_ found: inout [String]) {
        var heldBack: [WorkerIndex: ResourceUse] = [:]
        for place in workers.indexes {
            let worker = workers[place]
            let name = worker.introduction.name
            let claims = worker.attempts.compactMapValues { claim(of: $0) }
            var use = ResourceUse()
            for request in claims.values { use.add(request) }
            if ledger.claims(at: place) != claims || ledger.use(at: place) != use {
                found.append("worker \(name) miscounts what its attempts take")
            }
            let reserved = reservations.all.filter { $0.worker == place }
            if reserved.count != worker.reservationCount { found.append("worker \(name) miscounts its reservations") }
            for reservation in reserved { heldBack[place, default: ResourceUse()].add(reservation.request) }
            if reservations.heldBack(at: place) != heldBack[place] ?? ResourceUse() {
                found.append("worker \(name) miscounts what is reserved")
            }
        }
        for queue in queues.indexes {
            let count = reservations.all.count { $0.queue == queue }
            if count != (queues[queue].hasReservation ? 1 : 0) {
                found.append("queue \(queues[queue].name) has \(count) reservations")
            }
        }
    }

    /// Checks that arrays with a limit count their elements at workers, and set none aside below their limit.
    private func checkArrayLimits(_ found: inout [String]) {
        for job in graph.jobsByAge where graph[job].hasArrayLimits {
            for array in graph[job].arrays {
                guard let limit = array.limit else { continue }
                let nodes = graph.unfinishedNodes(of: job, inEntry: array.entry)
                let rerunning = graph.reruns.values.map(\.place).filter {
                    graph[$0].job == job && Int(graph[$0].entry) == array.entry
                }
                let taken = (nodes + rerunning).count { graph[$0].token != nil }
                if taken != array.taken {
                    found.append("an array has \(taken) elements at workers, and counts \(array.taken)")
                }
                let inLine = (nodes + rerunning).reduce(0) { $0 + (graph[$1].hasTurn ? Int(graph[$1].count) : 0) }
                if taken + inLine < limit, nodes.contains(where: { graph[$0].stage == .ready && isSetAside($0) }) {
                    found.append("an array below its limit of \(limit) keeps elements from running")
                }
            }
        }
        if graph.limitedJobs != (graph.jobsByAge + graph.endingJobs).count(where: { graph[$0].hasArrayLimits }) {
            found.append("\(graph.limitedJobs) jobs are counted with limits of arrays")
        }
    }

    /// Checks that limits count what the operations at workers have taken.
    private func checkSharedLimits(_ found: inout [String]) {
        var expected: [String: [OperationID: Int]] = [:]
        for place in graph.nodeIndexes where graph[place].token != nil {
            for (name, number) in graph.request(of: graph[place])?.limits ?? [:] {
                expected[name, default: [:]][graph.id(at: place)] = number
            }
        }
        for (name, limit) in limits.all where limit.holders != expected[name] ?? [:] {
            found.append("the limit \(name) counts \(limit.holders), has \(expected[name] ?? [:])")
        }
        for (name, limit) in limits.all where limit.taken != limit.holders.values.reduce(0, +) {
            found.append("the limit \(name) counts \(limit.taken) units")
        }
    }

    /// Checks that no temporary state outlives its event, wait or reconcile window.
    private func checkLeftovers(_ found: inout [String]) {
        if arrivals.count != graph.hiddenJobCount {
            found.append("\(arrivals.count) jobs arrive, and \(graph.hiddenJobCount) are hidden")
        }
        for number in arrivals.keys where graph.job(number) != nil {
            found.append("job \(number) is found before it is whole")
        }
        if !deferred.skips.isEmpty || !deferred.elementNews.isEmpty || !deferred.finishedJobs.isEmpty
            || !deferred.files.isEmpty
        {
            found.append("an event left work behind")
        }
        let recalled = Set(graph.nodeIndexes.filter { graph[$0].isRecalled }.compactMap { token(of: graph[$0]) })
        for token in requests.awaited where !recalled.contains(token) {
            found.append("a request waits for the attempt \(token), which nobody was asked for")
        }
        var reservations: [NodeIndex: Int] = [:]
        for place in (requests.reserved + changes.reserved).compactMap({ graph.resolve($0) }) {
            reservations[place, default: 0] += 1
        }
        for place in graph.nodeIndexes where Int(graph[place].reservations) != reservations[place] ?? 0 {
            found.append("\(graph.id(of: graph[place])) is reserved \(graph[place].reservations) times")
        }
        let current = timers.all.filter { isCurrent($0) }.count
        let waiting = graph.nodeIndexes.filter { graph[$0].notBefore != nil }.count
        let watched = workers.indexes.filter { workers[timesOf: $0].judgedAt != nil }.count
        let leaving = workers.indexes.filter { workers[timesOf: $0].forgottenAt != nil }.count
        let resting = workers.indexes.filter { workers[timesOf: $0].triedAt != nil }.count
        let active = workers.indexes.filter { workers[timesOf: $0].isActivityWatched }.count
        let deadlines = graph.jobsByAge.reduce(0) { $0 + (graph[$1].deadlines?.moments.count ?? 0) }
        let rates = timers.all.count { if case .queueRate = $0.purpose { true } else { false } }
        let reports = files.firstReports.hasTimer ? 1 : 0
        let expected =
            waiting + watched + leaving + active + resting + deadlines + rates + requests.count + files.keptUntil.count
            + files.spared.count + files.awaited.count + files.unused.count + (files.copies.surplus.isAwaited ? 1 : 0)
            + (reconciliation.isOpen ? 1 : 0) + reports
        if current != expected {
            found.append("\(current) timers for \(waiting) operations and \(watched) workers")
        }
        if timers.all.count - current != timers.staleCount {
            let stale = timers.all.filter { !isCurrent($0) }.map { "\($0.purpose)" }
            found.append("\(timers.staleCount) timers are counted as stale, \(stale.count) are: \(stale.prefix(3))")
        }
        if !reconciliation.isOpen, queues.indexes.contains(where: { queues[$0].isGated }) {
            found.append("the reconcile window is over and a queue is gated")
        }
        for operation in reconciliation.earlyClaims.keys where graph.node(for: operation) == nil {
            found.append("somebody claims \(operation), which is finished")
        }
    }
}
