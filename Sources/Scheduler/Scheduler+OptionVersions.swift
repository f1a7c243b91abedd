import BatonOperations

/// Workers that do not know all options of operations.
///
/// As long as all workers know all options, versions of the option set play no part. From the first older worker on, a needed
/// version is a type of its own, which the newer workers run: an operation with a newer option never goes to an older worker.
extension Scheduler {
    /// The types that stand for the versions that a worker knows; none as long as versions play no part.
    func versionTypes(of introduction: WorkerIntroduction) -> [String] {
        distinguishesVersions
            ? Work.types(ofOptionVersion: introduction.optionVersion, with: introduction.types) : []
    }

    /// Begins to distinguish versions if a worker joins that does not know all options.
    ///
    /// - Complexity: O(workers + ready nodes) once, otherwise O(1).
    mutating func distinguishVersions(for newcomer: WorkerIntroduction) {
        guard !distinguishesVersions, newcomer.optionVersion < OperationOption.newestVersion else { return }
        let waiting = takeNewerOnesOutOfLine()
        distinguishesVersions = true
        for place in workers.places where !workers[place].isAbsent {
            let told = workers[place].introduction.heldBytes
            let added = versionTypes(of: workers[place].introduction)
            changeWorker(place) { $0.introduction.types += added }
            introductionBytes += workers[place].introduction.heldBytes - told
            types.seat(place, types: workers[place].introduction.types)
            types.setFreeSlots(of: place, to: workers[place].freeSlots)
        }
        for place in waiting { putInLine(place) }
    }

    /// Takes the nodes that need a newer version out of their lines.
    ///
    /// Stale entries are removed too, because such a node would come back to its old line.
    ///
    /// - Returns: the nodes that have to stand in line.
    private mutating func takeNewerOnesOutOfLine() -> [Int32] {
        var waiting: [Int32] = []
        for queue in queues.indices {
            for type in [nil] + queues[queue].typedLines.keys.map(Optional.some) {
                var others: [ReadyEntry] = []
                for entry in queues[queue].line(of: type).entries.elements {
                    let place = nodes.resolve(entry.node)
                    let isNewer = place.map(needsNewerVersion) ?? false
                    if isCurrent(entry), !isNewer {
                        others.append(entry)
                    } else if let place, isNewer || nodes[place].rank == entry.rank {
                        if isCurrent(entry) { waiting.append(place) }
                        nodes[place].isInLine = false
                    }
                }
                queues[queue].changeLine(of: type) { $0 = ReadyLine(entries: BinaryHeap(others)) }
            }
        }
        return waiting
    }

    private func needsNewerVersion(_ place: Int32) -> Bool {
        let job = nodes[place].job
        guard !jobs[job].neededTypes.isEmpty else { return false }
        let template = Int(jobs[job].entries[Int(nodes[place].entry)].template)
        return jobs[job].neededTypes[template] != (jobs[job].types.isEmpty ? nil : jobs[job].types[template])
    }
}
