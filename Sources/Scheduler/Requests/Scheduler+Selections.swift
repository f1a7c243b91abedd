@_spi(Baton) import BatonOperations

/// Finding the nodes of selections.
extension Scheduler {
    /// The unfinished nodes of selections, each node once, in the order of the selections.
    ///
    /// All blocks are split before any node is changed: a change may skip operations of the next selection, and no block may
    /// be split while a skip of the block is pending.
    mutating func select(_ selections: [OperationSelection]) -> [NodeIndex] {
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
        var places: [NodeIndex]
        if selections.count == 1 {
            // No selection has a node twice.
            places = nodes(in: selections[0])
        } else {
            var seen: Set<NodeIndex> = []
            places = selections.flatMap { nodes(in: $0) }.filter { seen.insert($0).inserted }
        }
        if let firstLaterAge = current.firstLaterAge { places.removeAll { graph[$0].sequence >= firstLaterAge } }
        return places
    }

    /// Notes about finished operations and jobs that are selected singly.
    func notes(onFinished selections: [OperationSelection], _ consequence: String) -> [String] {
        selections.compactMap { selection in
            switch selection {
            case .operation(let id) where graph.node(for: id) == nil: "\(id) is finished; \(consequence)."
            case .operations(let job, let range)
            where range.count == 1 && graph.node(for: OperationID(job: job, index: range.lowerBound)) == nil:
                "\(job)/\(range.lowerBound) is finished; \(consequence)."
            case .job(let job) where graph.job(job) == nil: "Job \(job) is finished; \(consequence)."
            default: nil
            }
        }
    }

    /// The unfinished nodes of a selection, in the order of submission.
    func nodes(in selection: OperationSelection) -> [NodeIndex] {
        switch selection {
        case .operation(let id):
            return graph.node(for: id).map { [$0] } ?? []
        case .operations(let number, let range):
            return graph.job(number).map { graph.unfinishedNodes(of: $0) }?.filter { place in
                graph[place].index < range.upperBound && graph[place].index + graph[place].count > range.lowerBound
            } ?? []
        case .job(let number):
            return graph.job(number).map { graph.unfinishedNodes(of: $0) } ?? []
        case .queue(let name):
            guard let queue = queues.index(ofName: name) else { return [] }
            return graph.unfinishedNodes(ofQueue: queue)
        }
    }
}
