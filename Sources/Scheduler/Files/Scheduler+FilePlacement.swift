@_spi(Baton) import BatonOperations

/// The choice of a worker by the files that it has (FI4, FI5).
///
/// Among free workers, one that has all files of an operation comes first, and then the one with most of the bytes. Nothing waits for
/// a worker that has them: another one fetches them first, unless the files are above its limit.
extension Scheduler {
    /// The most dependencies with files, and files of each, that are looked at: each dispatch looks.
    private static let mostPlaced = 128

    /// Where an operation may be sent that may need files.
    enum FilePlace {
        /// The operation needs none, or no worker could fetch any.
        case anywhere
        /// A slot of a worker that has all of them.
        case slot(WorkerIndex)
        /// A worker that fetches them first, without a slot.
        case fetching(WorkerIndex)
        /// No slot is free: the operation is sent ahead to a worker that has all of its files.
        case ahead(Set<WorkerIndex>)
        /// Nowhere: the workers fetch files for as many attempts as they may, had no room for as many bytes lately, or may not keep them.
        case nowhere
    }

    /// The bytes of the files that a worker has.
    struct FileShare {
        var files = 0
        var bytes: Int64 = 0
    }

    /// Returns the workers to which an operation may be sent, by the files that it needs.
    ///
    /// - Parameter free: a worker that could start the operation at once; nil without one.
    /// - Complexity: O(dependencies + files · copies), within limits; O(workers) if the free worker may not fetch, or without one;
    ///   O(dependencies + files) if a worker seems to have all files.
    @inline(never)
    func place(byFilesOf node: OperationNode, _ requirement: Requirement?, free: WorkerIndex?) -> FilePlace {
        let (shares, count, bytes) = fileShares(of: node)
        guard count > 0 else { return .anywhere }
        let whole = shares.filter { $0.value.files == count }.map(\.key)
        guard let free else { return placeAhead(node, requirement, shares, bytes, whole: whole) }
        let request = requirement?.request.map { graph.requests[$0] }
        let holders = whole.filter { worker in
            workers[worker].failing == nil && couldStart(requirement, request, at: worker)
                && !isToFetch(node, at: worker)
        }
        if let holder = best(of: holders, shares) { return .slot(holder) }
        let sharers = shares.keys.filter { worker in
            workers[worker].failing == nil && mayFetch(bytes, beside: shares[worker], at: worker)
                && couldStart(requirement, request, at: worker)
        }
        if let sharer = best(of: sharers, shares) { return .fetching(sharer) }
        if mayFetch(bytes, beside: shares[free], at: free) { return .fetching(free) }
        let others = workers.indexes.filter {
            mayFetch(bytes, beside: shares[$0], at: $0) && couldStart(requirement, request, at: $0)
        }
        if let other = best(of: others, shares) { return .fetching(other) }
        return workers[free].introduction.knowsFiles ? .nowhere : .anywhere
    }

    /// Whether a worker could start an operation at once, with or without a requirement.
    func couldStart(_ requirement: Requirement?, _ request: ResourceRequest?, at worker: WorkerIndex) -> Bool {
        requirement.map { canStart($0, request, at: worker) } ?? (workers[worker].freeSlots > 0)
    }

    /// Whether an operation could be sent to a worker to fetch its files there, if the worker fetched for one attempt less.
    func couldFetch(_ requirement: Requirement?, at worker: WorkerIndex) -> Bool {
        let request = requirement?.request.map { graph.requests[$0] }
        if couldStart(requirement, request, at: worker) { return true }
        return workers.freeWorker == nil && requirement?.type == nil && requirement?.request == nil
            && workers[worker].takesFetchesAhead && hasTime(worker, for: requirement)
    }

    /// Where an operation may be sent for which no slot is free.
    ///
    /// The files are fetched early, unless a worker has all of them, which may be the one that is free first. What asks for
    /// resources or has a type gets no worker before there is a slot, as for any attempt ahead.
    private func placeAhead(
        _ node: OperationNode,
        _ requirement: Requirement?,
        _ shares: [WorkerIndex: FileShare],
        _ bytes: Int64,
        whole: [WorkerIndex]
    ) -> FilePlace {
        guard requirement?.type == nil, requirement?.request == nil else { return .anywhere }
        let holders = whole.filter { worker in
            workers[worker].isOpen && workers[worker].failing == nil && hasTime(worker, for: requirement)
                && !isToFetch(node, at: worker)
        }
        if !holders.isEmpty { return .ahead(Set(holders)) }
        let able = workers.indexes.filter { worker in
            mayFetch(bytes, beside: shares[worker], at: worker) && workers[worker].takesFetchesAhead
                && hasTime(worker, for: requirement)
        }
        return best(of: able, shares).map { .fetching($0) } ?? .nowhere
    }

    /// The worker with the most bytes, and among these the one with the fewest attempts for its slots.
    private func best(of able: some Sequence<WorkerIndex>, _ shares: [WorkerIndex: FileShare]) -> WorkerIndex? {
        /// What makes a worker better, in order.
        func rank(of worker: WorkerIndex) -> (Int64, Int, Int) {
            (
                shares[worker]?.bytes ?? 0, workers[worker].introduction.slots - workers[worker].attemptsForSlots,
                -workers[worker].sent.fetchingCount
            )
        }
        var best: (worker: WorkerIndex, rank: (Int64, Int, Int))?
        for worker in able {
            let own = rank(of: worker)
            // The order of the workers, which a set of them does not have, decides between equal ones.
            if let known = best, own < known.rank || own == known.rank && known.worker < worker { continue }
            best = (worker, own)
        }
        return best?.worker
    }

    /// Whether a worker may be sent an attempt that needs so many bytes, some of which it has.
    private func mayFetch(_ bytes: Int64, beside share: FileShare?, at worker: WorkerIndex) -> Bool {
        workers[worker].hasRoomToFetch(bytes - (share?.bytes ?? 0), at: now) && workers[worker].couldKeep(bytes)
    }

    /// Whether a worker may keep the files that an operation needs, or has all of them.
    func couldHoldFiles(of node: OperationNode, at worker: WorkerIndex) -> Bool {
        workers[worker].couldKeep(bytesOfFiles(neededBy: node)) || !isToFetch(node, at: worker)
    }

    /// The bytes of the files that an operation needs, of very many those of the first.
    func bytesOfFiles(neededBy node: OperationNode) -> Int64 {
        node.hasInputs && !files.isEmpty ? fileShares(of: node).bytes : 0
    }

    /// Has a worker fetch less than an operation needs for a while, as it had no room for that.
    mutating func noteNoRoom(for node: OperationNode, at worker: WorkerIndex) {
        let (shares, _, bytes) = fileShares(of: node)
        let (missing, moment) = (max(1, bytes - (shares[worker]?.bytes ?? 0)), now)
        workers.change(worker) { worker in
            if worker.fetchPause == nil {
                worker.fetchPause = FetchPause(after: missing, at: moment)
            } else {
                worker.fetchPause?.extend(after: missing, at: moment)
            }
        }
    }

    /// Whether a worker fetches the files of an operation not now, because it had no room for as many bytes.
    func isPaused(_ worker: WorkerIndex, for node: OperationNode) -> Bool {
        guard let pause = workers[worker].fetchPause, now < pause.until else { return false }
        let (shares, _, bytes) = fileShares(of: node)
        return pause.forbids(bytes - (shares[worker]?.bytes ?? 0), at: now)
    }

    /// Whether a worker had no room for the files of an operation when it was asked last, so that it is asked again now and then.
    func lacksRoom(_ worker: WorkerIndex, for node: OperationNode) -> Bool {
        guard let pause = workers[worker].fetchPause else { return false }
        let (shares, _, bytes) = fileShares(of: node)
        return pause.lacksRoom(for: bytes - (shares[worker]?.bytes ?? 0))
    }

    /// What workers have of the first files that an operation needs, and the number and the bytes of those with different contents.
    func fileShares(
        of node: OperationNode
    ) -> (shares: [WorkerIndex: FileShare], count: Int, bytes: Int64) {
        var shares: [WorkerIndex: FileShare] = [:]
        var seen: Set<ContentDigest> = []
        var bytes: Int64 = 0
        for id in firstFileSources(of: node, most: Self.mostPlaced) {
            for file in files[id]?.files.prefix(Self.mostPlaced) ?? [] where seen.insert(file.digest).inserted {
                bytes += Self.counted(file)
                for holder in files.holders(of: file.digest) {
                    shares[holder, default: FileShare()].files += 1
                    shares[holder, default: FileShare()].bytes += Self.counted(file)
                }
            }
        }
        return (shares, seen.count, bytes)
    }

    /// The size of a file as it counts; the sizes are what workers say.
    static func counted(_ file: KeptFile) -> Int64 { max(0, min(file.size, 1 << 48)) }
}
