@_spi(Baton) import BatonOperations

/// Which files an operation needs: those that its dependencies left.
extension Scheduler {
    /// Operations that a dependency means.
    struct FileTargets {
        /// The job.
        var job: JobNumber
        /// The indices of the operations; nil for all operations of the job.
        var range: Range<UInt32>?
        /// Whether each operation of the node depends on one of them, at the same position.
        var areElements = false

        /// Whether the dependency means an operation.
        func contain(_ id: OperationID) -> Bool { id.job == job && range?.contains(id.index) ?? true }
    }

    /// The operations that a dependency of a node means, elements at the positions of the node's operations; nil if none is known.
    ///
    /// - Parameter count: the number of the node's first operations that are meant; nil for all of them.
    func fileTargets(of dependency: Dependency, for node: OperationNode, count: UInt32? = nil) -> FileTargets? {
        let job = node.job
        switch dependency.target {
        case .entry(let entry):
            let live = graph[job].entries[entry]
            return FileTargets(job: graph[job].number, range: live.first..<live.first + live.count)
        case .element(let entry, let position):
            let index = graph[job].entries[entry].first + position
            return FileTargets(job: graph[job].number, range: index..<index + 1)
        case .elements, .existingElements:
            guard let first = graph.element(dependency.target, for: node.index, inEntry: Int(node.entry), of: job)
            else {
                return nil
            }
            let range = first.index..<first.index + (count ?? node.count)
            return FileTargets(job: first.job, range: range, areElements: true)
        case .existing(.operation(let id)): return FileTargets(job: id.job, range: id.index..<id.index + 1)
        // No dependency is on a range.
        case .existing(.operations): return nil
        case .existing(.job(let number)): return FileTargets(job: number, range: nil)
        case .existing(.named(let number, let name)):
            // Of an array in a job that finished long ago, all operations whose files are known stand for its elements.
            let range = operations(named: name, in: number) ?? files.array(named: name, of: number)
            return FileTargets(job: number, range: range)
        }
    }

    /// Some of the finished operations with files on which the first operation of a node depends, in order.
    ///
    /// - Parameter most: the most operations that are looked for, with as many others in between.
    /// - Complexity: O(dependencies + most), or less.
    func firstFileSources(of node: OperationNode, most: Int) -> [OperationID] {
        var found: [OperationID] = []
        var steps = 2 * most
        for dependency in graph.dependencies(of: node, first: most) {
            guard let targets = fileTargets(of: dependency, for: node, count: 1), let known = files.sources[targets.job]
            else { continue }
            for index in targets.range ?? 0..<UInt32.max {
                guard steps > 0, found.count < most else { return found }
                steps -= 1
                if known[index] != nil { found.append(OperationID(job: targets.job, index: index)) }
            }
        }
        return found
    }

    /// Looks at the finished operations with files on which the first operation of a node depends, in no order.
    ///
    /// - Parameter body: returns whether to go on.
    /// - Complexity: O(dependencies + these operations, or the smaller number of operations that a dependency means).
    func visitFileSources(of node: OperationNode, _ body: (KeptSource) -> Bool) {
        for dependency in graph.dependencies(of: node) {
            guard let targets = fileTargets(of: dependency, for: node, count: 1), let known = files.sources[targets.job]
            else { continue }
            if let range = targets.range, range.count <= known.count {
                for index in range { if let source = known[index], !body(source) { return } }
            } else {
                for (index, source) in known where targets.range?.contains(index) ?? true {
                    if !body(source) { return }
                }
            }
        }
    }

    /// Whether the files of some dependency come from another attempt than the first: earlier ones may have left other files.
    ///
    /// - Complexity: like ``visitFileSources(of:_:)``.
    func hasRemadeFiles(_ node: OperationNode) -> Bool {
        var isRemade = false
        visitFileSources(of: node) { source in
            isRemade = source.attempt > 1
            return !isRemade
        }
        return isRemade
    }

    /// The finished operations on which a node depends and of which some file has no copy.
    ///
    /// - Complexity: O(dependencies + these operations), and O(1) while every file has a copy.
    func lostSources(of node: OperationNode) -> Set<OperationID> {
        var found: Set<OperationID> = []
        guard !files.isComplete else { return found }
        for dependency in graph.dependencies(of: node) {
            guard let targets = fileTargets(of: dependency, for: node), let lost = files.incomplete[targets.job] else {
                continue
            }
            let indices: [UInt32]
            if let range = targets.range {
                indices =
                    lost.count < range.count ? lost.filter { range.contains($0) } : range.filter { lost.contains($0) }
            } else {
                indices = Array(lost)
            }
            for index in indices { found.insert(OperationID(job: targets.job, index: index)) }
        }
        return found
    }

    /// The operations of a block each of which depends on one of some lost operations alone; nil if the whole block depends on one.
    func elements(of node: OperationNode, dependingOn lost: Set<OperationID>) -> [UInt32]? {
        var affected: Set<UInt32> = []
        for dependency in graph.dependencies(of: node) {
            guard let targets = fileTargets(of: dependency, for: node) else { continue }
            let meant = lost.filter { targets.contain($0) }
            guard !meant.isEmpty else { continue }
            guard targets.areElements, let range = targets.range else { return nil }
            for id in meant { affected.insert(node.index + (id.index - range.lowerBound)) }
        }
        return affected.sorted()
    }

    /// Whether a node depends on an operation.
    ///
    /// - Complexity: O(dependencies).
    func depends(_ node: OperationNode, on id: OperationID) -> Bool {
        graph.dependencies(of: node).contains { fileTargets(of: $0, for: node)?.contain(id) ?? false }
    }
}
