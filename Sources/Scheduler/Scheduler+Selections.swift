import BatonOperations

/// The operations that users mean.
extension Scheduler {
    /// The unfinished nodes that are meant, each once, in the order in which they are named.
    ///
    /// All that is meant gets nodes of its own before anything is changed: what one change makes impossible may be meant by
    /// the next selection, and no block may be cut while a skip of it is outstanding.
    mutating func select(_ selections: [OperationSelection]) -> [Int32] {
        for selection in selections {
            switch selection {
            case .operation(let id):
                separate(id.job, from: id.index)
                separate(id.job, from: id.index.addingReportingOverflow(1).partialValue)
            case .operations(let job, let range):
                separate(job, from: range.lowerBound)
                separate(job, from: range.upperBound)
            case .job, .queue: break
            }
        }
        var seen: Set<Int32> = []
        return selections.flatMap { nodesHeld(by: $0) }.filter { seen.insert($0).inserted }
    }

    /// Sentences about what is meant singly and is finished.
    func notes(onFinished selections: [OperationSelection], _ consequence: String) -> [String] {
        selections.compactMap { selection in
            switch selection {
            case .operation(let id) where node(for: id) == nil: "\(id) is finished; \(consequence)."
            case .operations(let job, let range)
            where range.count == 1 && node(for: OperationID(job: job, index: range.lowerBound)) == nil:
                "\(job)/\(range.lowerBound) is finished; \(consequence)."
            case .job(let job) where jobPlaces[job] == nil: "Job \(job) is finished; \(consequence)."
            default: nil
            }
        }
    }

    /// The unfinished nodes that a selection means, in the order of their submission.
    func nodesHeld(by selection: OperationSelection) -> [Int32] {
        switch selection {
        case .operation(let id):
            return node(for: id).map { [$0] } ?? []
        case .operations(let number, let range):
            return jobPlaces[number].map { unfinishedNodes(of: $0) }?.filter { place in
                nodes[place].index < range.upperBound && nodes[place].index + nodes[place].count > range.lowerBound
            } ?? []
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
        jobs[job].entries.indices.flatMap { unfinishedNodes(of: job, inEntry: $0) }
    }

    /// The nodes of an entry of a job in the order of their indices.
    func unfinishedNodes(of job: Int32, inEntry entry: Int) -> [Int32] {
        let entry = jobs[job].entries[entry]
        guard entry.array >= 0 else { return entry.node >= 0 ? [entry.node] : [] }
        let array = jobs[job].arrays[Int(entry.array)]
        return (array.blocks + array.elements.values).sorted { nodes[$0].index < nodes[$1].index }
    }
}
