@_spi(Baton) import BatonOperations

/// Which workers can run what the lines of a queue hold.
extension Scheduler {
    /// The worker with the most free slots among those that could start an operation with a requirement now; nil if there is
    /// none.
    ///
    /// - Complexity: that of ``TypeIndex/freeWorker(for:)``; for a requirement with a time or a request, O(workers · types).
    func freeWorker(for requirement: Requirement) -> WorkerIndex? {
        guard requirement.time > 0 || requirement.request != nil else {
            return requirement.type.flatMap { workers.types.freeWorker(for: $0) } ?? workers.freeWorker
        }
        guard workers.freeWorker != nil else { return nil }
        let request = requirement.request.map { graph.requests[$0] }
        return workers.indexes.lazy.filter { canStart(requirement, request, at: $0) }
            .max { workers[$0].unusedSlots < workers[$1].unusedSlots }
    }

    /// Whether operations with a requirement can be next: a free worker meets the requirement, or, while no slot is free at
    /// all, a worker that they can be sent ahead to.
    func isServable(_ requirement: Requirement) -> Bool {
        if let type = requirement.type, workers.types.freeTypes[type] == nil { return false }
        guard requirement.time > 0 || requirement.request != nil else { return true }
        if freeWorker(for: requirement) != nil { return true }
        // What asks for resources gets them with a slot, and is never sent ahead.
        return workers.freeWorker == nil && requirement.type == nil && requirement.request == nil
            && workers.indexes.contains { workers[$0].isOpen && hasTime($0, for: requirement) }
    }

    /// Whether a worker could start an operation at once, without taking what is reserved for another one.
    func canStart(_ requirement: Requirement, _ request: ResourceRequest?, at worker: WorkerIndex) -> Bool {
        guard workers[worker].freeSlots > 0, suits(requirement, request, worker) else { return false }
        guard let request else { return true }
        let use = ledger.use(at: worker)
        var taken = use
        if !reservations.isEmpty { taken.add(reservations.heldBack(at: worker)) }
        if workers[worker].introduction.offer.hasRoom(for: request, beside: taken) { return true }
        guard requirement.time > 0, workers[worker].reservationCount > 0 else { return false }
        return workers[worker].introduction.offer.hasRoom(for: request, beside: use)
            && timeToReservations(at: worker).map { requirement.time <= $0 } ?? false
    }

    /// Whether a worker runs the type, meets the labels' conditions and has the time.
    func suits(_ requirement: Requirement, _ request: ResourceRequest?, _ worker: WorkerIndex) -> Bool {
        hasTime(worker, for: requirement)
            && requirement.type.map { workers[worker].introduction.types.contains($0) } ?? true
            && request.map { workers[worker].introduction.offer.meetsLabels(of: $0) } ?? true
    }

    /// Whether a worker that takes new work could start an operation once others have ended, but not those that wait.
    ///
    /// - Parameter shares: what running operations that wait hold of the workers (``sharesOfWaiting``).
    func couldHold(
        _ requirement: Requirement,
        _ request: ResourceRequest,
        at worker: WorkerIndex,
        beside shares: [WorkerIndex: TakenByWaiting.Share]
    ) -> Bool {
        guard workers[worker].isOpen, workers[worker].failing == nil, suits(requirement, request, worker)
        else { return false }
        let share = shares[worker] ?? TakenByWaiting.Share()
        return share.slots < workers[worker].introduction.slots
            && workers[worker].introduction.offer.hasRoom(for: request, beside: share.use)
    }

    /// The slots and resources of each worker that running operations hold while they wait for other operations.
    ///
    /// - Complexity: O(running operations that wait).
    var sharesOfWaiting: [WorkerIndex: TakenByWaiting.Share] {
        var shares: [WorkerIndex: TakenByWaiting.Share] = [:]
        for operation in reservations.waiting {
            guard let place = graph.node(for: operation), graph[place].stage == .executing,
                let worker = graph[place].worker
            else { continue }
            shares[worker, default: .init()].add(graph.request(of: graph[place]))
        }
        return shares
    }

    /// Whether a worker could start an operation at once that comes before all reservations but the older ones.
    ///
    /// - Parameter held: what the older reservations hold back at the worker.
    func canStart(
        _ requirement: Requirement,
        _ request: ResourceRequest,
        at worker: WorkerIndex,
        beside held: ResourceUse
    ) -> Bool {
        guard workers[worker].unusedSlots > 0, workers[worker].failing == nil, suits(requirement, request, worker)
        else { return false }
        var taken = ledger.use(at: worker)
        taken.add(held)
        return workers[worker].introduction.offer.hasRoom(for: request, beside: taken)
    }
}
