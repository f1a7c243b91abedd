@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// Dispatch: choosing the next operations to start, and their workers.
extension Scheduler {
    /// Sends ready operations to workers that have room: first to free slots, then ahead of free slots.
    ///
    /// ``QueueBoard/next()`` chooses the queue by its turn, and passes over a queue that is suspended or has reached its limit
    /// (``QueueState/isRunnable``).
    ///
    /// Attempts sent ahead follow the same order of queues as attempts for free slots. While the next queue has to wait, no
    /// later queue sends ahead. So the share owed to a queue never exceeds the attempts on their way (QO5).
    ///
    /// What needs files goes to a free slot of a worker that has all of them, or to a worker that fetches them first, which takes no
    /// slot (FI4). While no worker may fetch for another attempt, it steps aside for those behind it.
    mutating func dispatchReady() {
        // A dispatch makes no copies.
        if files.haveNoCopies { dispatchReady(movesFiles: false) } else { dispatchReady(movesFiles: true) }
    }

    /// Sends ready operations to workers that have room.
    ///
    /// The compiler makes a function for each of both calls, so that a cluster without files does nothing for them.
    ///
    /// - Parameter movesFiles: whether workers have copies of files; a constant.
    @inline(__always)
    private mutating func dispatchReady(movesFiles: Bool) {
        // With declared times and requests, also a worker without types may be what a queue waits for.
        if workers.takeNewFreeType() || graph.distinguishesTimes || !graph.requests.isEmpty {
            queues.serveAwaitingWorkers()
        }
        if !files.fetchLines.isEmpty { bringBackFetches() }
        if !reservations.isEmpty { serveReservations() }
        var passedOver: [QueueIndex] = []
        var steppedAside = 0
        if let queue = queues.awaitingSlot, !awaitsSlot(queue) { queues.awaitingSlot = nil }
        while workers.isAnyWorkerOpen || movesFiles, let queue = queues.next() {
            guard let first = firstDispatchable(inLinesOf: queue) else {
                if !graph.requests.isEmpty, workers.isAnyWorkerOpen, reserve(for: queue, before: nil) { continue }
                queues.passOverToAwaitWorker(queue)
                continue
            }
            if !graph.requests.isEmpty, workers.isAnyWorkerOpen, reserve(for: queue, before: first.node) { continue }
            guard !isBehindKeptPlace(first.node) else {
                queues.passOverToAwaitWorker(queue)
                continue
            }
            var free: WorkerIndex?
            if let requirement = first.requirement {
                free = freeWorker(for: requirement)
            } else {
                free = workers.freeWorker
            }
            var fetcher: WorkerIndex?
            var holders: Set<WorkerIndex>?
            if movesFiles, graph[first.node].hasInputs {
                switch place(byFilesOf: graph[first.node], first.requirement, free: free) {
                case .anywhere: break
                case .slot(let holder): free = holder
                case .fetching(let worker): fetcher = worker
                case .ahead(let able): holders = able
                case .nowhere:
                    steppedAside += 1
                    if steppedAside <= Self.mostSteppingAside {
                        stepAside(first, in: queue)
                    } else {
                        queues.passOver(queue)
                        passedOver.append(queue)
                    }
                    continue
                }
            }
            if movesFiles, !files.roomLacks.isEmpty, let chosen = fetcher ?? free,
                let other = workerWithRoom(for: first, otherThan: chosen)
            {
                if isToFetch(graph[first.node], at: other) { fetcher = other } else { (fetcher, free) = (nil, other) }
            }
            if movesFiles, fetcher == nil, !workers.isAnyWorkerOpen { break }
            let isPrefetched = free == nil
            guard !mustWaitForHigherPriority(first.node, isPrefetched: isPrefetched) else {
                if isPrefetched { break }
                queues.passOver(queue)
                passedOver.append(queue)
                continue
            }
            var expectedTime = shortTime(of: graph[first.node])
            let worker: WorkerIndex
            var isOvertaking = false
            if let chosen = fetcher ?? free {
                worker = chosen
            } else {
                // What is sent ahead starts later than it is counted.
                if queues.ratedCount > 0, queues[queue].pace != nil { expectedTime = nil }
                var roomy: WorkerIndex?
                if let expectedTime { roomy = prefetchTarget(for: first.requirement, lasting: expectedTime) }
                if let holders, let target = roomy, !holders.contains(target) { roomy = nil }
                // Without a far worker that has room, the attempt is as long as any other that needs a free slot.
                if roomy == nil, let time = expectedTime, time > SendAhead.horizon { expectedTime = nil }
                if let roomy, queues.awaitingSlot == nil || hasFewPrefetched(roomy) {
                    worker = roomy
                } else if let yielding = expectedTime == nil ? yieldingWorker() : overtakableWorker(),
                    holders?.contains(yielding) ?? true, mayOvertake(queue, at: yielding),
                    hasTime(yielding, for: first.requirement)
                {
                    (worker, isOvertaking) = (yielding, true)
                } else {
                    if expectedTime == nil { queues.awaitingSlot = queue }
                    break
                }
            }
            let turn = queues.turn(of: queue, startedByWorker: workers[worker].sent.startedTurn)
            if movesFiles, !files.copies.surplus.isEmpty { reclaimSurplus(for: first.node, at: worker) }
            assign(
                takeNext(from: queue, first),
                to: worker,
                isPrefetched: isPrefetched && fetcher == nil,
                isFetching: fetcher != nil,
                isOvertaking: isOvertaking,
                expectedTime: expectedTime,
                turn: turn
            )
            if fetcher != nil { bringBackFetch(in: queue, first.requirement) }
            // An operation that waits for units may have waited for this one to start, or for one that has lost its slot to this one.
            if !limits.claims.isEmpty { queues.serveAwaitingWorkers() }
        }
        for queue in passedOver { queues.putInOrder(queue) }
        recallForFreeWorkers()
        reviewFetching()
    }

    /// Sends a node, which was taken out of its line, to a worker.
    mutating func assign(
        _ node: NodeIndex,
        to worker: WorkerIndex,
        isPrefetched: Bool,
        isFetching: Bool,
        isOvertaking: Bool,
        expectedTime: Int64?,
        turn: UInt64
    ) {
        queues[graph[node].queue].lastTurn = turn
        if queues.ratedCount > 0 { paceStart(of: graph[node].queue) }
        advance(
            node,
            on: .sent,
            TransitionContext(
                worker: worker,
                isPrefetched: isPrefetched,
                isFetching: isFetching,
                isOvertaking: isOvertaking,
                expectedTime: expectedTime,
                turn: turn
            )
        )
        let sent = graph[node]
        guard let token = token(of: sent) else { failInvariant("A dispatched operation has no token.") }
        if sent.isWithheld {
            emit(.confirm(.dispatch(workers[worker].introduction.session, token)))
        } else {
            emit(.dispatch(decision(of: node, token, turn: turn, on: worker)))
        }
    }

    /// Whether a queue's next operation may only be sent to a free slot.
    private mutating func awaitsSlot(_ queue: QueueIndex) -> Bool {
        guard queues[queue].isInOrder, queues[queue].isRunnable, let first = firstDispatchable(inLinesOf: queue)
        else { return false }
        let node = graph[first.node]
        return queues[queue].pace != nil || shortTime(of: node) == nil
    }

    /// Whether a worker has fewer attempts ahead than slots.
    ///
    /// While a queue waits for a slot, a worker gets no more attempts ahead than slots. Further attempts would start later
    /// than attempts that get a free slot elsewhere, and their queue would get less than its share.
    private func hasFewPrefetched(_ worker: WorkerIndex) -> Bool {
        workers[worker].attemptsForSlots < 2 * workers[worker].introduction.slots
    }

    /// Whether a queue's turn comes before the turn of an attempt that was sent ahead to a worker.
    ///
    /// An operation of a queue with a rate overtakes nothing, because it would start later than it is counted.
    func mayOvertake(_ queue: QueueIndex, at worker: WorkerIndex) -> Bool {
        if queues.ratedCount > 0, queues[queue].pace != nil { return false }
        return queues.turn(of: queue, startedByWorker: workers[worker].sent.startedTurn) < workers[worker].sent.lastTurn
            ?? 0
    }

    /// A node at the front of its line, with what a worker has to offer for it.
    ///
    /// A structure: a tuple is taken apart at run time, by the description of its type.
    struct Candidate {
        /// The node.
        var node: NodeIndex
        /// The requirement, or none: a list is destroyed faster than the requirement that is mostly missing.
        private var requirements: [Requirement]

        /// What the worker has to offer; nil if any worker will do.
        @inline(__always) var requirement: Requirement? { requirements.isEmpty ? nil : requirements[0] }

        init(node: NodeIndex, requirement: Requirement?) {
            self.node = node
            requirements = requirement.map { [$0] } ?? []
        }
    }

    /// The first node of a queue that a worker could be sent now, with what the worker has to offer.
    ///
    /// Any worker runs a node without a requirement. A node with a type is never sent ahead, only to a free slot.
    ///
    /// - Complexity: O(the smaller of the number of types waiting in the queue and of types run by workers with free slots);
    ///   with declared times or requests O(different requirements in the queue · workers).
    mutating func firstDispatchable(inLinesOf queue: QueueIndex) -> Candidate? {
        var best = first(inLineOf: queue, for: nil).map { Candidate(node: $0, requirement: nil) }
        // Most queues have no others.
        if queues[queue].specialLines.isEmpty { return best }
        for requirement in candidates(inLinesOf: queue) {
            guard let node = first(inLineOf: queue, for: requirement),
                best.map({ graph[node].rank < graph[$0.node].rank }) ?? true, isServable(requirement),
                limits.isEmpty || mayTakeLimits(node, requirement)
            else { continue }
            best = Candidate(node: node, requirement: requirement)
        }
        return best
    }

    /// The requirements of operations waiting in a queue, perhaps without some that no worker meets.
    private func candidates(inLinesOf queue: QueueIndex) -> [Requirement] {
        let (waiting, free) = (queues[queue].specialLines, workers.types.freeTypes)
        guard !graph.distinguishesTimes, graph.requests.isEmpty, waiting.count > free.count else {
            return Array(waiting.keys)
        }
        return free.keys.map { Requirement(type: $0) }.filter { waiting[$0] != nil }
    }

    /// Sends an attempt whose dispatch is now on disk, unless the attempt was recalled meanwhile.
    mutating func dispatchCommitted(_ session: SessionID, _ token: AttemptToken) {
        guard let worker = workers.index(ofSession: session), let node = workers[worker].attempts[token],
            graph[node].isWithheld
        else {
            return
        }
        if graph[node].isRecalled {
            advance(node, on: .returned)
        } else {
            graph[node].isWithheld = false
            let turn = workers[worker].sent.turn(of: token) ?? 0
            emit(.dispatch(decision(of: node, token, turn: turn, on: worker)))
        }
    }

    /// Whether an attempt of a higher priority in the same queue has to start before a node (PR2, PR9).
    ///
    /// A node is not sent while an attempt of a higher priority, sent ahead, still waits at a worker: the node could find a slot
    /// earlier. If a slot is free, the waiting attempt is recalled to use the slot.
    mutating func mustWaitForHigherPriority(_ place: NodeIndex, isPrefetched: Bool) -> Bool {
        let node = graph[place]
        let queue = node.queue
        guard queues[queue].sentCount > 0,
            queues[queue].prefetchedCounts[(node.priority.step + 1)...].contains(where: { $0 > 0 })
        else { return false }
        if !isPrefetched { recallPrefetched(ofQueue: queue, steps: node.priority.step + 1..<Priority.allCases.count) }
        return true
    }

    /// The duration of an operation in microseconds, if known to be short enough for sending ahead; otherwise nil.
    ///
    /// What is too long for near workers is short enough while a far worker has room.
    // In line, because each dispatch asks: a call would copy the whole scheduler.
    @inline(__always)
    func shortTime(of node: OperationNode) -> Int64? {
        guard case .automatic = configuration.sendAhead else { return 0 }
        guard let time = graph.meanDuration(of: node), time <= workers.longestAhead else { return nil }
        return time <= SendAhead.horizon || distantTarget(forAttemptOf: time) != nil ? time : nil
    }

    /// A far worker that has room for attempts ahead of a duration in microseconds.
    @inline(__always)
    private func distantTarget(forAttemptOf time: Int64) -> WorkerIndex? {
        guard let worker = workers.distantTarget else { return nil }
        return workers[timesOf: worker].distance.longestAttempt >= time ? worker : nil
    }

    mutating func recallPrefetched(ofQueue queue: QueueIndex, steps: Range<Int>) {
        for step in steps {
            var next = queues[queue].sent[step]
            while let node = next {
                if graph[node].isPrefetched { recall(node) }
                next = graph[node].previousSent
            }
        }
    }

    /// A worker that makes progress, and has room for attempts ahead of a duration in microseconds and enough time for them.
    private mutating func prefetchTarget(for requirement: Requirement?, lasting time: Int64) -> WorkerIndex? {
        let isShort = time <= SendAhead.horizon
        while let worker = isShort ? workers.prefetchTarget : distantTarget(forAttemptOf: time) {
            guard makesProgress(worker) else { continue }
            if hasTime(worker, for: requirement) { return worker }
            let others = workers.indexes.filter { other in
                workers[other].room > 0 && hasTime(other, for: requirement)
                    && (isShort || workers[timesOf: other].distance.longestAttempt >= time)
            }
            return others.max { workers[$0].room < workers[$1].room }.flatMap { makesProgress($0) ? $0 : nil }
        }
        return nil
    }

    /// A worker at which a short attempt may overtake attempts sent ahead.
    private mutating func overtakableWorker() -> WorkerIndex? {
        while let worker = workers.overtakableWorker { if makesProgress(worker) { return worker } }
        return nil
    }

    /// A worker at which an attempt not known to be short may overtake attempts sent ahead.
    private mutating func yieldingWorker() -> WorkerIndex? {
        while let worker = workers.yieldingWorker { if makesProgress(worker) { return worker } }
        return nil
    }

    /// Whether a worker may be sent attempts ahead; if the worker has stalled, recalls its attempts sent ahead.
    private mutating func makesProgress(_ worker: WorkerIndex) -> Bool {
        guard isFlowing(worker) else {
            recallPrefetched(of: worker)
            return false
        }
        watchActivity(of: worker)
        return true
    }

    /// Recalls attempts that wait for a slot at one worker while another worker has a free slot.
    private mutating func recallForFreeWorkers() {
        guard let idle = workers.freeWorker, let loaded = workers.loadedWorker else { return }
        // Half of the waiting attempts, but at least as many as the free worker can start at once: the remaining attempts are
        // not recalled again.
        let waiting = workers[loaded].load
        let wanted = max(min(workers[idle].freeSlots, waiting), waiting / 2)
        // Last first, which both sides do in O(1).
        for token in workers[loaded].sent.suffix(wanted).reversed() {
            guard let node = workers[loaded].attempts[token] else { continue }
            // What the free worker has no time for would only come back here.
            if hasTime(idle, for: graph.requirement(of: graph[node])) { recall(node) }
        }
    }

    /// Takes the first operation of a line from the next queue, as a node of its own, and charges the queue for it.
    private mutating func takeNext(from queue: QueueIndex, _ first: Candidate) -> NodeIndex {
        let node = takeFirst(first.node, inLineOf: queue, for: first.requirement)
        queues.charge(queue)
        return node
    }

    /// The decision that a worker runs a node's attempt.
    // In line, because a call would copy the whole scheduler.
    @inline(__always)
    private func decision(
        of place: NodeIndex,
        _ token: AttemptToken,
        turn: UInt64,
        on worker: WorkerIndex
    ) -> Dispatch {
        let node = graph[place]
        let entry = graph[node.job].entries[Int(node.entry)]
        let qualityOfService = graph[node.job].templates[Int(entry.template)].qualityOfService
        let name = graph[node.job].names[Int(node.entry)]
        var arrayNumber: Int64?
        var arrayItem: String?
        if let array = entry.array {
            let values = graph[node.job].arrays[array.offset].values
            let position = Int(node.index - entry.first)
            (arrayNumber, arrayItem) = (values.number(at: position), values.item(at: position))
        }
        let assignment = Assignment(
            token: token,
            operation: graph.id(of: node),
            attempt: node.attempt + 1,
            hasInputs: node.hasInputs || graph.hasInputsWithoutResults(node),
            qualityOfService: qualityOfService ?? queues[node.queue].settings.qualityOfService,
            turn: turn,
            name: name.isEmpty ? nil : name,
            arrayNumber: arrayNumber,
            arrayItem: arrayItem
        )
        return Dispatch(
            session: workers[worker].introduction.session,
            assignment: assignment,
            work: graph.work(of: node),
            queue: queues[node.queue].name,
            // Work that was changed for the operation alone is not shared by the template.
            template: graph.hasOwnWork(node) ? nil : Int(entry.template)
        )
    }
}
