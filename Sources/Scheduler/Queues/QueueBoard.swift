@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The index of a queue.
struct QueueIndex: Hashable, Comparable, Sendable {
    fileprivate let position: Int32

    static func < (left: QueueIndex, right: QueueIndex) -> Bool { left.position < right.position }
}

extension QueueIndex: HasUnusedValue {
    /// The index before the first queue.
    static var unused: QueueIndex { QueueIndex(position: -1) }
}

/// The queues, and the order in which they share the slots of the workers: stride scheduling (QO5).
///
/// Each queue has a pass, which grows with each dispatched operation by the queue's stride: the heavier the queue's quality of
/// service, the smaller the stride. The runnable queue with the lowest pass is next. A queue without work does not save up its
/// share: a queue that becomes runnable begins at the highest turn started so far, or later.
struct QueueBoard: Sendable {
    private var queues: [QueueState] = []
    private var indexesByName: [String: QueueIndex] = [:]
    /// The indexes of deleted queues, which new queues take over.
    private var freeIndexes: Set<QueueIndex> = []
    /// The turns of the queues in order, with stale turns.
    private var order = BinaryHeap<QueueTurn>()
    /// The highest turn of all started attempts.
    private(set) var startedTurn: UInt64 = 0
    /// The queues whose ready operations all have types that no worker with a free slot runs.
    private var awaitingWorkers: [QueueIndex] = []
    /// The queue that waits for a free slot and had the turn when prefetching stopped; nil if no queue waits so.
    var awaitingSlot: QueueIndex?

    /// The number of queues with a rate.
    private(set) var ratedCount = 0

    /// The labels of the queues' figures, as an array of one element: so copies of the scheduler are as short as they can be.
    private var labelStore = [QueueLabels()]
    /// The places of the queues with totals that were not taken for the record yet; a queue in one may have been deleted since.
    private var changedQueues: [QueueIndex] = []

    /// A queue.
    subscript(index: QueueIndex) -> QueueState {
        @inline(__always) get { queues[Int(index.position)] }
        @inline(__always) _modify { yield &queues[Int(index.position)] }
    }

    /// The index of the queue with a name; nil if the queue was never used, and for a deleted queue.
    func index(ofName name: String) -> QueueIndex? { indexesByName[name] }

    /// The number of queues.
    var count: Int { indexesByName.count }

    /// The indexes of all queues, in the order of their creation; a queue in the place of a deleted one has the place in the order.
    var indexes: some Sequence<QueueIndex> {
        queues.indices.lazy.map { QueueIndex(position: Int32($0)) }.filter { [freeIndexes] in !freeIndexes.contains($0)
        }
    }

    /// Adds a queue.
    ///
    /// - Parameter isNew: whether the queue is made now; false for a queue of the record.
    mutating func insert(_ name: String, _ record: QueueRecord, isNew: Bool = true) -> QueueIndex {
        invariant(indexesByName[name] == nil, "Two queues have the same name.")
        var queue = QueueState(name: name, settings: record.settings)
        queue.completed = record.completed
        var past: QueueEnds
        (past, queue.totals) = labels.open(name, isNew: isNew)
        let index: QueueIndex
        if let free = freeIndexes.min() {
            freeIndexes.remove(free)
            index = free
            queue.ended = self[index].ended
            past.ofDeleted = EndCounts(queue.ended)
            self[index] = queue
            labels.ends[Int(index.position)] = past
        } else {
            index = QueueIndex(position: Int32(queues.count))
            queues.append(queue)
            labels.ends.append(past)
        }
        indexesByName[name] = index
        setPace(of: index)
        checkPlaces()
        if queue.totals.isChanged { changedQueues.append(index) }
        return index
    }

    /// Adds the queues of the record, and continues their totals.
    mutating func restore(_ records: [String: QueueRecord], _ totals: ClusterTotals) {
        labels = QueueLabels(totals)
        let names = records.sorted { $0.key < $1.key }
        // A queue that has no label in the record gets one only if any is left.
        for (name, record) in names.filter({ totals.queues[$0.key] != nil })
            + names.filter({ totals.queues[$0.key] == nil })
        {
            _ = insert(name, record, isNew: false)
        }
    }

    /// Removes a queue without operations, and all its turns.
    ///
    /// - Complexity: O(queues).
    mutating func remove(_ index: QueueIndex) {
        invariant(indexesByName[self[index].name] == index, "A deleted queue is not found by its name.")
        invariant(self[index].counts.unfinished == 0, "A queue with unfinished operations is deleted.")
        invariant(self[index].sentCount == 0, "A queue is deleted whose operations are at workers.")
        labels.close(self[index], hasLabel: hasLabel(index), ends: ends(of: index))
        indexesByName[self[index].name] = nil
        let ended = self[index].ended
        if self[index].pace != nil { ratedCount -= 1 }
        self[index] = QueueState(name: "", settings: QueueSettings())
        self[index].ended = ended
        if awaitingSlot == index { awaitingSlot = nil }
        awaitingWorkers.removeAll { $0 == index }
        order = BinaryHeap(order.elements.filter { $0.queue != index })
        freeIndexes.insert(index)
        checkPlaces()
    }

    /// Stops if a place has neither a queue nor is free, or has no figures.
    private func checkPlaces() {
        invariant(indexesByName.count + freeIndexes.count == queues.count, "A place of a queue is lost.")
        invariant(labels.ends.count == queues.count, "A place of a queue has no figures.")
    }

    /// How operations have ended since the start of the coordinator; the states are 0.
    ///
    /// - Complexity: O(queues).
    var ended: JobCounts { queues.reduce(into: JobCounts()) { $0 += $1.ended } }

    // MARK: - Totals

    /// Counts ended operations of a queue.
    ///
    /// - Parameter ending: the effect of their end on dependents.
    mutating func count(_ number: Int, ended outcome: Outcome, _ ending: Ending, in index: QueueIndex) {
        self[index].ended.add(number, ended: outcome, ending)
        guard !self[index].totals.isChanged else { return }
        self[index].totals.isChanged = true
        changedQueues.append(index)
    }

    /// The labels of the queues' figures.
    private(set) var labels: QueueLabels {
        _read { yield labelStore[0] }
        _modify { yield &labelStore[0] }
    }

    /// Whether the figures of a queue have a label of their own.
    func hasLabel(_ index: QueueIndex) -> Bool { labels.ends[Int(index.position)].hasLabel }

    /// How operations of a queue have ended since its label exists, as far as the record knows; without those that the sum of the
    /// queues without a label includes.
    func ends(of index: QueueIndex) -> EndCounts {
        let past = labels.ends[Int(index.position)]
        return past.beforeStart + (EndCounts(self[index].ended) - past.ofDeleted) - past.added
    }

    /// Whether operations may have ended, or queues got labels, since the totals were last taken.
    var hasChangedTotals: Bool { !changedQueues.isEmpty }

    /// Takes the totals of the queues with further ends or new labels.
    ///
    /// - Complexity: O(queues with further ends or new labels).
    mutating func takeChangedTotals(into totals: inout ClusterTotals) {
        for index in changedQueues where self[index].totals.isChanged {
            self[index].totals.isChanged = false
            let further = ends(of: index)
            if hasLabel(index) {
                totals.queues[self[index].name] = further
            } else {
                labels.add(further)
                labels.ends[Int(index.position)].added = labels.ends[Int(index.position)].added + further
            }
        }
        changedQueues.removeAll(keepingCapacity: true)
        labels.takeChanges(into: &totals)
    }

    // MARK: - Rates

    /// Gives a queue the pace of its rate, with a full bucket.
    mutating func setPace(of index: QueueIndex) {
        if self[index].pace != nil { ratedCount -= 1 }
        self[index].pace = self[index].settings.startRate.map { StartPace($0) }
        if self[index].pace != nil { ratedCount += 1 }
        self[index].gates.remove(.rate)
    }

    /// Notes the start of a queue's operation.
    ///
    /// - Returns: the moment from which the next one may start; nil for a queue that need not wait.
    mutating func paceStart(of index: QueueIndex, at now: Timestamp) -> Timestamp? {
        self[index].pace?.start(at: now)
        guard let moment = self[index].pace?.waitsUntil else { return nil }
        self[index].gates.insert(.rate)
        return moment
    }

    // MARK: - Stride scheduling

    /// The next queue in order; nil if no queue is runnable.
    mutating func next() -> QueueIndex? {
        while let turn = order.min {
            if !self[turn.queue].isInOrder || self[turn.queue].pass != turn.pass {
                order.removeMin()
            } else if self[turn.queue].isRunnable {
                return turn.queue
            } else {
                passOver(turn.queue)
            }
        }
        return nil
    }

    /// Removes the next queue from the order.
    mutating func passOver(_ index: QueueIndex) {
        invariant(order.min?.queue == index, "The queue to pass over is not the next one.")
        order.removeMin()
        self[index].isInOrder = false
    }

    /// Charges the next queue for an operation that is dispatched.
    mutating func charge(_ index: QueueIndex) {
        guard let turn = order.min, turn.queue == index else {
            failInvariant("The queue to charge is not the next one.")
        }
        self[index].pass = turn.pass + self[index].stride
        order.replaceMin(with: QueueTurn(pass: self[index].pass, queue: index))
    }

    /// Puts a runnable queue in order, if the queue is not in order yet.
    mutating func serve(_ index: QueueIndex) {
        guard !self[index].isInOrder, self[index].isRunnable else { return }
        self[index].pass = max(self[index].pass, startedTurn)
        putInOrder(index)
    }

    /// Refunds a queue's turn for an attempt that was returned unstarted.
    ///
    /// The refund does not go back behind turns that other queues have started since: a queue that saved up such a share
    /// would starve the other queues.
    mutating func refund(_ index: QueueIndex) {
        let (pass, stride) = (self[index].pass, self[index].stride)
        self[index].pass = max(pass - min(pass, stride), min(pass, startedTurn))
        putInOrder(index)
    }

    /// Charges a queue's unstarted attempts by the queue's new quality of service, because returned attempts are refunded by
    /// the new one.
    mutating func chargeAnew(_ index: QueueIndex, before old: QueueSettings) {
        let sent = UInt64(self[index].sentCount)
        let charged = sent * QueueState.stride(of: old.qualityOfService)
        self[index].pass += sent * self[index].stride
        self[index].pass -= min(self[index].pass, charged)
        if self[index].isInOrder { putInOrder(index) }
    }

    /// Puts a queue in order by its pass; an earlier turn with another pass becomes stale.
    ///
    /// - Complexity: O(log queues), amortised.
    mutating func putInOrder(_ index: QueueIndex) {
        self[index].isInOrder = true
        if order.count < 2 * queues.count + 64 {
            order.insert(QueueTurn(pass: self[index].pass, queue: index))
        } else {
            // Most turns are stale.
            order = BinaryHeap(
                indexes.filter { self[$0].isInOrder }.map { QueueTurn(pass: self[$0].pass, queue: $0) }
            )
        }
    }

    /// The turn of a queue's next attempt: the attempt's position in the order of starts at a worker.
    ///
    /// A queue whose turn has come gets the next slot, even if the worker is behind other workers with its prefetched
    /// attempts. The attempt does not overtake earlier attempts of the same queue (PR3).
    ///
    /// - Parameter workerTurn: the highest turn that the worker has started.
    @inline(__always)
    func turn(of index: QueueIndex, startedByWorker workerTurn: UInt64) -> UInt64 {
        let pass = self[index].pass
        guard self[index].sentCount == 0 else { return max(pass, self[index].lastTurn) }
        return pass <= startedTurn ? min(pass, workerTurn) : pass
    }

    /// Notes the turn of a started attempt.
    mutating func noteStart(ofTurn turn: UInt64) {
        startedTurn = max(startedTurn, turn)
    }

    // MARK: - Queues that no worker can serve

    /// Registers a queue to be served again once workers with free slots run its types.
    mutating func awaitWorker(_ index: QueueIndex) {
        guard !self[index].awaitsWorker else { return }
        self[index].awaitsWorker = true
        awaitingWorkers.append(index)
    }

    /// Removes the next queue from the order until workers with free slots run its types.
    mutating func passOverToAwaitWorker(_ index: QueueIndex) {
        passOver(index)
        awaitWorker(index)
    }

    /// Puts the queues in order that wait for a worker.
    mutating func serveAwaitingWorkers() {
        let waiting = awaitingWorkers
        awaitingWorkers = []
        for index in waiting {
            self[index].awaitsWorker = false
            serve(index)
        }
    }

    // MARK: - Checks

    /// The violated invariants of the order of queues; empty unless the scheduler has a bug.
    func violations() -> [String] {
        var found: [String] = []
        for index in indexes {
            let queue = self[index]
            if queue.awaitsWorker != awaitingWorkers.contains(index) {
                found.append("queue \(queue.name) is wrong about awaiting a worker")
            }
            if queue.isRunnable, !queue.isInOrder, !queue.awaitsWorker {
                found.append("queue \(queue.name) could run and has no turn")
            }
            if queue.totals.isChanged, !changedQueues.contains(index) {
                found.append("queue \(queue.name) has ends that the record does not get")
            }
            if indexesByName[queue.name] != index { found.append("queue \(queue.name) is not found by its name") }
        }
        let turns = Set(order.elements.filter { $0.pass == self[$0.queue].pass }.map(\.queue))
        if !indexes.allSatisfy({ !self[$0].isInOrder || turns.contains($0) }) {
            found.append("a queue in order has no turn")
        }
        if indexesByName.count + freeIndexes.count != queues.count { found.append("a place of a queue is lost") }
        if indexes.count(where: { self[$0].pace != nil }) != ratedCount { found.append("the number of rates is wrong") }
        if indexes.count(where: { hasLabel($0) }) != labels.count {
            found.append("the number of labels is wrong")
        }
        if labels.count + labels.deleted.count > ClusterTotals.mostQueues { found.append("there are too many labels") }
        if order.count > 2 * queues.count + 64 { found.append("stale turns pile up") }
        return found
    }
}
