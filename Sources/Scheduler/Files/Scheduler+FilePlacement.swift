@_spi(Baton) import BatonOperations

/// The choice of a worker by the files that it has: among free workers, the one with most of the bytes.
extension Scheduler {
    /// The most dependencies with files, and files of each, that are looked at: each dispatch looks.
    private static let mostPlaced = 128

    /// The free worker with the most bytes of the files that an operation needs; nil if none has any.
    ///
    /// - Complexity: O(dependencies + files · copies), within limits.
    func freeHolder(for candidate: Candidate) -> WorkerIndex? {
        var bytes: [WorkerIndex: Int64] = [:]
        for id in firstFileSources(of: graph[candidate.node], most: Self.mostPlaced) {
            for file in files[id]?.files.prefix(Self.mostPlaced) ?? [] {
                // The sizes are what workers say.
                let size = max(0, min(file.size, 1 << 48))
                for holder in files.holders(of: file.digest) where workers[holder].freeSlots > 0 {
                    bytes[holder, default: 0] += size
                }
            }
        }
        let request = candidate.requirement?.request.map { graph.requests[$0] }
        let able = bytes.filter { worker, count in
            guard count > 0, workers[worker].failing == nil else { return false }
            return candidate.requirement.map { canStart($0, request, at: worker) } ?? true
        }
        return able.max { left, right in
            (left.value, workers[left.key].freeSlots, right.key) < (right.value, workers[right.key].freeSlots, left.key)
        }?.key
    }
}
