/// The operations of a job in parts that a retry takes or leaves as a whole (D11).
///
/// A long array of which nearly all elements ended alike has few parts: nothing here, and nothing that goes through the parts, takes
/// a step or memory for each element.
struct AlikeOperations {
    /// Neighbours of one entry that have the same fate, and of which all or none are selected.
    ///
    /// An operation with dependencies or programs of its own, or with a dependent on it alone, is a part by itself.
    struct Part {
        /// The indices of the operations.
        var operations: Range<UInt32>
        /// The position of their entry.
        var entry: Int
        /// The fate of each of them.
        var fate: OperationFate
        /// Whether they are among the selected operations.
        var isSelected: Bool
    }

    /// The parts, in the order of the operations.
    let list: [Part]
    /// The position of the first part of each entry, and behind them the number of parts.
    private let starts: [Int]

    /// Divides the operations of a job.
    ///
    /// - Parameter selected: the selected operations in any order; empty for all of the job.
    /// - Complexity: O(n log n) for n entries, runs of fates, selected ranges and operations with something of their own.
    init(of job: JobToRetry, selected: [Range<UInt32>]) {
        // Access by position: copies of a million entries would take longer than the division.
        let entries = job.job.submission.entries
        let selection = selected.sorted { $0.lowerBound < $1.lowerBound }
        let cuts = Self.cuts(of: job, selected: selection)
        let runs = job.fates.runs
        var (list, starts): ([Part], [Int]) = ([], [])
        list.reserveCapacity(cuts.count)
        starts.reserveCapacity(entries.count + 1)
        // The end of the last entry of `starts`, and of the selected ranges up to the present part.
        var (entryEnd, selectedEnd): (UInt32, UInt32) = (0, 0)
        var (run, nextSelected) = (0, 0)
        for (first, end) in zip(cuts, cuts.dropFirst()) where first < end {
            while entryEnd <= first {
                entryEnd += UInt32(entries[starts.count].count)
                starts.append(list.count)
            }
            while run < runs.count, runs[run].operations.upperBound <= first { run += 1 }
            while nextSelected < selection.count, selection[nextSelected].lowerBound <= first {
                selectedEnd = max(selectedEnd, selection[nextSelected].upperBound)
                nextSelected += 1
            }
            let isKnown = run < runs.count && runs[run].operations.contains(first)
            list.append(
                Part(
                    operations: first..<end,
                    entry: starts.count - 1,
                    fate: isKnown ? runs[run].fate : OperationFate(),
                    isSelected: selection.isEmpty || first < selectedEnd
                )
            )
        }
        // An entry without operations has no part.
        while starts.count <= entries.count { starts.append(list.count) }
        self.list = list
        self.starts = starts
    }

    /// The positions of an entry's parts.
    func parts(ofEntry entry: Int) -> Range<Int> { starts[entry]..<starts[entry + 1] }

    /// The index of the first operation of an entry; nil for an entry without operations.
    func first(ofEntry entry: Int) -> UInt32? {
        parts(ofEntry: entry).first.map { list[$0].operations.lowerBound }
    }

    /// The position of the part with an operation; nil if the job does not have the operation.
    ///
    /// - Complexity: O(log parts).
    func part(with index: UInt32) -> Int? {
        let position = list.indices.binarySearch { list[$0].operations.upperBound > index }
        return position < list.count ? position : nil
    }

    /// The indices at which a part begins or ends, in ascending order, possibly with repetitions.
    private static func cuts(of job: JobToRetry, selected: [Range<UInt32>]) -> [UInt32] {
        let entries = job.job.submission.entries
        var cuts: [UInt32] = []
        cuts.reserveCapacity(entries.count + 1)
        var end: UInt32 = 0
        for position in entries.indices {
            cuts.append(end)
            end += UInt32(entries[position].count)
        }
        cuts.append(end)
        func cut(around operations: Range<UInt32>) {
            let inside = operations.clamped(to: 0..<end)
            guard !inside.isEmpty else { return }
            cuts.append(inside.lowerBound)
            cuts.append(inside.upperBound)
        }
        for run in job.fates.runs { cut(around: run.operations) }
        for range in selected { cut(around: range) }
        for index in job.operationsWithOwn where index < end { cut(around: index..<index + 1) }
        cuts.sort()
        addCutsOfElements(of: job.job, to: &cuts)
        return cuts
    }
}

extension AlikeOperations {
    /// Divides arrays that depend on each other element by element at the same positions.
    ///
    /// - Parameter cuts: the indices at which parts begin or end, in ascending order.
    private static func addCutsOfElements(of job: JobRecord, to cuts: inout [UInt32]) {
        let groups = ElementGroups(of: job).all
        guard !groups.isEmpty else { return }
        let entries = job.submission.entries
        var firsts: [UInt32] = []
        var next: UInt32 = 0
        for position in entries.indices {
            firsts.append(next)
            next += UInt32(entries[position].count)
        }
        var added: [UInt32] = []
        for group in groups {
            var positions: Set<UInt32> = []
            for entry in group {
                let end = firsts[entry] + UInt32(entries[entry].count)
                let start = cuts.indices.binarySearch { cuts[$0] > firsts[entry] }
                for cut in cuts[start...].prefix(while: { $0 < end }) { positions.insert(cut - firsts[entry]) }
            }
            for entry in group { added += positions.map { firsts[entry] + $0 } }
        }
        cuts += added
        cuts.sort()
    }
}

extension JobToRetry {
    /// The indices of the operations that have dependencies or programs of their own, or a dependent on them alone.
    fileprivate var operationsWithOwn: Set<UInt32> {
        var operations = Set(commands.keys).union(dependencies.keys)
        func add(_ target: Dependency.Target) {
            if case .existing(.operation(let id)) = target, id.job == job.number { operations.insert(id.index) }
        }
        // What was added to the job may depend on single elements of its arrays.
        let entries = job.submission.entries
        for position in entries.indices where entries[position].dependencies.haveExisting {
            for dependency in entries[position].dependencies { add(dependency.target) }
        }
        for dependency in dependencies.values.joined() { add(dependency.target) }
        return operations
    }
}
