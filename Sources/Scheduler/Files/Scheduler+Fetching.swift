@_spi(Baton) public import BatonOperations

/// Attempts whose files their workers fetch before the start (FI4).
///
/// Such an attempt is sent to a worker that lacks files of its operation. It takes no slot until the worker reports its start:
/// ``WorkerState/freeSlots`` and ``WorkerState/room`` do not count it, no operation overtakes it, and a worker that only fetches has not
/// stalled. If all slots are taken when its files have arrived, the attempt waits at the worker for a slot. An attempt that was sent for
/// the slot that it then takes waits, too.
///
/// From its dispatch on it holds everything else that an attempt holds, like an attempt that was sent ahead: a place in the limits of its
/// queue and array, the units of shared limits, and the turn of its queue; barriers count it as unfinished. It also holds its processors,
/// memory and named resources of the worker: without them it would block all attempts behind it once its files are there. It is therefore
/// sent only to a worker that has these resources now. An attempt without such needs may also be sent to a worker without a free slot.
///
/// Each worker fetches for a few attempts at once (``WorkerState/mayFetch``). If no worker may fetch for another attempt, the operation
/// steps aside, and operations behind it in the queue pass it. So does what needs as many bytes as a worker had no room for lately
/// (``FetchPause``) or may never keep (``WorkerState/couldKeep(_:)``), unless another worker takes it.
///
/// A fetch ends with the report of the start, with the return of the attempt, or with the worker. The attempt is recalled like any attempt
/// that has not started: for a hold, a cancellation, a suspension or a drain, and if an operation of a higher priority in its queue finds
/// no slot (PR9).
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
        let node = graph[place]
        guard let token = token(of: node) else { return }
        let held = files.digests(at: worker)
        var missing: [ContentDigest: Int64] = [:]
        visitFileSources(of: node) { source in
            for file in source.files where !held.contains(file.digest) { missing[file.digest] = Self.counted(file) }
            return true
        }
        files.fetchTimes.begin(token, at: worker, missing, at: now)
    }

    /// Records what was fetched for an attempt that starts, for traces.
    ///
    /// An attempt that did not start has fetched in vain, and nothing is told of it.
    mutating func noteFetched(
        _ place: NodeIndex,
        _ token: AttemptToken,
        at worker: WorkerIndex,
        startedAt: Timestamp?
    ) {
        let node = graph[place]
        let start = min(now, startedAt ?? now)
        guard let fetch = files.fetchTimes.end(token, at: worker, start: start) else { return }
        if let pause = workers[worker].fetchPause, fetch.bytes >= pause.bytes {
            workers.change(worker) { $0.fetchPause = nil }
        }
        emit(.commit(.fetch(graph.id(of: node), attempt: node.attempt + 1, fetch)))
    }

    /// Whether a node's attempt was sent to a worker that fetches its files first, and has not started.
    func isFetching(_ node: OperationNode) -> Bool {
        guard !files.fetchers.isEmpty, node.stage == .sent, let worker = node.worker, let token = token(of: node) else {
            return false
        }
        return workers[worker].sent.isFetching(token)
    }

    /// Notes how far a worker has come with files, which is told to people and decides nothing.
    mutating func fetchesProgressed(_ session: SessionID, _ fetches: [AttemptFetch]) {
        guard let worker = noteSignOfLife(session), workers[worker].sent.fetchingCount > 0 else { return }
        workers.change(worker) { worker in
            for fetch in fetches { worker.sent.notePresent(Int64(clamping: fetch.present), of: fetch.token) }
        }
    }

    /// Counts a slot for the attempt, which has started.
    mutating func takeSlot(_ place: NodeIndex, of worker: WorkerIndex) {
        guard shortTime(of: graph[place]) == nil else { return }
        graph[place].isLong = true
        workers.change(worker) { $0.longCount += 1 }
    }

    /// Recalls an attempt that waits for a file which its operation does not need any more.
    ///
    /// A dependency was made again and has left other files since the worker was told of them. Nobody gives the worker the earlier ones,
    /// and the attempt would wait for ever. Sent again, it takes the dependency's new files, and whatever else waits for the same content
    /// goes on.
    mutating func fetchOutdated(_ session: SessionID, _ token: AttemptToken) {
        guard let worker = workers.index(ofSession: session), let place = node(of: token, at: worker) else { return }
        withoutWaiting { $0.recall(place) }
    }

    // MARK: - The bound

    /// The most nodes that step aside in one go; those behind them follow with the next dispatches.
    static let mostSteppingAside = 256

    /// The first nodes of each line of waiting ones that are looked at again with each dispatch.
    ///
    /// More than one, because the workers that could fetch for the first may be other ones than those for the next.
    private static let mostBroughtBack = 4

    /// Lets the node at the front of a line step aside, because no worker may fetch files for it now; others of the queue pass it.
    ///
    /// If lower priorities of the queue have the workers' fetches, one of them makes room (PR9).
    mutating func stepAside(_ first: Candidate, in queue: QueueIndex) {
        let node = graph[first.node]
        removeFirst(first.node, inLineOf: queue, for: first.requirement)
        files.fetchLines.insert(
            ReadyEntry(rank: node.rank, node: graph.reference(to: first.node)),
            into: FetchLines.Line(queue: queue, requirement: first.requirement)
        )
        if graph.limitedJobs > 0 { bringBackAnother(than: node) }
        if queues[queue].sentCount > 0 { makeRoom(for: node, first.requirement) }
    }

    /// Recalls an attempt of a lower priority that fetches files where a node could use the room, unless one is recalled already.
    private mutating func makeRoom(for node: OperationNode, _ requirement: Requirement?) {
        var lowest: NodeIndex?
        var needed: Int64?
        for step in 0..<node.priority.step {
            var next = queues[node.queue].sent[step]
            while let place = next {
                // Elsewhere the room would be of no use, and the attempt would be sent there again.
                if isFetching(graph[place]), let worker = graph[place].worker, couldFetch(requirement, at: worker),
                    !isPaused(worker, for: node)
                {
                    let bytes = needed ?? bytesOfFiles(neededBy: node)
                    needed = bytes
                    if workers[worker].couldKeep(bytes) {
                        if graph[place].isRecalled { return }
                        lowest = lowest ?? place
                    }
                }
                next = graph[place].previousSent
            }
        }
        if let lowest { recall(lowest) }
    }

    /// Puts the first nodes of all lines back that have stepped aside.
    mutating func bringBackFetches() {
        for line in files.fetchLines.all {
            var left = Self.mostBroughtBack
            while left > 0, let entry = files.fetchLines.takeFirst(of: line) {
                guard let place = graph.resolve(entry.node), graph[place].stage == .ready, !graph[place].isInLine else {
                    continue
                }
                putBack(place)
                left -= 1
            }
        }
    }

    /// Puts another node of a line back, after one was sent.
    mutating func bringBackFetch(in queue: QueueIndex, _ requirement: Requirement?) {
        let line = FetchLines.Line(queue: queue, requirement: requirement)
        while let entry = files.fetchLines.takeFirst(of: line) {
            guard let place = graph.resolve(entry.node), graph[place].stage == .ready, !graph[place].isInLine else {
                continue
            }
            return putBack(place)
        }
    }

    // MARK: - Recalls

    /// Recalls attempts that should not stay at their worker: attempts that an operation of a higher priority in their queue has to
    /// overtake, and attempts that have all files and wait for a slot while another worker has a free one.
    ///
    /// A fetch that is under way does not move to another worker: it would begin anew there, and could move again and again.
    ///
    /// - Complexity: O(attempts that fetch files); O(1) without any.
    mutating func reviewFetching() {
        guard !files.fetchers.isEmpty else { return }
        for worker in files.fetchers.sorted() {
            let tokens = workers[worker].sent.fetchingTokens
            if tokens.isEmpty { files.endFetching(at: worker) }
            // A silent worker gives no answer, and a draining one was asked for all of them.
            guard workers[worker].isOpen else { continue }
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
        let requirement = graph.requirement(of: node)
        let free: WorkerIndex? =
            if let requirement { freeWorker(for: requirement) } else { workers.freeWorker }
        guard let free else { return false }
        return couldHoldFiles(of: node, at: free)
    }
}

/// Reports about fetches.
@_spi(Baton) extension Scheduler {
    /// The impediment of an operation whose worker fetches files for it; nil for any other operation.
    ///
    /// - Complexity: O(dependencies + files); O(1) without any.
    public func fetch(of id: OperationID) -> Impediment? { graph.node(for: id).flatMap { fetch(of: graph[$0]) } }

    /// The fetches of a worker, in order.
    ///
    /// - Complexity: O(attempts that wait for files · (dependencies + files)).
    public func fetches(onWorker name: String) -> [WorkerFetch] {
        guard let worker = workers.index(ofName: name) else { return [] }
        let fetches = workers[worker].sent.fetchingTokens.compactMap { token -> WorkerFetch? in
            guard let place = node(of: token, at: worker),
                case .fetching(_, let files, let bytes, let present)? = fetch(of: graph[place])
            else { return nil }
            return WorkerFetch(operation: graph.id(of: graph[place]), files: files, bytes: bytes, present: present)
        }
        return fetches.sorted { $0.operation < $1.operation }
    }
}

extension Scheduler {
    /// The most bytes that are told.
    static let mostCounted: Int64 = 1 << 60

    /// The impediment of an attempt whose worker fetches its files; nil for any other attempt, and once all files are there.
    ///
    /// - Complexity: O(dependencies + files).
    func fetch(of node: OperationNode) -> Impediment? {
        guard isFetching(node), !node.isRecalled, let worker = node.worker, let token = token(of: node) else {
            return nil
        }
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
        // The bytes of incomplete files count, too.
        present = max(present, min(bytes, workers[worker].sent.present(of: token)))
        return .fetching(worker: workerName(of: node), files: missing, bytes: bytes, present: present)
    }
}
