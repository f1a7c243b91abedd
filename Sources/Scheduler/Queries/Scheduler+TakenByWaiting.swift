@_spi(Baton) import BatonOperations

/// What a set of running operations that wait takes from all other operations (WA3).
struct TakenByWaiting {
    /// The share of a worker that waiting operations have.
    struct Share {
        /// The number of waiting operations at the worker.
        var slots = 0
        /// The processors, memory and resources that the waiting operations have taken.
        var use = ResourceUse()
    }

    /// An array of a job.
    struct ArrayPlace: Hashable {
        var job: JobIndex
        var array: ArrayIndex
    }

    /// The waiting operations.
    let waiting: Set<NodeIndex>
    /// The queues at their limit in which no other operation executes.
    var fullQueues: Set<QueueIndex> = []
    /// The arrays at their limit of which no other element is at a worker.
    var fullArrays: Set<ArrayPlace> = []
    /// The share of each worker that waiting operations have.
    var shares: [WorkerIndex: Share] = [:]
    /// The operations that cannot start though a worker is reserved for them, oldest reservation first.
    var reserved: [(reservation: Reservation, first: NodeIndex)] = []
    /// The queues whose last place is kept for an operation that cannot start, with that operation.
    var keptPlaces: [QueueIndex: NodeIndex] = [:]
    /// Whether operations with a requirement, none of them before a reserved one of their queue, find no worker; nil stands for
    /// operations that every worker runs.
    var workerless: [Requirement?: Bool] = [:]
}

extension Scheduler {
    /// Finds out what a set of waiting operations takes from all others.
    ///
    /// - Complexity: O(waiting operations + reservations · (workers + ready nodes of a line)).
    func taken(byWaiting waiting: Set<NodeIndex>) -> TakenByWaiting {
        var taken = TakenByWaiting(waiting: waiting)
        var inQueues: [QueueIndex: Int] = [:]
        var inArrays: [TakenByWaiting.ArrayPlace: Int] = [:]
        for place in waiting {
            let node = graph[place]
            inQueues[node.queue, default: 0] += 1
            if let worker = node.worker {
                taken.shares[worker, default: .init()].slots += 1
                if let request = graph.request(of: node) { taken.shares[worker, default: .init()].use.add(request) }
            }
            guard let (array, limit, elements) = arrayLimit(of: node) else { continue }
            let key = TakenByWaiting.ArrayPlace(job: node.job, array: array)
            inArrays[key, default: 0] += 1
            if elements >= limit, elements == inArrays[key] { taken.fullArrays.insert(key) }
        }
        for (queue, number) in inQueues where queues[queue].counts.executing == number {
            if let limit = queues[queue].settings.maxConcurrent, limit > 0, number >= limit {
                taken.fullQueues.insert(queue)
            }
        }
        // Oldest first: a reservation holds its share back from the later ones.
        for reservation in reservations.all {
            guard let first = firstReserved(reservation),
                !isWorkerLeft(for: graph[first], beside: taken, isBehind: false)
            else { continue }
            taken.reserved.append((reservation, first))
            let (queue, number) = (queues[reservation.queue], inQueues[reservation.queue] ?? 0)
            if let limit = queue.settings.maxConcurrent, number + 1 >= limit, queue.counts.executing == number {
                taken.keptPlaces[reservation.queue] = first
            }
        }
        return taken
    }

    /// Whether waiting operations, and what is kept for operations that cannot start, leave a node no worker.
    ///
    /// - Parameter isBehind: whether the node comes after the operation for which its queue has a reservation, if any.
    /// - Complexity: O(workers · reservations) for the first node with a requirement.
    func findsNoWorker(_ place: NodeIndex, beside taken: inout TakenByWaiting, isBehind: Bool) -> Bool {
        if taken.reserved.contains(where: { $0.first == place }) { return true }
        let requirement = graph.requirement(of: graph[place])
        if isBehind, let known = taken.workerless[requirement] { return known }
        let findsNone = !isWorkerLeft(for: graph[place], beside: taken, isBehind: isBehind)
        if isBehind { taken.workerless[requirement] = findsNone }
        return findsNone
    }

    /// Whether a worker will have room for a node, once all operations but the waiting ones have ended; true also if no worker could
    /// ever run it, because one may still join.
    private func isWorkerLeft(for node: OperationNode, beside taken: TakenByWaiting, isBehind: Bool) -> Bool {
        let requirement = graph.requirement(of: node)
        let request = graph.request(of: node)
        let able = workers.indexes.filter { workers[$0].isAlive && couldEverRun(requirement, request, $0) }
        // What ends soon enough by its declared time may start beside a reservation.
        let isKept = (requirement?.time ?? 0) == 0
        let kept = !isKept ? [] : taken.reserved.lazy.map(\.reservation).filter { isBehind || $0.queue != node.queue }
        return able.isEmpty
            || able.contains { worker in
                let share = taken.shares[worker] ?? .init()
                guard share.slots < workers[worker].introduction.slots else { return false }
                guard let request else { return true }
                var use = share.use
                for reservation in kept where reservation.worker == worker { use.add(reservation.request) }
                return workers[worker].introduction.offer.hasRoom(for: request, beside: use)
            }
    }

    /// Whether a worker meets what a requirement asks for, once all its operations have ended.
    private func couldEverRun(_ requirement: Requirement?, _ request: ResourceRequest?, _ worker: WorkerIndex) -> Bool {
        guard let requirement else { return true }
        return suits(requirement, request, worker)
            && request.map { workers[worker].introduction.offer.hasRoom(for: $0) } ?? true
    }
}
