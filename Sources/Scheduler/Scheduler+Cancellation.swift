import Operations

extension Scheduler {
    mutating func cancel(_ targets: [CancellationTarget], request: RequestID) {
        var met = 0
        for target in targets {
            switch target {
            case .operation(let id):
                guard let node = node(for: id) else { continue }
                met += cancel(isolate(id, in: node))
            case .job(let number):
                guard let job = jobPlaces[number] else { continue }
                for node in unfinishedNodes(of: job) { met += cancel(node) }
            case .queue(let name):
                guard let queue = queuePlaces[name] else { continue }
                for job in jobPlaces.keys.sorted().compactMap({ jobPlaces[$0] }) {
                    for node in unfinishedNodes(of: job) where nodes[node].queue == queue { met += cancel(node) }
                }
            }
        }
        emit(.answer(request, .cancelled(met)))
    }

    /// - Returns: how many operations this was.
    private mutating func cancel(_ node: Int32) -> Int {
        let count = Int(nodes[node].count)
        let reason = Reason(.cancelled, "Its cancellation was asked for.")
        advance(node, on: .cancellationRequested, Circumstances(reason: reason))
        return count
    }

    /// The nodes of a job in the order of their indices.
    ///
    /// - Complexity: O(entries + nodes log nodes).
    func unfinishedNodes(of job: Int32) -> [Int32] {
        var result: [Int32] = []
        for entry in jobs[job].entries {
            if entry.array >= 0 {
                let array = jobs[job].arrays[Int(entry.array)]
                result += (array.blocks + array.elements.values).sorted { nodes[$0].index < nodes[$1].index }
            } else if entry.node >= 0 {
                result.append(entry.node)
            }
        }
        return result
    }
}
