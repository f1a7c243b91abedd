import BatonOperations

extension Scheduler {
    /// All violated invariants of the state; empty unless the scheduler has a bug.
    ///
    /// - Complexity: at least O(state); tests call the function after each step.
    public func violations() -> [String] {
        var found: [String] = []
        checkNodes(&found)
        checkWaiting(&found)
        checkCounts(&found)
        checkQueues(&found)
        checkTurns(&found)
        checkWorkers(&found)
        checkLeftovers(&found)
        return found
    }

    private func checkNodes(_ found: inout [String]) {
        var ages: [Range<UInt64>] = []
        for place in nodes.places {
            let node = nodes[place]
            var wrong: [String] = []
            if node.count == 0 { wrong.append("is an empty block") }
            if node.state == .finished { wrong.append("is finished and held") }
            for offset in Set([0, node.count / 2, max(node.count, 1) - 1]) {
                let id = OperationID(job: jobs[node.job].number, index: node.index + offset)
                if self.node(for: id) != place { wrong.append("is not found by the address \(id)") }
            }
            if node.state == .executing && node.token == nil || node.state == .pending && node.token != nil {
                wrong.append("is \(node.state), token \(node.token as Any)")
            }
            if node.isCancelled && (node.stage == .pending || node.stage == .ready)
                && !queues[Int(node.queue)].settings.isSuspended
            {
                wrong.append("is cancelled and \(node.state)")
            }
            if node.stage != .sent && (node.isAhead || node.isRecalled) { wrong.append("is marked as sent") }
            if node.stage != .executing && progress[place] != nil { wrong.append("reports progress at \(node.stage)") }
            if node.state != .pending && node.waiting != 0 {
                wrong.append("is \(node.state) and waits for \(node.waiting)")
            }
            if node.state == .pending && node.waiting <= 0 { wrong.append("is pending and waits for nothing") }
            if node.count > 1 && node.token != nil { wrong.append("was sent as a block") }
            if node.count > 1 && node.dependents >= 0 { wrong.append("is a block with dependents of its own") }
            found += wrong.map { "\(id(of: node)) \($0)" }
            ages.append(node.sequence..<node.sequence + UInt64(node.count))
        }
        ages.sort { $0.lowerBound < $1.lowerBound }
        for (older, younger) in zip(ages, ages.dropFirst()) where older.upperBound > younger.lowerBound {
            found.append("two operations have the age \(younger.lowerBound)")
        }
    }

    /// Checks that each pending node counts one unmet condition for each edge, delay and hold.
    private func checkWaiting(_ found: inout [String]) {
        var expected: [Int32: Int32] = [:]
        var listed = 0
        func note(_ head: Int32) {
            for edge in edges.list(from: head) {
                listed += 1
                if let dependent = nodes.resolve(edge.dependent) { expected[dependent, default: 0] += 1 }
            }
        }
        for place in nodes.places {
            note(nodes[place].dependents)
            if nodes[place].notBefore != nil { expected[place, default: 0] += 1 }
            if nodes[place].isHeld { expected[place, default: 0] += 1 }
        }
        for place in jobs.places {
            note(jobs[place].join.dependents)
            for array in jobs[place].arrays { note(array.join.dependents) }
        }
        for place in nodes.places where nodes[place].state == .pending && nodes[place].waiting != expected[place] ?? 0 {
            found.append("\(id(of: nodes[place])) waits for \(nodes[place].waiting), told by \(expected[place] ?? 0)")
        }
        if listed != edges.count { found.append("\(edges.count) edges are in use, \(listed) in lists") }
    }

    /// Checks the counts of jobs, queues and the cluster against the nodes.
    private func checkCounts(_ found: inout [String]) {
        var jobCounts: [Int32: JobCounts] = [:]
        var queueCounts: [Int32: JobCounts] = [:]
        var total = JobCounts()
        for place in nodes.places {
            let node = nodes[place]
            jobCounts[node.job, default: JobCounts()].add(Int(node.count), to: node.state)
            queueCounts[node.queue, default: JobCounts()].add(Int(node.count), to: node.state)
            total.add(Int(node.count), to: node.state)
        }
        var finished = 0
        for place in jobs.places {
            let job = jobs[place]
            var counted = jobCounts[place] ?? JobCounts()
            for outcome in Outcome.allCases { counted[outcome] = job.counts[outcome] }
            (counted.notNeeded, counted.skippedAfterFailure) = (job.counts.notNeeded, job.counts.skippedAfterFailure)
            if counted != job.counts { found.append("job \(job.number) counts \(job.counts), has \(counted)") }
            if job.counts.total != job.operationCount { found.append("job \(job.number) lost count: \(job.counts)") }
            if job.counts.unfinished != job.join.unfinished { found.append("job \(job.number) joins \(job.join)") }
            if job.counts.unfinished == 0 { found.append("job \(job.number) is finished and held") }
            if jobPlaces[job.number] != place { found.append("job \(job.number) is not found by its number") }
            if let key = job.key, keys[key]?.job != job.number {
                found.append("job \(job.number) is not found by its key")
            }
            for (number, array) in job.arrays.enumerated() {
                let members = (array.blocks + array.elements.values).reduce(0) { $0 + Int(nodes[$1].count) }
                if members != array.join.unfinished {
                    found.append("array \(number) of job \(job.number) has \(members), joins \(array.join)")
                }
            }
            finished += job.counts.finished
        }
        if jobPlaces.count != jobs.count { found.append("\(jobPlaces.count) job numbers for \(jobs.count) jobs") }
        if keys.count > jobs.count { found.append("\(keys.count) keys for \(jobs.count) jobs") }
        for (place, queue) in queues.enumerated() where queueCounts[Int32(place)] ?? JobCounts() != queue.counts {
            found.append("queue \(queue.name) counts \(queue.counts), has \(queueCounts[Int32(place)] as Any)")
        }
        for outcome in Outcome.allCases { total[outcome] = totals[outcome] }
        (total.notNeeded, total.skippedAfterFailure) = (totals.notNeeded, totals.skippedAfterFailure)
        if total != totals { found.append("the totals are \(totals), there are \(total)") }
        if totals.finished < finished { found.append("the totals count fewer finished operations than the jobs") }
    }

    /// Checks that each ready node is in its queue's line once, and that each runnable queue has a turn.
    private func checkQueues(_ found: inout [String]) {
        for (place, queue) in queues.enumerated() {
            let lines = [(nil, queue.line)] + queue.typedLines.map { (String?($0), $1) }
            let current = lines.flatMap { type, line in
                line.entries.elements.filter { isCurrent($0) && self.type(of: nodes[$0.node.place]) == type }
            }.map(\.node.place).sorted()
            let ready = nodes.places.filter { node in
                nodes[node].stage == .ready && nodes[node].queue == Int32(place)
                    && isFirst(nodes[node]) && nodes[node].reservations == 0
            }.sorted()
            if current != ready { found.append("queue \(queue.name) has \(current) in line, ready are \(ready)") }
            checkSegments(queue, Int32(place), &found)
            checkSent(queue, Int32(place), &found)
            for (type, line) in lines {
                let stale = line.entries.elements.filter { !isCurrent($0) }.count
                if stale != line.staleEntries {
                    found.append("queue \(queue.name) has \(stale) stale entries, and counts \(line.staleEntries)")
                }
                if type != nil, !line.hasCurrentEntries { found.append("queue \(queue.name) keeps a line of nobody") }
            }
            if queue.awaitsWorker != queuesAwaitingWorkers.contains(place) {
                found.append("queue \(queue.name) is wrong about awaiting a worker")
            }
            if queue.isRunnable, !queue.isInOrder, !queue.awaitsWorker {
                found.append("queue \(queue.name) could run and has no turn")
            }
            if queuePlaces[queue.name] != Int32(place) { found.append("queue \(queue.name) is not found by its name") }
        }
        let turns = Set(queueOrder.elements.filter { $0.pass == queues[Int($0.queue)].pass }.map { Int($0.queue) })
        if !queues.indices.allSatisfy({ !queues[$0].isInOrder || turns.contains($0) }) {
            found.append("a queue in order has no turn")
        }
        if queueOrder.count > 2 * queues.count + 64 { found.append("turns that count no more pile up") }
        if isRecordWritable, freeWorkers.best != nil,
            queues.contains(where: { couldStartSomething($0) })
        {
            found.append("there are free slots and operations that could run")
        }
    }

    /// Checks that the next queue does not wait behind later attempts sent ahead, if a worker lets the queue overtake them
    /// (QO5).
    private func checkTurns(_ found: inout [String]) {
        guard !reconciliation.isOpen, isRecordWritable, freeWorkers.best == nil else { return }
        let waiting = queues.indices.filter {
            queues[$0].isInOrder && queues[$0].isRunnable && queues[$0].line.hasCurrentEntries
        }
        guard let queue = waiting.min(by: { (queues[$0].pass, $0) < (queues[$1].pass, $1) }),
            let first = queues[queue].line.entries.elements.filter({ isCurrent($0) }).min(),
            couldStartSomething(queues[queue])
        else { return }
        let isShort = shortTime(of: nodes[first.node.place]) != nil
        guard let worker = isShort ? overtakableWorkers.best : yieldingWorkers.best, isFlowing(worker) else { return }
        if comesBeforeOthers(queue, at: worker) {
            found.append("queue \(queues[queue].name) waits for what comes later")
        }
    }

    /// Whether a queue is runnable, and no attempt of a level above the queue's first node was sent ahead and still waits.
    private func couldStartSomething(_ queue: QueueState) -> Bool {
        var entries = queue.line.entries.elements
        for (type, line) in queue.typedLines where types.freeTypes[type] != nil { entries += line.entries.elements }
        guard queue.isRunnable, let first = entries.filter({ isCurrent($0) }).min() else { return false }
        let step = nodes[first.node.place].priority.step
        return !queue.aheadCounts[(step + 1)...].contains { $0 > 0 }
    }

    /// Checks that each barrier begins a segment, and that segments count their unfinished operations.
    private func checkSegments(_ queue: QueueState, _ place: Int32, _ found: inout [String]) {
        var unfinished = [Int](repeating: 0, count: queue.segments.count)
        var barriers = 0
        for node in nodes.places where nodes[node].queue == place {
            let segment = queue.segment(ofAge: nodes[node].sequence)
            if nodes[node].isBarrier {
                barriers += 1
                if segment + 1 >= queue.segments.count
                    || queue.segments[segment + 1].barrier.flatMap({ nodes.resolve($0) }) != node
                {
                    found.append("\(id(of: nodes[node])) is a barrier and begins no segment")
                }
            } else {
                unfinished[segment] += Int(nodes[node].count)
                let parked = queue.segments[segment].parked.count { $0 == nodes.reference(to: node) }
                if parked != (nodes[node].isParked ? 1 : 0) || nodes[node].isParked && segment == 0 {
                    found.append("\(id(of: nodes[node])) is parked \(parked) times")
                }
                if nodes[node].stage == .ready, segment > 0, nodes[node].reservations == 0, parked == 0 {
                    found.append("\(id(of: nodes[node])) is ready behind a barrier and not parked")
                }
                if nodes[node].token != nil, segment > 0 {
                    found.append("\(id(of: nodes[node])) was sent before a barrier that is older")
                }
            }
        }
        if unfinished != queue.segments.map(\.unfinished) || barriers != queue.segments.count - 1 {
            found.append("queue \(queue.name) counts \(queue.segments.map(\.unfinished)), has \(unfinished)")
        }
    }

    /// Checks that sent nodes are linked by level and counted, and that the progress of the queue adds up.
    private func checkSent(_ queue: QueueState, _ place: Int32, _ found: inout [String]) {
        var linked: Set<Int32> = []
        for (level, last) in queue.sent.enumerated() {
            var (node, next): (Int32, Int32) = (last, -1)
            while node >= 0, linked.insert(node).inserted {
                if nodes[node].nextSent != next || nodes[node].priority.step != level {
                    found.append("\(id(of: nodes[node])) is linked wrongly among what was sent")
                }
                (node, next) = (nodes[node].previousSent, node)
            }
        }
        let sent = Set(nodes.places.filter { nodes[$0].queue == place && nodes[$0].stage == .sent })
        if linked != sent || queue.sentCount != sent.count {
            found.append("queue \(queue.name) has sent \(sent.sorted()), linked are \(linked.sorted())")
        }
        for level in queue.sent.indices {
            let ahead = sent.filter { nodes[$0].priority.step == level && nodes[$0].isAhead }.count
            if ahead != queue.aheadCounts[level] { found.append("queue \(queue.name) miscounts what was sent ahead") }
        }
        let partial = nodes.places.filter { nodes[$0].queue == place && !nodes[$0].isBarrier }.reduce(Int64(0)) {
            sum,
            node in
            sum + Int64(progress[node]?.millionths ?? 0)
        }
        if partial != queue.partial { found.append("queue \(queue.name) sums progress up wrongly") }
    }

    /// Checks that one worker holds each attempt, and that the indexes of workers show their free capacity.
    private func checkWorkers(_ found: inout [String]) {
        var held: [AttemptToken: Int32] = [:]
        var offered = 0
        var told = 0
        for place in workers.places {
            let worker = workers[place]
            let name = worker.introduction.name
            told += worker.introduction.heldBytes
            if workerPlaces[name] != place { found.append("worker \(name) is not found by its name") }
            let isKnown = sessions[worker.introduction.session] == place
            if isKnown != (worker.condition != .lost && !worker.isAbsent) {
                found.append("worker \(name) is \(worker.condition), session wrong")
            }
            if worker.condition == .lost && !worker.attempts.isEmpty {
                found.append("worker \(name) is lost and holds attempts")
            }
            if let superseded = worker.supersededSession, supersededSessions[superseded]?.place != place {
                found.append("worker \(name) forgot the session that it superseded")
            }
            if freeWorkers.number(of: place) != worker.freeSlots || prefetchTargets.number(of: place) != worker.room
                || loadedWorkers.number(of: place) != worker.load
                || yieldingWorkers.number(of: place) != worker.yieldingSlots
                || overtakableWorkers.number(of: place) != worker.yieldingRoom
            {
                found.append("worker \(name) is offered wrongly")
            }
            let runsTypes = !worker.introduction.types.isEmpty
            if types.freeSlots(of: place) != (runsTypes ? worker.freeSlots : nil) {
                found.append("worker \(name) is offered wrongly for its types")
            }
            if worker.freeSlots > 0 {
                offered += 1
                for type in worker.introduction.types where types.freeTypes[type] == nil {
                    found.append("worker \(name) is not offered for \(type)")
                }
            }
            let sent = worker.attempts.filter { nodes[$0.value].stage == .sent }
            if Set(worker.sent.suffix(.max)) != Set(sent.keys) || worker.sent.count != sent.count
                || worker.aheadCount != sent.values.filter({ nodes[$0].isAhead }).count
                || worker.recalledCount != sent.values.filter({ nodes[$0].isRecalled }).count
                || worker.longCount != worker.attempts.values.filter({ nodes[$0].isLong }).count
            {
                found.append("worker \(name) miscounts what it was sent")
            }
            for (token, hook) in worker.hooks
            where hooks.entries[hook].token != token || hooks.entries[hook].worker != place {
                found.append("worker \(name) has a hook that does not know it")
            }
            if (worker.judgedAt == nil) != (worker.condition == .lost) { found.append("worker \(name) is not watched") }
            held.merge(worker.attempts) { left, _ in
                found.append("two workers hold one attempt")
                return left
            }
        }
        if types.workerCount != workers.places.filter({ !workers[$0].introduction.types.isEmpty }).count {
            found.append("workers that have gone are known for their types")
        }
        if offered != freeWorkers.count || (freeWorkers.best != nil) != (offered > 0) {
            found.append("\(freeWorkers.count) workers are offered, \(offered) should be")
        }
        if told != introductionBytes { found.append("what workers told of themselves takes \(told) bytes") }
        if sessions.count + workers.places.filter({ workers[$0].condition == .lost || workers[$0].isAbsent }).count
            != workers.count
            || workerPlaces.count != workers.count
        {
            found.append("there are sessions or names without a worker")
        }
        for place in nodes.places where nodes[place].token != nil {
            guard let token = token(of: nodes[place]), held.removeValue(forKey: token) == place else {
                found.append("\(id(of: nodes[place])) was sent and nobody holds it")
                continue
            }
        }
        if !held.isEmpty { found.append("attempts are held that do not execute: \(held.keys.sorted())") }
    }

    /// Checks that no temporary state outlives its event, wait or reconcile window.
    private func checkLeftovers(_ found: inout [String]) {
        if !skips.isEmpty || !finishedJobs.isEmpty || !reconciliation.ends.isEmpty || !recalls.isEmpty
            || !recallMessages.isEmpty || !dueRequests.isEmpty
        {
            found.append("an event left work behind")
        }
        let awaited = Set(heldRequests.values.flatMap(\.awaited.keys))
        if awaited != Set(awaiting.keys) { found.append("requests wait for \(awaited), told by \(awaiting.keys)") }
        let recalled = Set(nodes.places.filter { nodes[$0].isRecalled }.compactMap { token(of: nodes[$0]) })
        for token in awaited where !recalled.contains(token) {
            found.append("a request waits for the attempt \(token), which nobody was asked for")
        }
        var reservations: [Int32: Int] = [:]
        for place in heldRequests.values.lazy.flatMap(\.reserved).compactMap({ nodes.resolve($0) }) {
            reservations[place, default: 0] += 1
        }
        for place in nodes.places where Int(nodes[place].reservations) != reservations[place] ?? 0 {
            found.append("\(id(of: nodes[place])) is reserved \(nodes[place].reservations) times")
        }
        let current = timers.elements.filter { isCurrent($0) }.count
        let waiting = nodes.places.filter { nodes[$0].notBefore != nil }.count
        let watched = workers.places.filter { workers[$0].judgedAt != nil }.count
        let resting = workers.places.filter { workers[$0].triedAt != nil }.count
        let active = workers.places.filter { workers[$0].isActivityWatched }.count
        let expected = waiting + watched + active + resting + heldRequests.count + (reconciliation.isOpen ? 1 : 0)
        if current != expected {
            found.append("\(current) timers for \(waiting) operations and \(watched) workers")
        }
        if timers.count - current != staleTimers { found.append("\(staleTimers) timers are taken for stale") }
        if !reconciliation.isOpen
            && !(reconciliation.expected.isEmpty && reconciliation.earlyClaims.isEmpty
                && reconciliation.knownTokens.isEmpty && queues.allSatisfy { !$0.isGated })
        {
            found.append("the reconcile window is over and left something behind")
        }
        for operation in reconciliation.earlyClaims.keys where node(for: operation) == nil {
            found.append("somebody claims \(operation), which is finished")
        }
    }
}
