@_spi(Baton) import BatonOperations

/// Reservations: large requests are not starved by small ones.
///
/// The first operation of a queue that fits no worker now reserves a worker that can hold it, when its queue's turn comes. The
/// reservation takes the turn, and a place of the queue's limit. Until the operation starts, there or at another worker that it fits
/// sooner, the worker gets only what fits beside it, and what ends before it could start, by the declared times.
extension Scheduler {
    /// Starts the reserved operations that a worker has room for, oldest reservation first, and drops reservations of no use.
    mutating func serveReservations() {
        var slots: [WorkerIndex: Int] = [:]
        var uses: [WorkerIndex: ResourceUse] = [:]
        for reservation in reservations.all {
            let queue = reservation.queue
            guard isStillWanted(reservation), let first = first(inLineOf: queue, for: reservation.requirement) else {
                drop(reservation)
                queues.refund(queue)
                continue
            }
            let ready = worker(for: reservation, behind: slots, uses)
            if let ready, !mustWaitForHigherPriority(first, isPrefetched: false) {
                drop(reservation)
                let node = takeFirst(first, inLineOf: queue, for: reservation.requirement)
                let turn = queues.turn(of: queue, startedByWorker: workers[ready].sent.startedTurn)
                let time = shortTime(of: graph[node])
                assign(node, to: ready, isPrefetched: false, isOvertaking: false, expectedTime: time, turn: turn)
                continue
            }
            var worker = reservation.worker
            if !couldHold(reservation.requirement, reservation.request, at: worker) {
                guard let other = workerToReserve(for: reservation.requirement, reservation.request) else {
                    drop(reservation)
                    queues.refund(queue)
                    continue
                }
                move(reservation, to: other)
                worker = other
            }
            slots[worker, default: 0] += 1
            uses[worker, default: ResourceUse()].add(reservation.request)
        }
    }

    /// The worker with the most unused slots among those that could start a reserved operation at once.
    ///
    /// - Parameters:
    ///   - slots: the slots that older reservations keep, by worker.
    ///   - uses: what older reservations hold back, by worker.
    private func worker(
        for reservation: Reservation,
        behind slots: [WorkerIndex: Int],
        _ uses: [WorkerIndex: ResourceUse]
    ) -> WorkerIndex? {
        workers.indexes.lazy.filter { worker in
            canStart(
                reservation.requirement,
                reservation.request,
                at: worker,
                behind: slots[worker] ?? 0,
                uses[worker] ?? ResourceUse()
            )
        }.max { workers[$0].unusedSlots < workers[$1].unusedSlots }
    }

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
        guard present?.requirement != requirement, let worker = workerToReserve(for: requirement, request) else {
            return false
        }
        guard graph.distinguishesTimes else {
            // What declares a time may start where it ends soon enough; this regroups the lines of the queues.
            distinguishTimes()
            return true
        }
        // The turn of an earlier reservation passes to the operation that comes first now.
        if let present { drop(present) } else { queues.charge(queue) }
        reservations.append(Reservation(queue: queue, requirement: requirement, request: request, worker: worker))
        queues[queue].hasReservation = true
        hold(worker)
        return true
    }

    /// The line of a queue with the first operation that fits no worker now, and would fit one later.
    ///
    /// An operation with a reservation comes first among them unless another one has a higher priority or is older.
    private mutating func firstWaiting(inLinesOf queue: QueueIndex, before rank: OperationRank?) -> Requirement? {
        var best: (rank: OperationRank, requirement: Requirement)?
        for requirement in queues[queue].specialLines.keys {
            guard let index = requirement.request, let node = first(inLineOf: queue, for: requirement) else { continue }
            let nodeRank = graph[node].rank
            guard best.map({ nodeRank < $0.rank }) ?? true, rank.map({ nodeRank < $0 }) ?? true else { continue }
            let request = graph.requests[index]
            if workers.indexes.contains(where: { couldHold(requirement, request, at: $0) }) {
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

    /// The worker that could hold an operation, with the fewest reservations and the most unused slots; nil if there is none.
    private func workerToReserve(for requirement: Requirement, _ request: ResourceRequest) -> WorkerIndex? {
        workers.indexes.lazy.filter { worker in
            workers[worker].reservedSlots < workers[worker].introduction.slots
                && couldHold(requirement, request, at: worker)
        }.min { left, right in
            (workers[left].reservedSlots, -workers[left].unusedSlots)
                < (workers[right].reservedSlots, -workers[right].unusedSlots)
        }
    }

    /// Keeps a slot of a worker for a reservation, and takes back the attempts that wait for the worker's slots.
    private mutating func hold(_ worker: WorkerIndex) {
        workers.change(worker) { $0.reservedSlots += 1 }
        for token in workers[worker].sent.suffix(.max).reversed() {
            if let node = workers[worker].attempts[token], graph[node].isPrefetched { recall(node) }
        }
    }

    private mutating func drop(_ reservation: Reservation) {
        workers.change(reservation.worker) { $0.reservedSlots -= 1 }
        queues[reservation.queue].hasReservation = false
        reservations.remove(ofQueue: reservation.queue)
    }

    private mutating func move(_ reservation: Reservation, to worker: WorkerIndex) {
        workers.change(reservation.worker) { $0.reservedSlots -= 1 }
        reservations.move(ofQueue: reservation.queue, to: worker)
        hold(worker)
    }

    /// Drops the reservations of a worker that is about to be removed.
    mutating func dropReservations(of worker: WorkerIndex) {
        for reservation in reservations.all where reservation.worker == worker {
            drop(reservation)
            queues.refund(reservation.queue)
        }
    }

    // MARK: - Operations that end sooner

    /// The time until the first reserved operation of a worker could start, in microseconds, by the declared times of what runs
    /// there; nil if the declared times do not tell.
    func timeToReservations(at worker: WorkerIndex) -> Int64? {
        var ends: [(time: Int64, request: ResourceRequest?)] = []
        let claims = ledger.claims(at: worker)
        for (token, node) in workers[worker].attempts {
            guard let declared = graph.template(at: node).declaredTime else { continue }
            let end = (graph[node].startedAt ?? now) + declared
            ends.append((max(0, (end - now).microseconds), claims[token]))
        }
        ends.sort { $0.time < $1.time }
        var (slots, held) = (0, ResourceUse())
        var earliest = Int64.max
        for reservation in reservations.all where reservation.worker == worker {
            var (free, use) = (workers[worker].unusedSlots - slots, ledger.use(at: worker))
            use.add(held)
            var time: Int64 = 0
            var remaining = ends[...]
            while free < 1 || !workers[worker].introduction.offer.hasRoom(for: reservation.request, beside: use) {
                guard let next = remaining.popFirst() else { return nil }
                time = next.time
                free += 1
                if let request = next.request { use.subtract(request) }
            }
            earliest = min(earliest, time)
            slots += 1
            held.add(reservation.request)
        }
        return earliest
    }
}
