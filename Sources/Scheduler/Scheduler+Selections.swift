import BatonOperations

/// Finding the nodes of selections.
extension Scheduler {
    /// The unfinished nodes of selections, each node once, in the order of the selections.
    ///
    /// All blocks are split before any node is changed: a change may skip operations of the next selection, and no block may
    /// be split while a skip of the block is pending.
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

    /// Notes about finished operations and jobs that are selected singly.
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

    /// The unfinished nodes of a selection, in the order of submission.
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

    /// The unfinished nodes of a job, ordered by index.
    ///
    /// - Complexity: O(entries + nodes log nodes).
    func unfinishedNodes(of job: Int32) -> [Int32] {
        jobs[job].entries.indices.flatMap { unfinishedNodes(of: job, inEntry: $0) }
    }

    /// The unfinished nodes of an entry of a job, ordered by index.
    func unfinishedNodes(of job: Int32, inEntry entry: Int) -> [Int32] {
        let entry = jobs[job].entries[entry]
        guard entry.array >= 0 else { return entry.node >= 0 ? [entry.node] : [] }
        let array = jobs[job].arrays[Int(entry.array)]
        return (array.blocks + array.elements.values).sorted { nodes[$0].index < nodes[$1].index }
    }
}
