import BatonOperations

/// Choosing what starts next, and where.
extension Scheduler {
    /// Sends operations to workers while there are some and room for them: first to free slots, then ahead.
    ///
    /// What is sent ahead is sent in turn, like what gets a free slot, and nothing is sent ahead of a queue that comes before it
    /// and has to wait: so no queue is ever owed more than what is on its way (QO5).
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
        // What was asked back here is no request's.
        recalls = [:]
    }

    /// Whether there is a worker that could be sent something.
    private var mayPlaceSomething: Bool {
        freeWorkers.best != nil || prefetchTargets.best != nil || overtakableWorkers.best != nil
            || yieldingWorkers.best != nil
    }

    /// Whether what a queue has next may only be sent to a free slot.
    private mutating func awaitsSlot(_ queue: Int) -> Bool {
        guard queues[queue].isInOrder, queues[queue].isRunnable, let first = firstThatFindsWorker(inLinesOf: queue)
        else { return false }
        let node = nodes[first.node]
        return shortTime(of: node) == nil
    }

    /// Whether a worker has less ahead than an attempt for each slot.
    ///
    /// Where others wait for its slots, it is not sent more: what waits there in turn would start later than what gets a free
    /// slot elsewhere, and so have less than its share.
    private func hasFewAhead(_ worker: Int32) -> Bool {
        workers[worker].attempts.count < 2 * workers[worker].introduction.slots
    }

    /// The place of what is sent of a queue next in the order of starts at a worker.
    ///
    /// A queue whose turn has come gets the next slot, also of a worker that is behind others with what it has ahead. What was
    /// sent of a queue before is not overtaken by it (PR3).
    private func turn(of queue: Int, at worker: Int32) -> UInt64 {
        let pass = queues[queue].pass
        guard queues[queue].sentCount == 0 else { return max(pass, queues[queue].lastTurn) }
        return pass <= startedTurn ? min(pass, workers[worker].sent.startedTurn) : pass
    }

    /// Whether the turn of a queue comes before that of something that a worker was sent ahead.
    func comesBeforeOthers(_ queue: Int, at worker: Int32) -> Bool {
        turn(of: queue, at: worker) < workers[worker].sent.lastTurn ?? 0
    }

    /// The first node of a queue that a worker could be sent now, with the type that the worker has to run.
    ///
    /// Any worker will do for what has no type. What has one is never sent ahead: it goes to free slots only.
    ///
    /// - Complexity: O(the fewer of the types that wait in the queue and of those that workers with free slots run).
    private mutating func firstThatFindsWorker(inLinesOf queue: Int) -> (node: Int32, type: String?)? {
        var best = first(inLineOf: queue, ofType: nil).map { (node: $0, type: String?.none) }
        for type in typesThatFindWorker(inLinesOf: queue) {
            guard let node = first(inLineOf: queue, ofType: type) else { continue }
            if best.map({ nodes[node].rank < nodes[$0.node].rank }) ?? true { best = (node, type) }
        }
        return best
    }

    /// The types that wait in a queue and that workers with free slots run.
    private func typesThatFindWorker(inLinesOf queue: Int) -> [String] {
        let (waiting, free) = (queues[queue].typedLines, types.freeTypes)
        return waiting.count <= free.count
            ? waiting.keys.filter { free[$0] != nil } : free.keys.filter { waiting[$0] != nil }
    }

    /// Keeps a queue out of the order of queues until there is a worker for what it has.
    private mutating func awaitWorker(for queue: Int) {
        guard !queues[queue].awaitsWorker else { return }
        queues[queue].awaitsWorker = true
        queuesAwaitingWorkers.append(queue)
    }

    /// Puts the queues back in order for which there may be a worker now.
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

    /// Sends an attempt that had to be on disk first, unless it was taken back meanwhile.
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

    /// Whether something of its queue has to start before a node, as the order of the queue goes (PR2, PR9).
    ///
    /// Nothing is sent while something of a higher level still waits at a worker: it could find a slot before that. Where
    /// there is a free slot, that is asked back for it.
    private mutating func waitsForHigherLevel(_ place: Int32, isAhead: Bool) -> Bool {
        let node = nodes[place]
        let queue = Int(node.queue)
        guard queues[queue].sentCount > 0,
            queues[queue].aheadCounts[(node.priority.step + 1)...].contains(where: { $0 > 0 })
        else { return false }
        if !isAhead { recallAhead(ofQueue: queue, levels: node.priority.step + 1..<Priority.allCases.count) }
        return true
    }

    /// How long an operation takes, in microseconds, where that is known to be so little that it may be sent ahead.
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

    /// Takes the queue whose turn it is out of the order.
    private mutating func passOver(_ queue: Int) {
        queueOrder.removeMin()
        queues[queue].isInOrder = false
    }

    /// A worker that has room for something ahead.
    private mutating func roomyWorker() -> Int32? {
        while let worker = prefetchTargets.best { if getsOn(worker) { return worker } }
        return nil
    }

    /// A worker of which something short may get a slot before what it has ahead.
    private mutating func overtakableWorker() -> Int32? {
        while let worker = overtakableWorkers.best { if getsOn(worker) { return worker } }
        return nil
    }

    /// A worker of which something that is not known to be short may get a slot before what it has ahead.
    private mutating func yieldingWorker() -> Int32? {
        while let worker = yieldingWorkers.best { if getsOn(worker) { return worker } }
        return nil
    }

    /// Whether a worker may be sent something ahead; one that has stalled has no room any more, and gives back what it has.
    private mutating func getsOn(_ worker: Int32) -> Bool {
        guard isFlowing(worker) else {
            takeBackAhead(of: worker)
            return false
        }
        watchActivity(of: worker)
        return true
    }

    /// Takes back what waits for a slot at one worker while another has a free one.
    private mutating func takeBackForFreeWorkers() {
        guard let idle = freeWorkers.best, let loaded = loadedWorkers.best else { return }
        // Half of what waits there, but no less than can start here at once: what remains is not asked for again.
        let waiting = workers[loaded].load
        let wanted = max(min(workers[idle].freeSlots, waiting), waiting / 2)
        for token in workers[loaded].sent.suffix(wanted) {
            if let node = workers[loaded].attempts[token] { recall(node) }
        }
    }

    /// Puts a ready node where it is found when its turn comes: in its queue's line, or behind a barrier.
    mutating func putInLine(_ place: Int32) {
        let node = nodes[place]
        guard node.reservations == 0 else { return }
        let queue = Int(node.queue)
        guard isFirst(node) else {
            // A barrier is looked for when its time comes.
            if !node.isBarrier && !node.isParked {
                let segment = queues[queue].segment(ofAge: node.sequence)
                queues[queue].segments[segment].parked.append(nodes.reference(to: place))
                nodes[place].isParked = true
            }
            return
        }
        let type = type(of: node)
        if node.isInLine {
            // It left its turn to others and has come back: its entry is right again.
            queues[queue].changeLine(of: type) { $0.staleEntries -= 1 }
        } else {
            nodes[place].isInLine = true
            let entry = ReadyEntry(rank: node.rank, node: nodes.reference(to: place))
            queues[queue].changeLine(of: type) { $0.entries.insert(entry) }
        }
        serveQueue(node.queue)
        // No worker that runs types has anything ahead that would have to give way.
        if type == nil { recallLowerOnes(than: place) }
        honourClaim(on: place)
    }

    /// Takes back what was sent ahead of a node that comes before it (PR9).
    private mutating func recallLowerOnes(than place: Int32) {
        let queue = Int(nodes[place].queue)
        if queues[queue].sentCount > 0 { recallAhead(ofQueue: queue, levels: 0..<nodes[place].priority.step) }
    }

    /// Puts a queue in the order of queues where it may start something and is not there.
    ///
    /// A queue that had nothing to do does not save up its share.
    mutating func serveQueue(_ place: Int32) {
        let queue = Int(place)
        guard !queues[queue].isInOrder, queues[queue].isRunnable else { return }
        queues[queue].pass = max(queues[queue].pass, startedTurn)
        putInOrder(queue)
    }

    /// Gives a queue the turn back in which it was sent something that has come back without having started.
    ///
    /// It has no claim to what others have started meanwhile: it would save that up, and starve them with it.
    mutating func giveTurnBack(to place: Int32) {
        let queue = Int(place)
        let (pass, stride) = (queues[queue].pass, queues[queue].stride)
        queues[queue].pass = max(pass - min(pass, stride), min(pass, startedTurn))
        putInOrder(queue)
    }

    /// Charges what was sent of a queue and has not started as its class is now: that is what it is given back.
    mutating func chargeAnew(_ place: Int32, before old: QueueSettings) {
        let queue = Int(place)
        let sent = UInt64(queues[queue].sentCount)
        let charged = sent * QueueState.stride(of: old.qualityOfService)
        queues[queue].pass += sent * queues[queue].stride
        queues[queue].pass -= min(queues[queue].pass, charged)
        if queues[queue].isInOrder { putInOrder(queue) }
    }

    /// Gives a queue its turn by its pass; one that it had by another pass counts no more.
    ///
    /// - Complexity: O(log queues), amortised.
    private mutating func putInOrder(_ queue: Int) {
        queues[queue].isInOrder = true
        if queueOrder.count < 2 * queues.count + 64 {
            queueOrder.insert(QueueTurn(pass: queues[queue].pass, queue: Int32(queue)))
        } else {
            // Most of them count no more.
            let inOrder = queues.indices.filter { queues[$0].isInOrder }
            queueOrder = BinaryHeap(inOrder.map { QueueTurn(pass: queues[$0].pass, queue: Int32($0)) })
        }
    }

    /// The queue whose turn it is; nil where none has anything to start.
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

    /// Takes the first operation of a type of the queue whose turn it is, in a node of its own.
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

    /// The first node in a line of a queue; what stands before it and has had its turn is thrown out.
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

    /// The first entry of a line, current or not: of the line alone, as a whole queue costs a copy.
    private func frontEntry(inLineOf queue: Int, ofType type: String?) -> ReadyEntry? {
        guard let type else { return queues[queue].line.entries.min }
        return queues[queue].typedLines[type]?.entries.min
    }

    /// Notes that an entry is in its line no more; an older one of a node that has another level now says nothing.
    private mutating func forget(_ entry: ReadyEntry) {
        if let place = nodes.resolve(entry.node), nodes[place].rank == entry.rank { nodes[place].isInLine = false }
    }

    /// Counts the entry of a node that was not taken from its line; once most entries there are such, they are thrown out.
    ///
    /// - Complexity: O(1), amortised.
    mutating func noteStaleEntry(of node: OperationNode) {
        let queue = Int(node.queue)
        let type = type(of: node)
        queues[queue].changeLine(of: type) { $0.staleEntries += 1 }
        throwOutStaleEntries(inLineOf: queue, ofType: type)
    }

    /// Throws the stale entries of a line out where most are such, and all of them where a typed line has no others.
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

    /// Whether an entry of a line still stands for a node at its place that nobody was given.
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
            // What only this operation does is not shared.
            template: changedCommands(of: node) == nil ? Int(entry.template) : nil,
            arrayNumber: values?.number(at: position),
            arrayItem: values?.item(at: position)
        )
    }
}
