import BatonOperations

/// Dispatch: choosing the next operations to start, and their workers.
extension Scheduler {
    /// Sends ready operations to workers that have room: first to free slots, then ahead of free slots.
    ///
    /// Attempts sent ahead follow the same order of queues as attempts for free slots. While the next queue has to wait, no
    /// later queue sends ahead. So the share owed to a queue never exceeds the attempts on their way (QO5).
    mutating func dispatchReady() {
        serveQueuesAwaitingWorkers()
        var passedOver: [Int] = []
        if let queue = queueAwaitingSlot, !awaitsSlot(queue) { queueAwaitingSlot = nil }
        while mayPlaceSomething, let queue = nextQueue() {
            guard let first = firstThatFindsWorker(inLinesOf: queue) else {
                passOver(queue)
                awaitWorker(for: queue)
                continue
            }
            let isAhead = freeWorkers.best == nil
            guard !waitsForHigherLevel(first.node, isAhead: isAhead) else {
                if isAhead { break }
                passOver(queue)
                passedOver.append(queue)
                continue
            }
            let next = nodes[first.node]
            let expectedTime = shortTime(of: next)
            var (worker, isOvertaking) = (Int32(-1), false)
            if let free = freeWorkers.best {
                worker = first.type.flatMap { types.freeWorker(for: $0) } ?? free
            } else if expectedTime != nil, let roomy = roomyWorker(), queueAwaitingSlot == nil || hasFewAhead(roomy) {
                worker = roomy
            } else if let yielding = expectedTime == nil ? yieldingWorker() : overtakableWorker(),
                comesBeforeOthers(queue, at: yielding)
            {
                (worker, isOvertaking) = (yielding, true)
            } else {
                if expectedTime == nil { queueAwaitingSlot = queue }
                break
            }
            let turn = turn(of: queue, at: worker)
            guard let node = takeNext(from: queue, ofType: first.type) else { break }
            queues[queue].lastTurn = turn
            advance(
                node,
                on: .sent,
                TransitionContext(
                    worker: worker,
                    isAhead: isAhead,
                    isOvertaking: isOvertaking,
                    expectedTime: expectedTime,
                    turn: turn
                )
            )
            let sent = nodes[node]
            guard let token = token(of: sent) else { continue }
            if sent.isWithheld {
                emit(.confirm(.dispatch(workers[worker].introduction.session, token)))
            } else {
                emit(.dispatch(assignment(of: node, token, turn: turn, on: worker)))
            }
        }
        for queue in passedOver { putInOrder(queue) }
        takeBackForFreeWorkers()
        // No request waits for the recalls of a dispatch.
        recalls = [:]
    }

    /// Whether any worker could be sent an attempt.
    private var mayPlaceSomething: Bool {
        freeWorkers.best != nil || prefetchTargets.best != nil || overtakableWorkers.best != nil
            || yieldingWorkers.best != nil
    }

    /// Whether a queue's next operation may only be sent to a free slot.
    private mutating func awaitsSlot(_ queue: Int) -> Bool {
        guard queues[queue].isInOrder, queues[queue].isRunnable, let first = firstThatFindsWorker(inLinesOf: queue)
        else { return false }
        let node = nodes[first.node]
        return shortTime(of: node) == nil
    }

    /// Whether a worker has fewer attempts ahead than slots.
    ///
    /// While a queue waits for a slot, a worker gets no more attempts ahead than slots. Further attempts would start later
    /// than attempts that get a free slot elsewhere, and their queue would get less than its share.
    private func hasFewAhead(_ worker: Int32) -> Bool {
        workers[worker].attempts.count < 2 * workers[worker].introduction.slots
    }

    /// The turn of a queue's next attempt: the attempt's position in the order of starts at a worker.
    ///
    /// A queue whose turn has come gets the next slot, even if the worker is behind other workers with its attempts ahead.
    /// The attempt does not overtake earlier attempts of the same queue (PR3).
    private func turn(of queue: Int, at worker: Int32) -> UInt64 {
        let pass = queues[queue].pass
        guard queues[queue].sentCount == 0 else { return max(pass, queues[queue].lastTurn) }
        return pass <= startedTurn ? min(pass, workers[worker].sent.startedTurn) : pass
    }

    /// Whether a queue's turn comes before the turn of an attempt that was sent ahead to a worker.
    func comesBeforeOthers(_ queue: Int, at worker: Int32) -> Bool {
        turn(of: queue, at: worker) < workers[worker].sent.lastTurn ?? 0
    }

    /// The first node of a queue that a worker could be sent now, with the type that the worker has to run.
    ///
    /// Any worker runs a node without a type. A node with a type is never sent ahead, only to a free slot.
    ///
    /// - Complexity: O(the smaller of the number of types waiting in the queue and of types run by workers with free slots).
    private mutating func firstThatFindsWorker(inLinesOf queue: Int) -> (node: Int32, type: String?)? {
        var best = first(inLineOf: queue, ofType: nil).map { (node: $0, type: String?.none) }
        for type in typesThatFindWorker(inLinesOf: queue) {
            guard let node = first(inLineOf: queue, ofType: type) else { continue }
            if best.map({ nodes[node].rank < nodes[$0.node].rank }) ?? true { best = (node, type) }
        }
        return best
    }

    /// The types that both wait in a queue and run on workers with free slots.
    private func typesThatFindWorker(inLinesOf queue: Int) -> [String] {
        let (waiting, free) = (queues[queue].typedLines, types.freeTypes)
        return waiting.count <= free.count
            ? waiting.keys.filter { free[$0] != nil } : free.keys.filter { waiting[$0] != nil }
    }

    /// Registers a queue to be served again once workers with free slots run its types.
    private mutating func awaitWorker(for queue: Int) {
        guard !queues[queue].awaitsWorker else { return }
        queues[queue].awaitsWorker = true
        queuesAwaitingWorkers.append(queue)
    }

    /// Puts queues back in order for which a worker may now have a free slot.
    private mutating func serveQueuesAwaitingWorkers() {
        guard types.hasNewFreeType else { return }
        types.hasNewFreeType = false
        let waiting = queuesAwaitingWorkers
        queuesAwaitingWorkers = []
        for queue in waiting {
            queues[queue].awaitsWorker = false
            serveQueue(Int32(queue))
        }
    }

    /// Sends an attempt whose dispatch is now on disk, unless the attempt was recalled meanwhile.
    mutating func dispatchKept(_ session: SessionID, _ token: AttemptToken) {
        guard let worker = sessions[session], let node = workers[worker].attempts[token], nodes[node].isWithheld else {
            return
        }
        if nodes[node].isRecalled {
            advance(node, on: .returned)
        } else {
            nodes[node].isWithheld = false
            let turn = workers[worker].sent.turn(of: token) ?? 0
            emit(.dispatch(assignment(of: node, token, turn: turn, on: worker)))
        }
    }

    /// Whether an attempt of a higher level in the same queue has to start before a node (PR2, PR9).
    ///
    /// A node is not sent while an attempt of a higher level, sent ahead, still waits at a worker: the node could find a slot
    /// earlier. If a slot is free, the waiting attempt is recalled to use the slot.
    private mutating func waitsForHigherLevel(_ place: Int32, isAhead: Bool) -> Bool {
        let node = nodes[place]
        let queue = Int(node.queue)
        guard queues[queue].sentCount > 0,
            queues[queue].aheadCounts[(node.priority.step + 1)...].contains(where: { $0 > 0 })
        else { return false }
        if !isAhead { recallAhead(ofQueue: queue, levels: node.priority.step + 1..<Priority.allCases.count) }
        return true
    }

    /// The duration of an operation in microseconds, if known to be short enough for sending ahead; otherwise nil.
    func shortTime(of node: OperationNode) -> Int64? {
        guard case .automatic = configuration.sendAhead else { return 0 }
        let template = Int(jobs[node.job].entries[Int(node.entry)].template)
        return jobs[node.job].meanDurations[template].flatMap { $0 <= SendAhead.horizon ? $0 : nil }
    }

    private mutating func recallAhead(ofQueue queue: Int, levels: Range<Int>) {
        for level in levels {
            var next = queues[queue].sent[level]
            while next >= 0 {
                if nodes[next].isAhead { recall(next) }
                next = nodes[next].previousSent
            }
        }
    }

    /// Removes the next queue from the order of queues.
    private mutating func passOver(_ queue: Int) {
        queueOrder.removeMin()
        queues[queue].isInOrder = false
    }

    /// A worker that makes progress and has room for attempts ahead.
    private mutating func roomyWorker() -> Int32? {
        while let worker = prefetchTargets.best { if getsOn(worker) { return worker } }
        return nil
    }

    /// A worker at which a short attempt may overtake attempts sent ahead.
    private mutating func overtakableWorker() -> Int32? {
        while let worker = overtakableWorkers.best { if getsOn(worker) { return worker } }
        return nil
    }

    /// A worker at which an attempt not known to be short may overtake attempts sent ahead.
    private mutating func yieldingWorker() -> Int32? {
        while let worker = yieldingWorkers.best { if getsOn(worker) { return worker } }
        return nil
    }

    /// Whether a worker may be sent attempts ahead; if the worker has stalled, recalls its attempts sent ahead.
    private mutating func getsOn(_ worker: Int32) -> Bool {
        guard isFlowing(worker) else {
            takeBackAhead(of: worker)
            return false
        }
        watchActivity(of: worker)
        return true
    }

    /// Recalls attempts that wait for a slot at one worker while another worker has a free slot.
    private mutating func takeBackForFreeWorkers() {
        guard let idle = freeWorkers.best, let loaded = loadedWorkers.best else { return }
        // Half of the waiting attempts, but at least as many as the free worker can start at once: the remaining attempts are
        // not recalled again.
        let waiting = workers[loaded].load
        let wanted = max(min(workers[idle].freeSlots, waiting), waiting / 2)
        for token in workers[loaded].sent.suffix(wanted) {
            if let node = workers[loaded].attempts[token] { recall(node) }
        }
    }

    /// Puts a ready node in its queue's line, or parks the node behind a barrier.
    mutating func putInLine(_ place: Int32) {
        let node = nodes[place]
        guard node.reservations == 0 else { return }
        let queue = Int(node.queue)
        guard isFirst(node) else {
            // Barriers are not parked: `leaveSegment(_:)` puts a barrier in line when its turn comes.
            if !node.isBarrier && !node.isParked {
                let segment = queues[queue].segment(ofAge: node.sequence)
                queues[queue].segments[segment].parked.append(nodes.reference(to: place))
                nodes[place].isParked = true
            }
            return
        }
        let type = type(of: node)
        if node.isInLine {
            // The node had left the line and is back: its stale entry is current again.
            queues[queue].changeLine(of: type) { $0.staleEntries -= 1 }
        } else {
            nodes[place].isInLine = true
            let entry = ReadyEntry(rank: node.rank, node: nodes.reference(to: place))
            queues[queue].changeLine(of: type) { $0.entries.insert(entry) }
        }
        serveQueue(node.queue)
        // Workers that run types hold no attempts sent ahead that would have to give way.
        if type == nil { recallLowerOnes(than: place) }
        honourClaim(on: place)
    }

    /// Recalls attempts sent ahead that have a lower level than a node of the same queue (PR9).
    private mutating func recallLowerOnes(than place: Int32) {
        let queue = Int(nodes[place].queue)
        if queues[queue].sentCount > 0 { recallAhead(ofQueue: queue, levels: 0..<nodes[place].priority.step) }
    }

    /// Puts a runnable queue in the order of queues, if the queue is not in order yet.
    ///
    /// A queue without work does not save up its share.
    mutating func serveQueue(_ place: Int32) {
        let queue = Int(place)
        guard !queues[queue].isInOrder, queues[queue].isRunnable else { return }
        queues[queue].pass = max(queues[queue].pass, startedTurn)
        putInOrder(queue)
    }

    /// Refunds a queue's turn for an attempt that was returned unstarted.
    ///
    /// The refund does not go back behind turns that other queues have started since: a queue that saved up such a share
    /// would starve the other queues.
    mutating func giveTurnBack(to place: Int32) {
        let queue = Int(place)
        let (pass, stride) = (queues[queue].pass, queues[queue].stride)
        queues[queue].pass = max(pass - min(pass, stride), min(pass, startedTurn))
        putInOrder(queue)
    }

    /// Charges a queue's unstarted attempts by the queue's new class, because returned attempts are refunded by the new
    /// class.
    mutating func chargeAnew(_ place: Int32, before old: QueueSettings) {
        let queue = Int(place)
        let sent = UInt64(queues[queue].sentCount)
        let charged = sent * QueueState.stride(of: old.qualityOfService)
        queues[queue].pass += sent * queues[queue].stride
        queues[queue].pass -= min(queues[queue].pass, charged)
        if queues[queue].isInOrder { putInOrder(queue) }
    }

    /// Puts a queue in order by its pass; an earlier turn with another pass becomes stale.
    ///
    /// - Complexity: O(log queues), amortised.
    private mutating func putInOrder(_ queue: Int) {
        queues[queue].isInOrder = true
        if queueOrder.count < 2 * queues.count + 64 {
            queueOrder.insert(QueueTurn(pass: queues[queue].pass, queue: Int32(queue)))
        } else {
            // Most turns are stale.
            let inOrder = queues.indices.filter { queues[$0].isInOrder }
            queueOrder = BinaryHeap(inOrder.map { QueueTurn(pass: queues[$0].pass, queue: Int32($0)) })
        }
    }

    /// The next queue in order; nil if no queue is runnable.
    private mutating func nextQueue() -> Int? {
        while let turn = queueOrder.min {
            let queue = Int(turn.queue)
            if !queues[queue].isInOrder || queues[queue].pass != turn.pass {
                queueOrder.removeMin()
            } else if queues[queue].isRunnable {
                return queue
            } else {
                passOver(queue)
            }
        }
        return nil
    }

    /// Takes the first operation of a type from the next queue, as a node of its own.
    private mutating func takeNext(from queue: Int, ofType type: String?) -> Int32? {
        guard let turn = queueOrder.min, let node = takeFirst(inLineOf: queue, ofType: type) else { return nil }
        queues[queue].pass = turn.pass + queues[queue].stride
        queueOrder.replaceMin(with: QueueTurn(pass: queues[queue].pass, queue: turn.queue))
        return node
    }

    private mutating func takeFirst(inLineOf queue: Int, ofType type: String?) -> Int32? {
        guard let place = first(inLineOf: queue, ofType: type) else { return nil }
        if nodes[place].count > 1 { return takeFirst(of: place) }
        queues[queue].changeLine(of: type) { $0.entries.removeMin() }
        nodes[place].isInLine = false
        if type != nil { throwOutStaleEntries(inLineOf: queue, ofType: type) }
        return place
    }

    /// The first current node in a line of a queue; stale entries before the node are removed.
    private mutating func first(inLineOf queue: Int, ofType type: String?) -> Int32? {
        while let entry = frontEntry(inLineOf: queue, ofType: type) {
            if isCurrent(entry) { return entry.node.place }
            queues[queue].changeLine(of: type) { line in
                line.entries.removeMin()
                line.staleEntries -= 1
            }
            forget(entry)
        }
        return nil
    }

    /// The first entry of a line, current or stale.
    ///
    /// Only the line is read, because reading a whole queue costs a copy.
    private func frontEntry(inLineOf queue: Int, ofType type: String?) -> ReadyEntry? {
        guard let type else { return queues[queue].line.entries.min }
        return queues[queue].typedLines[type]?.entries.min
    }

    /// Notes that an entry has left its line, unless the node has changed its level since the entry was made.
    private mutating func forget(_ entry: ReadyEntry) {
        if let place = nodes.resolve(entry.node), nodes[place].rank == entry.rank { nodes[place].isInLine = false }
    }

    /// Counts a node's entry as stale; once most entries of a line are stale, removes the stale entries.
    ///
    /// - Complexity: O(1), amortised.
    mutating func noteStaleEntry(of node: OperationNode) {
        let queue = Int(node.queue)
        let type = type(of: node)
        queues[queue].changeLine(of: type) { $0.staleEntries += 1 }
        throwOutStaleEntries(inLineOf: queue, ofType: type)
    }

    /// Removes the stale entries of a line if they are the majority, or if a typed line has no other entries.
    private mutating func throwOutStaleEntries(inLineOf queue: Int, ofType type: String?) {
        let line = queues[queue].line(of: type)
        let areMost = line.staleEntries > 64 && line.staleEntries > line.entries.count / 2
        guard areMost || type != nil && line.staleEntries > 0 && !line.hasCurrentEntries else { return }
        var current: [ReadyEntry] = []
        for entry in line.entries.elements {
            if isCurrent(entry) { current.append(entry) } else { forget(entry) }
        }
        queues[queue].changeLine(of: type) { $0 = ReadyLine(entries: BinaryHeap(current)) }
    }

    /// Whether an entry of a line still stands for an unsent node with the same rank.
    func isCurrent(_ entry: ReadyEntry) -> Bool {
        guard let place = nodes.resolve(entry.node) else { return false }
        return nodes[place].hasTurn && nodes[place].rank == entry.rank
    }

    private func assignment(
        of place: Int32,
        _ token: AttemptToken,
        turn: UInt64,
        on worker: Int32
    ) -> Assignment {
        let node = nodes[place]
        let entry = jobs[node.job].entries[Int(node.entry)]
        let qualityOfService = jobs[node.job].templates[Int(entry.template)].qualityOfService
        let name = jobs[node.job].names[Int(node.entry)]
        let values = entry.array >= 0 ? jobs[node.job].arrays[Int(entry.array)].values : nil
        let position = Int(node.index - entry.first)
        let queue = Int(node.queue)
        return Assignment(
            session: workers[worker].introduction.session,
            token: token,
            operation: id(of: node),
            work: work(of: node),
            hasInputs: node.hasInputs,
            qualityOfService: qualityOfService ?? queues[queue].settings.qualityOfService,
            hookOutcome: nil,
            attempt: node.attempt + 1,
            turn: turn,
            name: name.isEmpty ? nil : name,
            queue: queues[queue].name,
            // Work that was changed for the operation alone is not shared by the template.
            template: changedCommands(of: node) == nil ? Int(entry.template) : nil,
            arrayNumber: values?.number(at: position),
            arrayItem: values?.item(at: position)
        )
    }
}
