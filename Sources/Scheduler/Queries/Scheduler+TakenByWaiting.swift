@_spi(Baton) import BatonOperations

/// What a set of running operations that wait takes from all other operations (WA3).
struct TakenByWaiting {
    /// The share of a worker that waiting operations have.
    struct Share {
        /// The number of waiting operations at the worker.
        var slots = 0
        /// The processors, memory and resources that the waiting operations have taken.
        var use = ResourceUse()

        /// Adds an operation with a request.
        mutating func add(_ request: ResourceRequest?) {
            slots += 1
            if let request { use.add(request) }
        }
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
    /// The units of each shared limit that waiting operations hold.
    var limitUnits: [String: Int] = [:]
    /// The share of each worker that waiting operations have.
    var shares: [WorkerIndex: Share] = [:]
    /// Whether operations with a requirement find no worker; nil stands for operations that every worker runs.
    var workerless: [Requirement?: Bool] = [:]
}

extension Scheduler {
    /// Finds out what a set of waiting operations takes from all others.
    ///
    /// Reservations take nothing: a reservation yields if it would count on the end of a waiting operation.
    ///
    /// - Complexity: O(waiting operations).
    func taken(byWaiting waiting: Set<NodeIndex>) -> TakenByWaiting {
        var taken = TakenByWaiting(waiting: waiting)
        var inQueues: [QueueIndex: Int] = [:]
        var inArrays: [TakenByWaiting.ArrayPlace: Int] = [:]
        for place in waiting {
            let node = graph[place]
            inQueues[node.queue, default: 0] += 1
            if let worker = node.worker {
                taken.shares[worker, default: .init()].add(graph.request(of: node))
            }
            if !limits.isEmpty, let request = graph.request(of: node) {
                taken.limitUnits.merge(request.limits, uniquingKeysWith: +)
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
        return taken
    }

    /// A limit of which waiting operations hold what a node takes, with its units; nil if there is none.
    ///
    /// A limit that has fewer units than the node takes may still be raised, and an operation at a worker has its units already.
    func limitHeld(from node: OperationNode, beside taken: TakenByWaiting) -> (name: String, units: Int)? {
        guard !taken.limitUnits.isEmpty, node.token == nil, let request = graph.request(of: node) else { return nil }
        for (name, needed) in request.limits.sorted(by: { $0.key < $1.key }) {
            guard let units = limits[name]?.units, let held = taken.limitUnits[name] else { continue }
            if needed <= units, needed > units - held { return (name, units) }
        }
        return nil
    }

    /// Whether waiting operations leave a node no worker.
    ///
    /// - Complexity: O(workers) for the first node with a requirement.
    func findsNoWorker(_ place: NodeIndex, beside taken: inout TakenByWaiting) -> Bool {
        let requirement = graph.requirement(of: graph[place])
        if let known = taken.workerless[requirement] { return known }
        let findsNone = !isWorkerLeft(for: graph[place], beside: taken)
        taken.workerless[requirement] = findsNone
        return findsNone
    }

    /// Whether a worker will have room for a node, once all operations but the waiting ones have ended; true also if no worker could
    /// ever run it, because one may still join.
    private func isWorkerLeft(for node: OperationNode, beside taken: TakenByWaiting) -> Bool {
        let requirement = graph.requirement(of: node)
        let request = graph.request(of: node)
        let able = workers.runners.filter { workers[$0].isAlive && couldEverRun(requirement, request, $0) }
        return able.isEmpty
            || able.contains { worker in
                let share = taken.shares[worker] ?? .init()
                guard share.slots < workers[worker].introduction.slots else { return false }
                return request.map { workers[worker].introduction.offer.hasRoom(for: $0, beside: share.use) } ?? true
            }
    }

    /// Whether a worker meets what a requirement asks for, once all its operations have ended.
    private func couldEverRun(_ requirement: Requirement?, _ request: ResourceRequest?, _ worker: WorkerIndex) -> Bool {
        guard let requirement else { return true }
        return suits(requirement, request, worker)
            && request.map { workers[worker].introduction.offer.hasRoom(for: $0) } ?? true
    }
}
