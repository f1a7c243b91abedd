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
            guard let end = end(of: dependency.target, job: node.job, &times) else { return nil }
            moment = max(moment, end)
        }
        return min(moment, now)
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
