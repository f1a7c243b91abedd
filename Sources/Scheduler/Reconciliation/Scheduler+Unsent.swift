@_spi(Baton) import BatonOperations

/// The operations that no earlier coordinator can have sent without a trace in the record (D3).
extension Scheduler {
    /// Notes the restored nodes that were certainly not sent, so that no number is passed over for them.
    ///
    /// The record is the state of some moment before the crash, and lacks only dispatches that the ends of attempts caused
    /// (``mustBeCommitted(_:)``). Therefore an operation was not sent if it is held or delayed in the record, or if all its
    /// dispatches are on disk first. Nor was any that depends on such an operation: the operation did not run, and if it
    /// finished otherwise, the dispatch of its dependents was on disk first.
    ///
    /// If a job may miss attempts since an earlier crash, a dependent of the job may have been sent before that crash. What is held
    /// or delayed was not: after that crash, a hold has recorded the passed-over number.
    ///
    /// - Parameter first: the first job that no coordinator without these rules has had.
    /// - Complexity: O(nodes and their edges).
    mutating func noteUnsent(from first: JobNumber) {
        var open: [NodeIndex] = []
        for place in graph.nodeIndexes where graph[place].token == nil && graph[graph[place].job].number >= first {
            guard graph[place].isHeld || graph[place].notBefore != nil || mustBeCommitted(place) else { continue }
            graph[place].isUnsent = true
            open.append(place)
        }
        var seen: Set<EdgeTable.Index> = []
        while let place = open.popLast() {
            if !graph.elementTable.isEmpty { noteUnsentElements(after: place, from: first, &open) }
            let job = graph[graph[place].job]
            let array = job.entries[Int(graph[place].entry)].array.flatMap { job.arrays[$0.offset].join.dependents }
            for head in [graph[place].dependents, array, job.join.dependents] {
                guard let head, seen.insert(head).inserted else { continue }
                for edge in graph.edges(from: head) {
                    guard let dependent = graph.resolve(edge.dependent), !graph[dependent].isUnsent,
                        graph[dependent].token == nil, graph[graph[dependent].job].number >= first,
                        !graph[graph[dependent].job].mayMissAttempts
                    else { continue }
                    graph[dependent].isUnsent = true
                    open.append(dependent)
                }
            }
        }
    }

    /// Notes the operations that wait for certainly unsent elements one by one.
    private mutating func noteUnsentElements(
        after place: NodeIndex,
        from first: JobNumber,
        _ open: inout [NodeIndex]
    ) {
        let node = graph[place]
        guard let array = graph[node.job].entries[Int(node.entry)].array else { return }
        for dependent in graph.elementTable.dependents(on: array, of: node.job) {
            let targets = (node.index..<node.index + node.count).clamped(to: dependent.targets)
            guard !targets.isEmpty, let job = graph.resolve(dependent.job), graph[job].number >= first,
                !graph[job].mayMissAttempts
            else { continue }
            let start = graph[job].entries[dependent.entry].first + (targets.lowerBound - dependent.targets.lowerBound)
            let waiting = start..<start + UInt32(targets.count)
            for other in graph.nodes(ofEntry: dependent.entry, overlapping: waiting, in: job)
            where !graph[other].isUnsent && graph[other].token == nil {
                // A block is unsent if all of its operations are: what is beside these may have been sent.
                let range = graph[other].index..<graph[other].index + graph[other].count
                guard waiting.clamped(to: range) == range else { continue }
                graph[other].isUnsent = true
                open.append(other)
            }
        }
    }

    /// Whether an earlier coordinator may have sent a first attempt of an operation that the record lacks.
    func mayMissAttempt(of place: NodeIndex) -> Bool { graph[place].attempt == 0 && !graph[place].isUnsent }
}
