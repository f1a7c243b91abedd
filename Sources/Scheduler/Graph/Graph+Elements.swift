@_spi(Baton) import BatonOperations

/// Dependencies of the elements of an array on the elements at the same positions of another array (EL1).
extension Graph {
    /// The element on which an operation depends by a dependency of its array; nil for another dependency.
    ///
    /// - Parameters:
    ///   - index: the index of the operation.
    ///   - entry: its array.
    func element(_ target: Dependency.Target, for index: UInt32, inEntry entry: Int, of job: JobIndex) -> OperationID? {
        switch target {
        case .entry, .existing, .element: return nil
        case .elements, .existingElements:
            guard case .operations(let number, let range) = address(of: target, job: job) else { return nil }
            return OperationID(job: number, index: range.lowerBound + (index - self[job].entries[entry].first))
        }
    }

    /// The dependency of one operation; if its array depends on another one element by element, on one element.
    func single(_ dependency: Dependency, at index: UInt32, of node: OperationNode) -> Dependency {
        guard let id = element(dependency.target, for: index, inEntry: Int(node.entry), of: node.job) else {
            return dependency
        }
        return Dependency(on: .existing(.operation(id)), condition: dependency.condition)
    }

    /// The dependencies of a single operation, each on single elements where its array depends on them one by one.
    func singleDependencies(of node: OperationNode) -> [Dependency] {
        dependencies(of: node).map { single($0, at: node.index, of: node) }
    }

    /// The unfinished sources of a node's dependency.
    func sources(of dependency: Dependency, for node: OperationNode) -> [EdgeSource] {
        guard let first = element(dependency.target, for: node.index, inEntry: Int(node.entry), of: node.job) else {
            return [source(of: dependency.target, job: node.job)]
        }
        guard let job = job(first.job), let entry = self[job].entry(ofIndex: first.index) else { return [] }
        let targets = first.index..<first.index + node.count
        return nodes(ofEntry: entry, overlapping: targets, in: job).map { .node($0) }
    }

    /// The first unfinished source of a node's dependency; nil if it has none.
    func firstSource(of dependency: Dependency, for node: OperationNode) -> EdgeSource? {
        elementTable.isEmpty
            ? source(of: dependency.target, job: node.job) : sources(of: dependency, for: node).first
    }

    /// The operations of an array that an address means, for an array of a submission that depends on them element by element.
    ///
    /// - Parameters:
    ///   - position: the position of the depending entry.
    ///   - known: the arrays whose finished elements are known.
    func elements(
        of address: Address,
        for submission: Submission,
        _ position: Int,
        known: [Address: ElementEnds]
    ) throws(Refusal) -> Range<UInt32> {
        let label = submission.label(ofEntry: position)
        guard let job = job(address.job) else {
            guard case .operations(_, let range) = address, known[address] != nil else {
                throw Refusal(
                    .unknownDependency,
                    "\(label.asShown) depends on elements of \(address.asShown), which does not exist."
                )
            }
            return range
        }
        guard let range = elements(of: address, in: job) else { throw .noElements(of: address, for: label) }
        let count = submission.entries[position].count
        guard range.count == count else { throw .otherShape(of: address.asShown, range.count, for: label, count) }
        return range
    }

    /// The operations of an array of an unfinished job that an address means; nil for what is no array.
    func elements(of address: Address, in job: JobIndex) -> Range<UInt32>? {
        let entry: Int?
        switch address {
        case .job: entry = self[job].entries.count == 1 && !self[job].isOpen ? 0 : nil
        case .named(_, let name): entry = self[job].entry(named: name)
        case .operation: entry = nil
        case .operations(_, let range):
            guard let entry = self[job].entry(ofIndex: range.lowerBound), self[job].entries[entry].array != nil else {
                return nil
            }
            let live = self[job].entries[entry]
            return range == live.first..<live.first + live.count ? range : nil
        }
        guard let entry, self[job].entries[entry].array != nil else { return nil }
        let live = self[job].entries[entry]
        return live.first..<live.first + live.count
    }

    /// The nodes of an array that have operations among some, in the order of their indices.
    ///
    /// - Complexity: O(log blocks) for one operation; otherwise O(blocks + elements of the array with nodes of their own).
    func nodes(ofEntry entry: Int, overlapping operations: Range<UInt32>, in job: JobIndex) -> [NodeIndex] {
        guard operations.count > 1 else {
            return operations.first.flatMap { node(ofEntry: entry, at: $0, in: job) }.map { [$0] } ?? []
        }
        guard let array = self[job].entries[entry].array else { return [] }
        let found = nodes(of: array, in: job).filter { place in
            let node = self[place]
            return operations.overlaps(node.index..<node.index + node.count)
        }
        return found.sorted { self[$0].index < self[$1].index }
    }

    /// The array of an unfinished job that has an operation; nil for a single operation.
    func array(withElement index: UInt32, of job: JobIndex) -> ArrayIndex? {
        self[job].entry(ofIndex: index).flatMap { self[job].entries[$0].array }
    }

    /// Lets an array wait for the elements of another one, if that one is unfinished.
    mutating func registerElements(_ dependency: Dependency, ofEntry entry: Int, in job: JobIndex) {
        let live = self[job].entries[entry]
        guard let first = element(dependency.target, for: live.first, inEntry: entry, of: job),
            let other = self.job(first.job), let array = array(withElement: first.index, of: other)
        else { return }
        let dependent = ElementTable.Dependent(
            job: reference(to: job),
            entry: entry,
            targets: first.index..<first.index + live.count,
            condition: dependency.condition
        )
        elementTable.add(dependent, to: array, of: other)
    }

    /// The number of unmet conditions of each node that are told by elements, for the check of the invariants.
    func conditionsOfElements() -> [NodeIndex: Int32] {
        var expected: [NodeIndex: Int32] = [:]
        for (targetJob, dependent) in elementTable.all {
            guard let job = resolve(dependent.job), let array = self[job].entries[dependent.entry].array else {
                continue
            }
            let first = self[job].entries[dependent.entry].first
            for place in nodes(of: array, in: job) where self[job].changedDependencies[self[place].index] == nil {
                let index = dependent.targets.lowerBound + (self[place].index - first)
                let element = OperationID(job: self[targetJob].number, index: index)
                if node(for: element) != nil { expected[place, default: 0] += 1 }
            }
        }
        return expected
    }
}
