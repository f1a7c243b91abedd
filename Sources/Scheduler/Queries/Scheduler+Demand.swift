@_spi(Baton) public import BatonOperations

/// The demand for further workers, for programs that can start workers.
@_spi(Baton) extension Scheduler {
    /// The most entries of ready lines that one query looks at, and the most operations of a line that it counts.
    static var mostOfDemand: Int { 10_000 }

    /// The ready operations that find no free slot now, and that a worker of a kind could run, with the number of such workers.
    ///
    /// An operation counts if it stands in the line of its queue, waits for a worker that may fetch its files, or was sent ahead to a
    /// worker without a free slot. An operation that waits for dependencies, a time, a release, its queue, a limit or units of a shared
    /// limit does not count, because a further worker would not help. Operations in Swift do not count, because a worker of this kind does
    /// not run them.
    ///
    /// - Complexity: O(queues + lines + operations sent ahead + entries looked at), of which there are at most ``mostOfDemand``.
    public func demand(for worker: OfferedWorker) -> Demand {
        var sum = DemandSum()
        var left = Self.mostOfDemand
        let fetchLines = files.fetchLines.isEmpty ? [] : files.fetchLines.all
        for index in queues.indexes where left > 0 {
            let queue = queues[index]
            guard !queue.settings.isSuspended, queue.gates.isEmpty else { continue }
            // What was sent ahead has its place within the limit already.
            addSentAhead(of: queue, for: worker, to: &sum)
            var room = Int.max
            if let limit = queue.settings.maxConcurrent {
                room = max(0, limit - queue.counts.executing - queue.sentCount)
            }
            add(queue.line.entries.elements, nil, for: worker, &room, &left, to: &sum)
            for (requirement, line) in queue.specialLines where room > 0 {
                add(line.entries.elements, requirement, for: worker, &room, &left, to: &sum)
            }
            for line in fetchLines where line.queue == index && room > 0 {
                let entries = files.fetchLines.entries(of: line)
                add(entries, line.requirement, for: worker, &room, &left, to: &sum, areInLine: false)
            }
        }
        return sum.demand
    }

    /// Counts the operations of entries that the worker could run, within the limit of the queue and the limits of which the operations
    /// take units.
    private func add(
        _ entries: [ReadyEntry],
        _ requirement: Requirement?,
        for worker: OfferedWorker,
        _ room: inout Int,
        _ left: inout Int,
        to sum: inout DemandSum,
        areInLine: Bool = true
    ) {
        let request = requirement?.request.map { graph.requests[$0] }
        let capacity = capacity(of: worker, for: requirement, request)
        guard capacity > 0 else { return }
        var most = min(room, Self.mostOfDemand)
        if let request {
            for (name, units) in request.limits where units > 0 {
                most = min(most, max(0, limits.free(of: name)) / units)
            }
        }
        var found = 0
        for entry in entries {
            guard found < most, left > 0 else { break }
            left -= 1
            guard areInLine ? isCurrent(entry) : isSetAsideToFetch(entry), hasTime(worker, for: entry.node.index) else {
                continue
            }
            let node = graph[entry.node.index]
            var number = Int(node.count)
            if graph.limitedJobs > 0, let (_, limit, taken) = arrayLimit(of: node) {
                number = min(number, max(0, limit - taken))
            }
            found += min(number, most - found)
        }
        if room < .max { room -= found }
        sum.add(found, ofWhichFit: capacity)
    }

    /// Counts the operations of a queue that were sent to workers without a slot for them.
    private func addSentAhead(of queue: QueueState, for worker: OfferedWorker, to sum: inout DemandSum) {
        for last in queue.sent {
            var next = last
            while let place = next {
                let node = graph[place]
                next = node.previousSent
                guard node.isPrefetched, hasTime(worker, for: place) else { continue }
                let requirement = graph.requirement(of: node)
                let request = requirement?.request.map { graph.requests[$0] }
                let capacity = capacity(of: worker, for: requirement, request)
                if capacity > 0 { sum.add(1, ofWhichFit: capacity) }
            }
        }
    }

    /// Whether the node of an entry of the fetch lines waits there yet.
    private func isSetAsideToFetch(_ entry: ReadyEntry) -> Bool {
        guard let place = graph.resolve(entry.node) else { return false }
        return graph[place].stage == .ready && !graph[place].isInLine
    }

    /// Whether a worker has the time that an operation declares; requirements tell it only once a worker with a limit has joined.
    private func hasTime(_ worker: OfferedWorker, for place: NodeIndex) -> Bool {
        guard let time = worker.time, !graph.distinguishesTimes, graph.declaresTime(place),
            let needed = graph.template(at: place).declaredTime
        else { return true }
        return needed <= time
    }

    /// The number of operations with a requirement that a worker would run at once; 0 if the worker could never run such an operation.
    private func capacity(of worker: OfferedWorker, for requirement: Requirement?, _ request: ResourceRequest?) -> Int {
        guard let requirement else { return worker.slots }
        if let time = worker.time, requirement.time > time.microseconds { return 0 }
        // A worker of this version knows all options.
        if let type = requirement.type, graph.distinguishesVersions {
            if Work.parts(ofNeededType: type).type != nil { return 0 }
        } else if requirement.type != nil {
            return 0
        }
        return request.map { worker.capacity(for: $0) } ?? worker.slots
    }
}
