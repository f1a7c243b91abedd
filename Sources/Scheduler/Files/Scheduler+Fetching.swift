@_spi(Baton) public import BatonOperations

/// Attempts whose files their workers fetch before the start (FI4).
///
/// Such an attempt is sent to a worker that lacks files of its operation. Until the worker reports the start it is no attempt for a
/// slot: neither ``WorkerState/freeSlots`` nor ``WorkerState/room`` knows of it, nobody overtakes it, and a worker that starts nothing
/// meanwhile has not stalled. Its files come in one go, and may arrive while others have all slots: then it waits at the worker, and
/// so may what was sent to a slot that it has taken.
///
/// It holds whatever else an attempt holds from its dispatch on, as one that was sent ahead does: a place of its queue's limit and of
/// its array's, the units of shared limits, and the turn of its queue; and it is unfinished for barriers. So does what it asks of its
/// worker: processors, memory and named resources are there when the files are, because the worker starts nothing behind an attempt
/// that waits for them. Only a worker that has them now gets it, therefore, and what asks for nothing may also be sent to a worker
/// without a free slot.
///
/// A fetch ends with the report of the start, with the attempt's return, or with the worker. The worker is asked to return the attempt
/// as any other that has not started, for a hold, a cancellation, a suspension or a drain, and if an operation of a higher priority
/// in its queue finds no slot (PR9).
extension Scheduler {
    /// Whether a worker lacks files of a node.
    ///
    /// - Complexity: O(dependencies + files); O(1) without any.
    func isToFetch(_ node: OperationNode, at worker: WorkerIndex) -> Bool {
        guard node.hasInputs, !files.isEmpty, workers[worker].introduction.knowsFiles else { return false }
        let held = files.digests(at: worker)
        var isLacking = false
        visitFileSources(of: node) { source in
            isLacking = !source.files.allSatisfy { held.contains($0.digest) }
            return !isLacking
        }
        return isLacking
    }

    /// Whether a worker in a new session may still be fetching files for an attempt that it has not started.
    func mayBeFetching(_ place: NodeIndex, at worker: WorkerIndex) -> Bool {
        guard !files.isEmpty, !workers[worker].isAbsent else { return false }
        let node = graph[place]
        return node.stage == .sent && !node.isPrefetched && isToFetch(node, at: worker)
    }

    /// Notes that a node's attempt goes to a worker that fetches its files first.
    mutating func noteFetching(_ place: NodeIndex, at worker: WorkerIndex) {
        graph[place].isLong = false
        files.noteFetching(at: worker)
    }

    /// Whether a node's attempt was sent to a worker that fetches its files first, and has not started.
    func isFetching(_ node: OperationNode) -> Bool {
        guard !files.fetchers.isEmpty, node.stage == .sent, let worker = node.worker, let token = token(of: node) else {
            return false
        }
        return workers[worker].sent.isFetching(token)
    }

    /// Counts the attempt as one that has a slot, now that its files are there and it has started.
    mutating func takeSlot(_ place: NodeIndex, of worker: WorkerIndex) {
        guard shortTime(of: graph[place]) == nil else { return }
        graph[place].isLong = true
        workers.change(worker) { $0.longCount += 1 }
    }

    /// Recalls attempts that fetch files where they should no longer: those that an operation of a higher priority in their queue
    /// has to overtake, and those that have all files and wait for a slot while another worker has one.
    ///
    /// A fetch that is under way does not move to another worker, where it would begin anew: the worker that is free first could be
    /// another one each time.
    ///
    /// - Complexity: O(attempts that fetch files); O(1) without any.
    mutating func reviewFetching() {
        guard !files.fetchers.isEmpty else { return }
        for worker in files.fetchers.sorted() {
            let tokens = workers[worker].sent.fetchingTokens
            if tokens.isEmpty { files.endFetching(at: worker) }
            for token in tokens {
                guard let place = node(of: token, at: worker), !graph[place].isRecalled else { continue }
                if isOvertaken(place) || isElsewhereFree(for: place, at: worker) { recall(place) }
            }
        }
    }

    /// Whether an operation of a higher priority waits in the queue of an attempt that fetches files (PR9).
    private mutating func isOvertaken(_ place: NodeIndex) -> Bool {
        let (queue, priority) = (graph[place].queue, graph[place].priority)
        guard !queues[queue].settings.isSuspended, queues[queue].gates.isEmpty,
            let first = firstDispatchable(inLinesOf: queue)
        else { return false }
        return graph[first.node].priority.step > priority.step
    }

    /// Whether an attempt with all files waits for a slot of its worker while another worker could start it at once.
    private func isElsewhereFree(for place: NodeIndex, at worker: WorkerIndex) -> Bool {
        let node = graph[place]
        guard workers[worker].unusedSlots == 0, workers.freeWorker != nil, !isToFetch(node, at: worker) else {
            return false
        }
        guard let requirement = graph.requirement(of: node) else { return true }
        return freeWorker(for: requirement) != nil
    }
}

/// What is told of fetches.
@_spi(Baton) extension Scheduler {
    /// What keeps an operation from starting whose worker fetches files for it; nil for any other operation.
    ///
    /// - Complexity: O(dependencies + files); O(1) without any.
    public func fetch(of id: OperationID) -> Impediment? { graph.node(for: id).flatMap { fetch(of: graph[$0]) } }
}

extension Scheduler {
    /// The most bytes that are told.
    private static let mostCounted: Int64 = 1 << 60

    /// What keeps an attempt from starting whose files its worker fetches; nil for any other attempt, and once all files are there.
    ///
    /// - Complexity: O(dependencies + files).
    func fetch(of node: OperationNode) -> Impediment? {
        guard isFetching(node), !node.isRecalled, let worker = node.worker else { return nil }
        let held = files.digests(at: worker)
        var seen: Set<ContentDigest> = []
        var (missing, bytes, present) = (0, Int64(0), Int64(0))
        visitFileSources(of: node) { source in
            for file in source.files where seen.insert(file.digest).inserted {
                let size = Self.counted(file)
                bytes = min(bytes + size, Self.mostCounted)
                if held.contains(file.digest) { present = min(present + size, Self.mostCounted) } else { missing += 1 }
            }
            return true
        }
        guard missing > 0 else { return nil }
        return .fetching(worker: workerName(of: node), files: missing, bytes: bytes, present: present)
    }

    /// The wait of a ready operation for the fetches of others; nil if no fetch of others keeps it from a worker.
    func awaitedFetches(of node: OperationNode) -> Impediment? {
        guard !files.fetchers.isEmpty, !files.haveNoCopies, node.hasInputs else { return nil }
        let requirement = graph.requirement(of: node)
        let free: WorkerIndex? =
            if let requirement { freeWorker(for: requirement) } else { workers.freeWorker }
        guard let free, case .nowhere = place(byFilesOf: node, requirement, free: free) else { return nil }
        return .fetches(operations: files.fetchers.reduce(0) { $0 + workers[$1].sent.fetchingCount })
    }
}
