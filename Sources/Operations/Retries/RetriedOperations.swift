/// The operations of a job to submit again (D11).
struct RetriedOperations {
    private let job: JobToRetry
    private let selection: RetrySelection
    /// The operations in parts, each of which is submitted again as a whole or not at all.
    let parts: AlikeOperations
    /// The arrays that depend on each other element by element.
    let groups: ElementGroups
    /// Whether each part is submitted again.
    private var isMember: [Bool]
    /// Parts whose dependencies and dependents were not visited yet.
    private var open: [Int] = []
    /// Whether no operation is submitted again.
    private(set) var isEmpty = true

    /// Finds the operations.
    ///
    /// - Complexity: O(parts · log parts + dependencies), where the dependencies on each part of an array count singly.
    init(of job: JobToRetry, selection: RetrySelection) {
        self.job = job
        self.selection = selection
        parts = AlikeOperations(of: job, selected: selection.operations)
        groups = ElementGroups(of: job.job)
        isMember = Array(repeating: false, count: parts.list.count)
        for part in parts.list.indices where parts.list[part].isSelected && isMeant(part) { add(part) }
        if !selection.operations.isEmpty { addWhatIsNeeded() }
        guard !isEmpty, selection.includesDependents else { return }
        addDependents()
    }

    /// Whether a part is submitted again.
    func contains(part: Int) -> Bool { isMember[part] }

    /// Whether an operation is submitted again.
    func contains(_ index: UInt32) -> Bool { parts.part(with: index).map { isMember[$0] } ?? false }

    private func isMeant(_ part: Int) -> Bool {
        parts.list[part].fate.isRetried(withCancelled: selection.includesCancelled)
    }

    private mutating func add(_ part: Int) {
        guard !isMember[part] else { return }
        isMember[part] = true
        isEmpty = false
        open.append(part)
    }

    /// The dependencies of a part's operations that were changed after the submission; nil for those of its entry.
    ///
    /// An operation with dependencies of its own is a part by itself.
    private func changedDependencies(of part: Int) -> [Dependency]? {
        job.dependencies.isEmpty ? nil : job.dependencies[parts.list[part].operations.lowerBound]
    }

    // MARK: - What single operations need

    /// Adds the unsuccessful operations that the named operations need: without them the named ones would be skipped again.
    private mutating func addWhatIsNeeded() {
        // Similar elements share their dependencies: each list is visited once, and so is each entry that is needed.
        var (seen, needed): (Set<Int>, Set<Int>) = ([], [])
        while let part = open.popLast() {
            let entry = parts.list[part].entry
            if groups.contains(entry), changedDependencies(of: part) == nil { addNeededElements(of: part) }
            let dependencies =
                changedDependencies(of: part).map { EntryDependencies($0) }
                ?? (seen.insert(entry).inserted ? job.job.submission.entries[entry].dependencies : [])
            for dependency in dependencies where dependency.condition == .success {
                switch dependency.target {
                case .entry(let target):
                    guard needed.insert(target).inserted else { continue }
                    for part in parts.parts(ofEntry: target) where isMeant(part) { add(part) }
                case .existing(.operation(let id)) where id.job == job.job.number:
                    if let part = parts.part(with: id.index), isMeant(part) { add(part) }
                case .existing, .element, .elements, .existingElements: break
                }
            }
        }
    }

    /// Adds the unsuccessful elements that the elements of a part need at their positions.
    private mutating func addNeededElements(of part: Int) {
        for dependency in job.job.submission.entries[parts.list[part].entry].dependencies
        where dependency.condition == .success {
            guard let target = dependency.target.elementsEntry(in: job.job.number, parts) else { continue }
            for needed in elements(of: target, at: part) where isMeant(needed) { add(needed) }
        }
    }

    /// The parts of an array at the positions of a part of another array of the same group.
    private func elements(of entry: Int, at part: Int) -> Range<Int> {
        guard let first = parts.first(ofEntry: entry), let own = parts.first(ofEntry: parts.list[part].entry) else {
            return 0..<0
        }
        let operations = parts.list[part].operations
        let targets = first + (operations.lowerBound - own)..<first + (operations.upperBound - own)
        guard let start = parts.part(with: targets.lowerBound) else { return 0..<0 }
        let end = parts.part(with: targets.upperBound) ?? parts.list.count
        return start..<max(start, end)
    }

    // MARK: - Dependents

    /// Adds the direct and indirect dependents of the operations to submit again.
    ///
    /// A cancelled operation never ran, with or without a result, and is added only if the selection includes cancelled
    /// operations.
    private mutating func addDependents() {
        let dependents = dependentsOfEntries()
        var (changedOnEntry, changedOnIndex): ([Int: [UInt32]], [UInt32: [UInt32]]) = ([:], [:])
        for (index, dependencies) in job.dependencies {
            for dependency in dependencies {
                switch dependency.target {
                case .entry(let entry): changedOnEntry[entry, default: []].append(index)
                case .existing(.operation(let id)) where id.job == job.job.number:
                    changedOnIndex[id.index, default: []].append(index)
                case .existing, .element, .elements, .existingElements: break
                }
            }
        }
        // What was added to the job may depend on single elements of its arrays.
        var addedOnIndex: [UInt32: [Int]] = [:]
        let entries = job.job.submission.entries
        for entry in entries.indices where entries[entry].dependencies.haveExisting {
            for case .existing(.operation(let id)) in entries[entry].dependencies.lazy.map(\.target)
            where id.job == job.job.number {
                addedOnIndex[id.index, default: []].append(entry)
            }
        }
        let members = isMember
        open = members.indices.filter { members[$0] }
        var seen = [Bool](repeating: false, count: entries.count)
        while let part = open.popLast() {
            // An operation with a dependent on it alone is a part by itself.
            let first = parts.list[part].operations.lowerBound
            for dependent in changedOnIndex[first] ?? [] { addDependent(dependent) }
            for dependent in addedOnIndex[first] ?? [] { addDependents(ofEntry: dependent) }
            let entry = parts.list[part].entry
            for dependent in groups.dependents(on: entry) {
                for waiting in elements(of: dependent, at: part) where changedDependencies(of: waiting) == nil {
                    addDependent(part: waiting)
                }
            }
            guard !seen[entry] else { continue }
            seen[entry] = true
            for dependent in changedOnEntry[entry] ?? [] { addDependent(dependent) }
            for dependent in dependents.of(entry) { addDependents(ofEntry: Int(dependent)) }
        }
    }

    /// Adds the operations of an entry that have the dependencies of their submission.
    private mutating func addDependents(ofEntry entry: Int) {
        for part in parts.parts(ofEntry: entry) where changedDependencies(of: part) == nil { addDependent(part: part) }
    }

    private mutating func addDependent(_ index: UInt32) {
        if let part = parts.part(with: index) { addDependent(part: part) }
    }

    private mutating func addDependent(part: Int) {
        let fate = parts.list[part].fate
        guard fate.outcome != nil, !fate.isCancelled || selection.includesCancelled else { return }
        add(part)
    }

    /// Returns the dependents of each entry, as submitted.
    private func dependentsOfEntries() -> EntryDependents {
        let entries = job.job.submission.entries
        var counts = [Int32](repeating: 0, count: entries.count + 1)
        for entry in entries.indices {
            for case .entry(let target) in entries[entry].dependencies.lazy.map(\.target) { counts[target + 1] += 1 }
        }
        for position in counts.indices.dropFirst() { counts[position] += counts[position - 1] }
        var dependents = EntryDependents(starts: counts, entries: Array(repeating: 0, count: Int(counts.last ?? 0)))
        for entry in entries.indices {
            for case .entry(let target) in entries[entry].dependencies.lazy.map(\.target) {
                dependents.entries[Int(counts[target])] = Int32(entry)
                counts[target] += 1
            }
        }
        return dependents
    }
}

/// The dependents of each entry, in two lists.
private struct EntryDependents {
    /// The start of each entry's dependents in `entries`.
    var starts: [Int32]
    var entries: [Int32]

    func of(_ entry: Int) -> ArraySlice<Int32> { entries[Int(starts[entry])..<Int(starts[entry + 1])] }
}
