@_spi(Baton) import BatonOperations

/// Why no worker fetches the files of an operation.
extension Scheduler {
    /// Why workers are not asked to fetch files for a while, in a sentence.
    static let noRoomForFiles =
        "The files that this operation needs find no room beside those that it has to keep (--files-limit)."

    /// The wait of a ready operation for the fetches of others, for workers without room for its files, or for one that may keep them; nil
    /// if none of these keeps it from a worker.
    func awaitedFetches(of node: OperationNode) -> Impediment? {
        guard node.hasInputs, !files.haveNoCopies else { return nil }
        let requirement = graph.requirement(of: node)
        let free: WorkerIndex? =
            if let requirement { freeWorker(for: requirement) } else { workers.freeWorker }
        guard let free, case .nowhere = place(byFilesOf: node, requirement, free: free) else { return nil }
        if let lack = lackOfRoom(for: node) { return lack }
        if let excess = excessOfFiles(of: node, amongFree: true) { return excess }
        guard !files.fetchers.isEmpty else { return nil }
        return .fetches(operations: files.fetchers.reduce(0) { $0 + workers[$1].sent.fetchingCount })
    }

    /// What people are told of an operation whose worker fetches its files; nil for any other operation.
    ///
    /// As long as the worker is only asked again after it had no room, this is the lack of room: the answer does not change with each try.
    func shownFetch(of node: OperationNode) -> Impediment? {
        guard let fetch = fetch(of: node) else { return nil }
        guard let worker = node.worker, lacksRoom(worker, for: node) else { return fetch }
        return lackOfRoom(for: node) ?? fetch
    }

    /// The workers that had no room for the files of an operation when they were asked last; nil if there are none.
    private func lackOfRoom(for node: OperationNode) -> Impediment? {
        let requirement = graph.requirement(of: node)
        let lacking = workers.indexes.filter { lacksRoom($0, for: node) && suits($0, requirement) }
            .map { workers[$0].introduction.name }.sorted()
        guard let first = lacking.first else { return nil }
        return .noRoom(worker: first, reason: Self.noRoomForFiles, others: lacking.count - 1)
    }

    /// The size of the files of a ready operation, if it is above the limits of the workers that could take the operation otherwise.
    ///
    /// A worker that has all of the files can take the operation, whatever its limit is.
    ///
    /// - Parameter isAmongFree: whether only workers are meant that could start the operation now. The answer then names another one, if
    ///   there is one that may keep the files.
    /// - Complexity: O(workers + dependencies + files · copies), within limits; O(1) for an operation without files.
    func excessOfFiles(of node: OperationNode, amongFree isAmongFree: Bool) -> Impediment? {
        guard node.hasInputs, !files.isEmpty else { return nil }
        let requirement = graph.requirement(of: node)
        let request = requirement?.request.map { graph.requests[$0] }
        let (shares, count, bytes) = fileShares(of: node)
        guard count > 0 else { return nil }
        var largest: (limit: Int64, name: String)?
        var able: [String] = []
        for worker in workers.runners where !workers[worker].isAbsent && suits(worker, requirement) {
            let (limit, name) = (workers[worker].introduction.filesLimit, workers[worker].introduction.name)
            if let limit, bytes > limit, shares[worker]?.files != count {
                if let known = largest, (limit, known.name) < (known.limit, name) { continue }
                largest = (limit, name)
            } else {
                guard isAmongFree, !couldStart(requirement, request, at: worker) else { return nil }
                able.append(name)
            }
        }
        return largest.map { .largeFiles(bytes: bytes, limit: $0.limit, worker: $0.name, able: able.min()) }
    }

    /// Whether a worker may run what has a requirement, once nothing else takes its slots and resources.
    func suits(_ worker: WorkerIndex, _ requirement: Requirement?) -> Bool {
        guard let requirement else { return true }
        let introduction = workers[worker].introduction
        if let type = requirement.type, !introduction.types.contains(type) { return false }
        guard hasTime(worker, for: requirement) else { return false }
        guard let request = requirement.request.map({ graph.requests[$0] }) else { return true }
        return introduction.offer.hasRoom(for: request) && introduction.offer.meetsLabels(of: request)
    }
}
