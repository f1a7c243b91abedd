@_spi(Baton) import BatonOperations

/// Workers that do not know all options of operations.
///
/// As long as all workers know all options, versions of the option set play no part. From the first older worker on, a needed
/// version is a type of its own, which the newer workers run: an operation with a newer option never goes to an older worker.
extension Scheduler {
    /// The types that stand for the versions that a worker knows; none as long as versions play no part.
    func versionTypes(of introduction: WorkerIntroduction) -> [String] {
        graph.distinguishesVersions
            ? Work.types(ofOptionVersion: introduction.optionVersion, with: introduction.types) : []
    }

    /// Begins to distinguish versions if a worker joins that does not know all options.
    ///
    /// - Complexity: O(workers + ready nodes) once, otherwise O(1).
    mutating func distinguishVersions(for newcomer: WorkerIntroduction) {
        guard !graph.distinguishesVersions, newcomer.optionVersion < OperationOption.newestVersion else { return }
        let waiting = dequeue { graph, node in graph.needsNewerVersion(node) }
        graph.distinguishesVersions = true
        for place in workers.indexes where !workers[place].isAbsent {
            let introduction = workers[place].introduction
            workers.addTypes(versionTypes(of: introduction), to: place)
        }
        for place in waiting { enqueue(place) }
    }

    /// Takes nodes out of the ready queues whose requirements are about to change.
    ///
    /// Stale entries are removed too, because such a node would come back to its old line.
    ///
    /// - Returns: the nodes that have to be enqueued again.
    mutating func dequeue(where isMeant: (Graph, NodeIndex) -> Bool) -> [NodeIndex] {
        var waiting: [NodeIndex] = []
        for queue in queues.indexes {
            for requirement in [nil] + queues[queue].specialLines.keys.map(Optional.some) {
                var others: [ReadyEntry] = []
                for entry in queues[queue].line(for: requirement).entries.elements {
                    let place = graph.resolve(entry.node)
                    let isChanging = place.map { isMeant(graph, $0) } ?? false
                    if isCurrent(entry), !isChanging {
                        others.append(entry)
                    } else if let place, graph[place].rank == entry.rank {
                        // An entry of an earlier priority says nothing about the present one, which may follow.
                        if isCurrent(entry) { waiting.append(place) }
                        graph[place].isInLine = false
                    }
                }
                queues[queue].changeLine(for: requirement) { $0 = ReadyLine(entries: BinaryHeap(others)) }
            }
        }
        return waiting
    }
}
