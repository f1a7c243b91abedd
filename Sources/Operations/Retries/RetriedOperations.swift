/// The operations of a job to submit again (D11).
struct RetriedOperations {
    private let job: JobRecord
    private let fates: [OperationFate]
    private let changed: [UInt32: [Dependency]]
    private let selection: RetrySelection
    /// The index of the first operation of each entry.
    let firsts: [Int]
    /// Whether each operation is submitted again, by index.
    private var isMember: [Bool]
    /// Operations whose dependencies and dependents were not visited yet.
    private var open: [UInt32] = []
    /// Whether no operation is submitted again.
    private(set) var isEmpty = true

    /// Finds the operations.
    ///
    /// - Complexity: O(operations + dependencies), where the dependencies on each element of an array count singly.
    init(job: JobRecord, fates: [OperationFate], changed: [UInt32: [Dependency]], selection: RetrySelection) {
        self.job = job
        self.fates = fates
        self.changed = changed
        self.selection = selection
        var firsts: [Int] = []
        firsts.reserveCapacity(job.submission.entries.count)
        var first = 0
        for entry in job.submission.entries {
            firsts.append(first)
            first += entry.count
        }
        self.firsts = firsts
        isMember = Array(repeating: false, count: first)
        let all = 0..<UInt32(first)
        for range in selection.operations.isEmpty ? [all] : selection.operations {
            for index in range.clamped(to: all) where isMeant(index) { add(index) }
        }
        if !selection.operations.isEmpty { addWhatIsNeeded() }
        guard !isEmpty, selection.includesDependents else { return }
        addDependents()
    }

    /// Whether an operation is submitted again.
    func contains(_ index: UInt32) -> Bool { Int(index) < isMember.count && isMember[Int(index)] }

    /// Returns the fate of an operation.
    func fate(_ index: UInt32) -> OperationFate {
        Int(index) < fates.count ? fates[Int(index)] : OperationFate()
    }

    /// The operations of an entry.
    func range(of entry: Int) -> Range<UInt32> {
        UInt32(firsts[entry])..<UInt32(firsts[entry] + job.submission.entries[entry].count)
    }

    private func isMeant(_ index: UInt32) -> Bool {
        fate(index).isRetried(withCancelled: selection.includesCancelled)
    }

    private mutating func add(_ index: UInt32) {
        guard !isMember[Int(index)] else { return }
        isMember[Int(index)] = true
        isEmpty = false
        open.append(index)
    }

    private func entry(of index: UInt32) -> Int {
        max(0, firsts.indices.binarySearch { firsts[$0] > Int(index) } - 1)
    }

    // MARK: - What single operations need

    /// Adds the unsuccessful operations that the named operations need: without them the named ones would be skipped again.
    private mutating func addWhatIsNeeded() {
        let named = open
        // Similar elements share their dependencies: each list is visited once.
        var seen: Set<Int> = []
        while let index = open.popLast() {
            let entry = entry(of: index)
            let dependencies =
                changed[index].map { EntryDependencies($0) }
                ?? (seen.insert(entry).inserted ? job.submission.entries[entry].dependencies : [])
            for dependency in dependencies where dependency.condition == .success {
                switch dependency.target {
                case .entry(let target): for needed in range(of: target) where isMeant(needed) { add(needed) }
                case .existing(.operation(let id)) where id.job == job.number && isMeant(id.index): add(id.index)
                case .existing: break
                }
            }
        }
        open = named
    }

    // MARK: - Dependents

    /// Adds the direct and indirect dependents of the operations to submit again.
    ///
    /// A cancelled operation never ran, with or without a result, and is added only if the selection includes cancelled
    /// operations.
    private mutating func addDependents() {
        let dependents = dependentsOfEntries()
        var (changedOnEntry, changedOnIndex): ([Int: [UInt32]], [UInt32: [UInt32]]) = ([:], [:])
        for (index, dependencies) in changed {
            for dependency in dependencies {
                switch dependency.target {
                case .entry(let entry): changedOnEntry[entry, default: []].append(index)
                case .existing(.operation(let id)) where id.job == job.number:
                    changedOnIndex[id.index, default: []].append(index)
                case .existing: break
                }
            }
        }
        open = isMember.enumerated().compactMap { $0.element ? UInt32($0.offset) : nil }
        var seen = [Bool](repeating: false, count: firsts.count)
        while let index = open.popLast() {
            for dependent in changedOnIndex[index] ?? [] { addDependent(dependent) }
            let entry = entry(of: index)
            guard !seen[entry] else { continue }
            seen[entry] = true
            for dependent in changedOnEntry[entry] ?? [] { addDependent(dependent) }
            for dependent in dependents.of(entry) {
                for index in range(of: Int(dependent)) where changed[index] == nil { addDependent(index) }
            }
        }
    }

    private mutating func addDependent(_ index: UInt32) {
        guard Int(index) < isMember.count, fate(index).outcome != nil else { return }
        if fate(index).isCancelled, !selection.includesCancelled { return }
        add(index)
    }

    /// Returns the dependents of each entry, as submitted.
    private func dependentsOfEntries() -> EntryDependents {
        let entries = job.submission.entries
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
