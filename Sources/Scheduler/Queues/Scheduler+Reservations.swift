@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// Reservations: large requests are not starved by small ones.
///
/// The first operation of a queue that fits no worker now reserves a worker that can hold it, when its queue's turn comes. The
/// reservation takes the turn, and keeps a place of the queue's limit from operations that come later in the queue's order. The
/// reservation ends when the operation starts, on the reserved worker or on a worker that has room sooner. Until then the worker
/// gets only operations that fit beside the large one, and operations that end, by their declared times, before the large one
/// could start.
///
/// A reservation never counts on the end of an operation that waits for others (WA3): it is dropped when such a wait begins, and
/// none is made meanwhile.
extension Scheduler {
    /// Starts the reserved operations that a worker has room for, oldest reservation first, and drops reservations of no use.
    ///
    /// No slot has to be kept: the operations that must end first leave their slots, and what is reserved comes before anything
    /// else.
    mutating func serveReservations() {
        var uses: [WorkerIndex: ResourceUse] = [:]
        for reservation in reservations.all {
            let queue = reservation.queue
            guard isStillWanted(reservation), let first = first(inLineOf: queue, for: reservation.requirement) else {
                drop(reservation)
                queues.refund(queue)
                continue
            }
            let ready = queues[queue].gates.contains(.rate) ? nil : worker(for: reservation, behind: uses)
            if let ready, !files.isEmpty, !couldHoldFiles(of: graph[first], at: ready) {
                // It waits aside for a worker that may keep its files.
                drop(reservation)
                queues.refund(queue)
                continue
            }
            if ready != nil, !limits.isEmpty, !mayTakeLimits(first, reservation.requirement) {
                // From now on, the units are left to the operation, and not the worker: others can use the worker meanwhile.
                drop(reservation)
                queues.refund(queue)
                continue
            }
            if let ready, !mustWaitForHigherPriority(first, isPrefetched: false), !isSlotFree(before: first) {
                drop(reservation)
                let node = takeFirst(first, inLineOf: queue, for: reservation.requirement)
                let turn = queues.turn(of: queue, startedByWorker: workers[ready].sent.startedTurn)
                let time = shortTime(of: graph[node])
                if !files.copies.surplus.isEmpty { reclaimSurplus(for: node, at: ready) }
                assign(
                    node,
                    to: ready,
                    isPrefetched: false,
                    isFetching: isToFetch(graph[node], at: ready),
                    isOvertaking: false,
                    expectedTime: time,
                    turn: turn
                )
                continue
            }
            guard let worker = review(reservation, behind: uses) else {
                drop(reservation)
                queues.refund(queue)
                continue
            }
            if worker != reservation.worker { move(reservation, to: worker) }
            uses[worker, default: ResourceUse()].add(reservation.request)
        }
    }

    /// Whether an operation that comes before a reserved one in their queue could start at once (PR2).
    private mutating func isSlotFree(before reserved: NodeIndex) -> Bool {
        guard let front = firstDispatchable(inLinesOf: graph[reserved].queue),
            graph[front.node].rank < graph[reserved].rank
        else { return false }
        return front.requirement.map { freeWorker(for: $0) != nil } ?? (workers.freeWorker != nil)
    }

    /// Whether the last place within a queue's limit is kept for an operation that comes before a node.
    ///
    /// - Complexity: O(1) for a queue without a reservation.
    mutating func isBehindKeptPlace(_ place: NodeIndex) -> Bool {
        let queue = graph[place].queue
        guard queues[queue].isLastPlaceKept, let reservation = reservations.reservation(ofQueue: queue),
            let first = first(inLineOf: queue, for: reservation.requirement)
        else { return false }
        return graph[first].rank < graph[place].rank
    }

    /// The operation for which a worker is reserved; nil if it has left its line and the reservation is about to end.
    ///
    /// - Complexity: O(nodes in the line).
    func firstReserved(_ reservation: Reservation) -> NodeIndex? {
        queues[reservation.queue].specialLines[reservation.requirement]?.entries.elements.filter { isCurrent($0) }
            .min()?
            .node.index
    }

    /// The worker with the most unused slots among those that could start a reserved operation at once.
    ///
    /// - Parameter uses: what older reservations hold back, by worker.
    func worker(for reservation: Reservation, behind uses: [WorkerIndex: ResourceUse]) -> WorkerIndex? {
        workers.indexes.lazy.filter { worker in
            canStart(reservation.requirement, reservation.request, at: worker, beside: uses[worker] ?? ResourceUse())
        }.max { workers[$0].unusedSlots < workers[$1].unusedSlots }
    }

    /// The worker that a reservation should have: its own, unless it can no longer hold the operation or another one promises to
    /// have room in less than half of the time; nil if no worker can hold the operation.
    private mutating func review(_ reservation: Reservation, behind uses: [WorkerIndex: ResourceUse]) -> WorkerIndex? {
        let worker = reservation.worker
        let isAble = couldHold(reservation.requirement, reservation.request, at: worker, beside: sharesOfWaiting)
        guard !isAble || now >= reservation.reviewedAt + Self.reviewInterval else { return worker }
        reservations.noteReview(ofQueue: reservation.queue, at: now)
        let best = workerToReserve(for: reservation.requirement, reservation.request, beside: uses)
        guard isAble, let best else { return best }
        let (left, other) = (
            timeToRoom(for: reservation.request, at: worker, beside: uses[worker] ?? ResourceUse()),
            timeToRoom(for: reservation.request, at: best, beside: uses[best] ?? ResourceUse())
        )
        return other < left / 2 ? best : worker
    }

    /// The time between two reviews of the choice of a worker.
    private static let reviewInterval = Duration.seconds(1)

    /// Reserves a worker if the first operation of a queue fits no worker now, and its turn has come.
    ///
    /// - Parameters:
    ///   - queue: the next queue in order.
    ///   - front: the queue's first operation that a worker could be sent now; nil if there is none.
    /// - Returns: whether the next queue has to be chosen anew.
    mutating func reserve(for queue: QueueIndex, before front: NodeIndex?) -> Bool {
        if queues[queue].specialLines.isEmpty { return false }
        let rank = front.map { graph[$0].rank }
        guard let requirement = firstWaiting(inLinesOf: queue, before: rank), let index = requirement.request
        else { return false }
        let request = graph.requests[index]
        let present = queues[queue].hasReservation ? reservations.reservation(ofQueue: queue) : nil
        guard present?.requirement != requirement,
            let worker = workerToReserve(for: requirement, request, beside: reservations.heldBack)
        else {
            return false
        }
        // It would be of no use there, and keep others from the worker.
        if !files.isEmpty, let place = first(inLineOf: queue, for: requirement),
            !couldHoldFiles(of: graph[place], at: worker)
        {
            return false
        }
        guard graph.distinguishesTimes else {
            // From now on, operations with declared times wait in lines of their own: a short one may start on a reserved
            // worker.
            distinguishTimes()
            return true
        }
        // The turn and the age of an earlier reservation pass to the operation that comes first now.
        let position = reservations.position(ofQueue: queue)
        if let present { drop(present) } else { queues.charge(queue) }
        invariant(!queues[queue].hasReservation, "A queue reserves a second worker.")
        let reservation = Reservation(
            queue: queue,
            requirement: requirement,
            request: request,
            worker: worker,
            reviewedAt: now
        )
        reservations.insert(reservation, at: position)
        queues[queue].hasReservation = true
        hold(worker)
        // What was held back for the earlier reservation may be all that the operation needs.
        if present != nil { serveReservations() }
        return true
    }

    /// The line of a queue with the first operation that fits no worker now, and would fit one later.
    ///
    /// An operation with a reservation comes first among them unless another one has a higher priority or is older.
    private mutating func firstWaiting(inLinesOf queue: QueueIndex, before rank: OperationRank?) -> Requirement? {
        // Most lines ask for no resources.
        var knownShares: [WorkerIndex: TakenByWaiting.Share]?
        var best: (rank: OperationRank, requirement: Requirement)?
        for requirement in queues[queue].specialLines.keys {
            guard let index = requirement.request, let node = first(inLineOf: queue, for: requirement) else { continue }
            let nodeRank = graph[node].rank
            guard best.map({ nodeRank < $0.rank }) ?? true, rank.map({ nodeRank < $0 }) ?? true else { continue }
            let request = graph.requests[index]
            let shares = knownShares ?? sharesOfWaiting
            knownShares = shares
            if workers.indexes.contains(where: { couldHold(requirement, request, at: $0, beside: shares) }),
                limits.isEmpty || mayTakeLimits(node, requirement)
            {
                best = (nodeRank, requirement)
            }
        }
        return best?.requirement
    }

    /// Whether a reservation's line still has an operation with the request, and its queue may start one.
    private func isStillWanted(_ reservation: Reservation) -> Bool {
        let queue = reservation.queue
        guard let index = reservation.requirement.request, queues[queue].specialLines[reservation.requirement] != nil
        else { return false }
        return graph.requests[index] == reservation.request && queues[queue].mayStartReserved
    }

    /// The worker that could hold an operation and promises to have room for it first; nil if there is none.
    ///
    /// - Parameter uses: what reservations hold back that come before, by worker.
    private func workerToReserve(
        for requirement: Requirement,
        _ request: ResourceRequest,
        beside uses: [WorkerIndex: ResourceUse]
    ) -> WorkerIndex? {
        let shares = sharesOfWaiting
        var best: (worker: WorkerIndex, time: Int64)?
        for worker in workers.indexes where couldHold(requirement, request, at: worker, beside: shares) {
            let time = timeToRoom(for: request, at: worker, beside: uses[worker] ?? ResourceUse())
            guard let (other, shortest) = best else {
                best = (worker, time)
                continue
            }
            let isBetter =
                (time, workers[worker].reservationCount, -workers[worker].unusedSlots)
                < (shortest, workers[other].reservationCount, -workers[other].unusedSlots)
            if isBetter { best = (worker, time) }
        }
        return best?.worker
    }

    /// Keeps a worker for a reservation, and takes back the attempts that wait for the worker's slots.
    private mutating func hold(_ worker: WorkerIndex) {
        workers.change(worker) { $0.reservationCount += 1 }
        for token in workers[worker].sent.suffix(.max).reversed() {
            if let node = workers[worker].attempts[token], graph[node].isPrefetched { recall(node) }
        }
    }

    private mutating func drop(_ reservation: Reservation) {
        invariant(queues[reservation.queue].hasReservation, "A reservation ends of a queue that has none.")
        workers.change(reservation.worker) { $0.endReservation() }
        queues[reservation.queue].hasReservation = false
        reservations.remove(ofQueue: reservation.queue)
    }

    private mutating func move(_ reservation: Reservation, to worker: WorkerIndex) {
        workers.change(reservation.worker) { $0.endReservation() }
        reservations.move(ofQueue: reservation.queue, to: worker)
        hold(worker)
    }

    /// Drops the reservation of a queue that is about to be removed, if there is one.
    mutating func dropReservation(ofQueue queue: QueueIndex) {
        if let reservation = reservations.reservation(ofQueue: queue) { drop(reservation) }
    }

    /// Drops the reservations of a worker that is about to be removed.
    mutating func dropReservations(of worker: WorkerIndex) {
        for reservation in reservations.all where reservation.worker == worker {
            drop(reservation)
            queues.refund(reservation.queue)
        }
    }
}
