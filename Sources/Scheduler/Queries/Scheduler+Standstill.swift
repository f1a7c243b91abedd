@_spi(Baton) public import BatonOperations

/// An operation that does not run, and its impediments.
@_spi(Baton) public struct StillOperation: Hashable, Sendable {
    /// The operation; nil for all operations of a queue, and for an open job.
    public var operation: OperationID?
    /// What somebody could change about it.
    public var impediments: [Impediment]
}

/// Why nothing runs of what somebody waits for.
@_spi(Baton) extension Scheduler {
    /// What keeps some operations from running while nothing of them runs and nothing of them is about to.
    ///
    /// Of a dependency, the first operation counts that waits for no other. Different operations with the same reasons count
    /// once. A wait for a time, for a worker that was sent the operation, or for the workers of before a restart is no reason.
    /// Behind a barrier, the barrier itself is none either.
    ///
    /// - Parameters:
    ///   - selections: the operations.
    ///   - limit: the most operations with different reasons.
    /// - Returns: the operations with their reasons; empty if something runs, or if nothing is found among the operations that
    ///   are looked at.
    /// - Complexity: O(operations looked at · workers), of which there are at most a few thousand, however many the selections
    ///   have.
    public func standstill(of selections: [OperationSelection], limit: Int) -> [StillOperation] {
        guard !selections.contains(where: isMoving) else { return [] }
        var search = StandstillSearch()
        for selection in selections {
            if case .queue(let name) = selection {
                searchQueue(name, &search)
            } else {
                if case .job(let number) = selection, let job = graph.job(number) { noteIfOnlyOpen(job, &search) }
                for range in search.ranges(of: selection, sizes: { graph.job($0).map { graph[$0].operationCount } }) {
                    searchOperations(range, of: selection, &search)
                }
            }
            if search.isMoving { return [] }
        }
        var found: [StillOperation] = []
        for place in search.roots {
            let impediments = mendable(at: place)
            guard !impediments.isEmpty, !found.contains(where: { $0.impediments == impediments }) else { continue }
            found.append(StillOperation(operation: graph.id(at: place), impediments: impediments))
            if found.count == limit { break }
        }
        return found + (found.isEmpty ? search.wholes : [])
    }

    /// Whether the counts alone tell that an operation of a selection runs or was sent.
    private func isMoving(_ selection: OperationSelection) -> Bool {
        switch selection {
        case .job(let job): graph.job(job).map { graph[$0].counts.executing > 0 } ?? false
        case .queue(let name):
            queues.index(ofName: name).map { queues[$0].counts.executing + queues[$0].sentCount > 0 } ?? false
        case .operation, .operations: false
        }
    }

    /// Looks at the operations with some indices in turn.
    private func searchOperations(
        _ indices: Range<UInt32>,
        of selection: OperationSelection,
        _ search: inout StandstillSearch
    ) {
        guard let job = selection.job else { return }
        var index = indices.lowerBound
        while index < indices.upperBound, search.takeStep(), !search.isMoving {
            guard let place = graph.node(for: OperationID(job: job, index: index)) else {
                index += 1
                continue
            }
            look(at: place, &search)
            // The operations of a block have the same fate.
            index = graph[place].index + graph[place].count
        }
    }

    /// Notes an open job without unfinished operations, which ends with its closing.
    private func noteIfOnlyOpen(_ job: JobIndex, _ search: inout StandstillSearch) {
        guard graph[job].isOpen, graph[job].counts.unfinished == 0 else { return }
        let whole = StillOperation(operation: nil, impediments: [.openJob(graph[job].number)])
        if !search.wholes.contains(whole) { search.wholes.append(whole) }
    }

    /// Looks at the first operations in the lines of a queue.
    private func searchQueue(_ name: String, _ search: inout StandstillSearch) {
        guard let index = queues.index(ofName: name), queues[index].counts.unfinished > 0 else { return }
        for line in [queues[index].line] + queues[index].specialLines.values.prefix(StandstillSearch.mostLines) {
            for entry in line.entries.elements.prefix(StandstillSearch.mostOfLine) where isCurrent(entry) {
                look(at: entry.node.index, &search)
            }
        }
        guard search.roots.isEmpty, queues[index].settings.isSuspended else { return }
        search.wholes.append(StillOperation(operation: nil, impediments: [.suspended(queue: name)]))
    }

    /// Notes the operation for which a node waits in the end, or that something moves.
    private func look(at place: NodeIndex, _ search: inout StandstillSearch) {
        guard search.roots.count < StandstillSearch.mostRoots else { return }
        switch graph[place].stage {
        case .executing: search.isMoving = true
        case .sent:
            // A worker that has not come back since a restart starts nothing for now.
            if graph[place].worker.map({ !workers[$0].isAbsent }) ?? true { search.isMoving = true }
        case .finished: break
        case .pending, .ready:
            if let root = root(of: place, &search), search.seen.insert(root).inserted { search.roots.append(root) }
        }
    }

    /// The operation for which a node waits in the end: the node itself, or a dependency that waits for no other; nil if that one
    /// runs, or if the way is too long.
    private func root(of place: NodeIndex, _ search: inout StandstillSearch) -> NodeIndex? {
        var place = place
        for _ in 0..<StandstillSearch.mostLevels {
            let node = graph[place]
            guard node.stage == .pending, !node.isCancelled, !node.isHeld, node.notBefore == nil else {
                return node.stage == .pending || node.stage == .ready ? place : nil
            }
            if let lost = graph.fileWaits[place]?.min(), let rerun = graph.reruns[lost]?.place {
                guard search.passed.insert(rerun).inserted else { return nil }
                place = rerun
                continue
            }
            guard let next = firstDependency(of: node, &search) else { return nil }
            // Everything from here on has been looked at.
            guard search.passed.insert(next).inserted else { return nil }
            place = next
        }
        return nil
    }

    /// The first unfinished operation that a node depends on; nil if one of another job may run, or if none is found.
    private func firstDependency(of node: OperationNode, _ search: inout StandstillSearch) -> NodeIndex? {
        for dependency in graph.dependencies(of: node, first: StandstillSearch.mostDependencies) {
            guard search.takeStep() else { return nil }
            switch graph.firstSource(of: dependency, for: node) {
            case .gone, nil: continue
            case .node(let other): return other
            case .array(let job, let array):
                if graph[job].counts.executing > 0 { return nil }
                let live = graph[job].arrays[array.offset]
                if let first = live.blocks.first ?? live.elements.values.first { return first }
            case .job(let job):
                if graph[job].counts.executing > 0 { return nil }
                noteIfOnlyOpen(job, &search)
                for index in 0..<UInt32(graph[job].operationCount) {
                    guard search.takeStep() else { return nil }
                    if let first = graph.node(for: OperationID(job: graph[job].number, index: index)) { return first }
                }
            }
        }
        return nil
    }

    /// The impediments of an operation that somebody could change.
    private func mendable(at place: NodeIndex) -> [Impediment] {
        let node = graph[place]
        let queue = queues[node.queue]
        // The workers of before a restart come back by themselves.
        if queue.isGated { return [] }
        switch node.stage {
        case .executing, .sent, .finished: return []
        case .pending where node.isCancelled, .ready where node.isCancelled: return [.cancelled(queue: queue.name)]
        case .pending:
            return (node.isHeld ? [.hold] : []) + (queue.settings.isSuspended ? [.suspended(queue: queue.name)] : [])
        case .ready:
            let shortage = shortage(for: node, isBrief: true)
            let isAnyAway = workers.indexes.contains { workers[$0].isAbsent }
            let isBusy = workers.indexes.contains { workers[$0].executingCount > 0 }
            return shortage.filter {
                !(isAnyAway && $0.isLackOfWorkers) && !(isBusy && $0.isQueueing) && !$0.endsByItself
            }
        }
    }
}

/// The state of a search for what keeps operations from running, with the limits of the search.
private struct StandstillSearch {
    /// The most operations with possible reasons.
    static let mostRoots = 32
    /// The most dependencies in a row from an operation to its root.
    static let mostLevels = 64
    /// The most dependencies of an operation that are looked at.
    static let mostDependencies = 1_000
    /// The most lines of a queue, and operations of each, that are looked at.
    static let mostLines = 8
    static let mostOfLine = 8
    /// The most operations looked at from the beginning of a selection, and as many from its end.
    static let mostOfEnd: UInt32 = 500

    /// The operations with possible reasons.
    var roots: [NodeIndex] = []
    var seen: Set<NodeIndex> = []
    /// The dependencies on the ways to the roots.
    var passed: Set<NodeIndex> = []
    /// Queues and open jobs that have reasons of their own.
    var wholes: [StillOperation] = []
    /// Whether an operation runs or is about to.
    var isMoving = false
    private var steps = 4_000

    /// Counts a look at something; false once there were enough.
    mutating func takeStep() -> Bool {
        steps -= 1
        return steps >= 0
    }

    /// The parts of a selection to look at: its first operations, and its last ones, because jobs finish about in order.
    func ranges(of selection: OperationSelection, sizes: (JobNumber) -> Int?) -> [Range<UInt32>] {
        guard let job = selection.job, let size = sizes(job) else { return [] }
        let whole: Range<UInt32> =
            switch selection {
            case .operation(let id): id.index..<max(id.index, id.index &+ 1)
            case .operations(_, let range): range.clamped(to: 0..<UInt32(clamping: size))
            case .job: 0..<UInt32(clamping: size)
            case .queue: 0..<0
            }
        guard whole.count > 2 * Int(Self.mostOfEnd) else { return [whole] }
        return [
            whole.lowerBound..<whole.lowerBound + Self.mostOfEnd, whole.upperBound - Self.mostOfEnd..<whole.upperBound,
        ]
    }
}

extension Impediment {
    /// Whether a worker that comes back could end the impediment.
    fileprivate var isLackOfWorkers: Bool {
        switch self {
        case .noWorker: true
        case .largeFiles(_, _, _, let able): able == nil
        default: false
        }
    }

    /// Whether time alone ends the impediment.
    fileprivate var endsByItself: Bool {
        switch self {
        case .rate, .fetches: true
        default: false
        }
    }

    /// Whether the end of an operation that executes ends the impediment.
    fileprivate var isQueueing: Bool {
        switch self {
        case .limit(_, let limit, _): limit > 0
        case .sharedLimit(_, let needed, let units, _, _, _, _): needed <= units
        case .largeFiles(_, _, _, let able): able != nil
        case .arrayLimit, .keptPlace, .slots, .resources(_, _, isPossible: true, _): true
        default: false
        }
    }
}

extension OperationSelection {
    /// The job of the operations; nil for a queue.
    fileprivate var job: JobNumber? {
        switch self {
        case .operation(let id): id.job
        case .operations(let job, _), .job(let job): job
        case .queue: nil
        }
    }
}
