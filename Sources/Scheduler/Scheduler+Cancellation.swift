import Operations

extension Scheduler {
    mutating func cancel(_ targets: [OperationSelection], request: RequestID) {
        // All that is meant gets its node before anything is cancelled: what one cancellation makes impossible may be meant
        // by the next target, and no block may be cut while a skip of it is outstanding.
        for target in targets {
            switch target {
            case .operation(let id):
                separate(id.job, from: id.index)
                separate(id.job, from: id.index.addingReportingOverflow(1).partialValue)
            case .operations(let job, let range):
                separate(job, from: range.lowerBound)
                separate(job, from: range.upperBound)
            case .job, .queue: break
            }
        }
        var met = 0
        var seen: Set<Int32> = []
        for node in targets.flatMap(nodes(of:)) where seen.insert(node).inserted {
            met += Int(nodes[node].count)
            let reason = Reason(.cancelled, "Its cancellation was asked for.")
            advance(node, on: .cancellationRequested, Circumstances(reason: reason))
        }
        emit(.answer(request, .cancelled(met)))
    }

    /// The unfinished nodes that a target means, in the order of their submission.
    private func nodes(of target: OperationSelection) -> [Int32] {
        switch target {
        case .operation(let id):
            return node(for: id).map { [$0] } ?? []
        case .operations(let number, let range):
            return jobPlaces[number].map { unfinishedNodes(of: $0) }?.filter { range.contains(nodes[$0].index) } ?? []
        case .job(let number):
            return jobPlaces[number].map { unfinishedNodes(of: $0) } ?? []
        case .queue(let name):
            guard let queue = queuePlaces[name] else { return [] }
            return jobPlaces.keys.sorted().flatMap { number in
                jobPlaces[number].map { unfinishedNodes(of: $0) } ?? []
            }.filter { nodes[$0].queue == queue }
        }
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
