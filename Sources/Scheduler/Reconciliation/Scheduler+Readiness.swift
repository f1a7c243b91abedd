@_spi(Baton) import BatonOperations

/// When restored operations became ready, so that a restart does not shorten their waits.
extension Scheduler {
    /// When a restored operation that waits for nothing became ready: at its submission, at a moment in its own record, or at the
    /// last end of its dependencies; nil if the record does not tell.
    ///
    /// No condition but the end of a dependency is met without a trace in the operation's own record: the end of a hold, the
    /// end of a delay, and the removal of a dependency.
    func readyMoment(of place: NodeIndex, _ times: inout RecordedTimes) -> Timestamp? {
        let node = graph[place]
        guard var moment = node.readyAt else { return nil }
        for dependency in graph.dependencies(of: node) {
            guard let end = end(of: dependency, for: node, &times) else { return nil }
            moment = max(moment, end)
        }
        return min(moment, now)
    }

    /// When a dependency of a node finished; nil if it has not, or if the record does not tell.
    private func end(of dependency: Dependency, for node: OperationNode, _ times: inout RecordedTimes) -> Timestamp? {
        let target = dependency.target
        guard let first = graph.element(target, for: node.index, inEntry: Int(node.entry), of: node.job) else {
            return end(of: target, job: node.job, &times)
        }
        let address = graph.address(of: target, job: node.job)
        return end(ofElementsFrom: first, count: node.count, in: address, &times)
    }

    /// When the last of the elements finished for which the operations of a node wait one by one; nil if one of them has not, or if the
    /// record does not tell.
    ///
    /// - Parameter address: all elements for which the array of the node waits.
    private func end(
        ofElementsFrom first: OperationID,
        count: UInt32,
        in address: Address,
        _ times: inout RecordedTimes
    ) -> Timestamp? {
        guard graph.node(for: first) == nil else { return nil }
        guard graph.job(first.job) != nil else { return times.end(of: address) }
        return times.lastEnd(in: first.index..<first.index + count, of: first.job)
    }

    /// When a dependency of one of a job's operations finished; nil if it has not, or if the record does not tell.
    private func end(of target: Dependency.Target, job: JobIndex, _ times: inout RecordedTimes) -> Timestamp? {
        let source = graph.source(of: target, job: job)
        if let join = graph.join(of: source), join.unfinished > 0 { return nil }
        switch source {
        case .node:
            return nil
        case .gone(let address):
            return times.end(of: graph.withoutName(address))
        case .array(let other, let array):
            let entry = graph[other].entries[graph[other].arrays[array.offset].entry]
            return times.lastEnd(in: entry.first..<entry.first + entry.count, of: graph[other].number)
        case .job(let other):
            return times.lastEnd(in: 0..<UInt32(graph[other].operationCount), of: graph[other].number)
        }
    }
}
