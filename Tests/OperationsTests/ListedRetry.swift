@_spi(Baton) import BatonOperations

/// Makes the submission of a retry operation by operation: slow, and simple.
struct ListedRetry {
    /// Operations of one entry that form an entry of the retry.
    private struct Piece {
        var entry: Int
        /// The positions in the entry, in ascending order.
        var positions: [Int]
    }

    private let job: JobRecord
    private let fates: [OperationFate]
    private let changed: [UInt32: [Dependency]]
    private let retried: Set<Int>
    /// The indices of the operations of each entry.
    private var operations: [Range<Int>] = []
    private var pieces: [Piece] = []

    /// - Parameter retried: the indices of the operations that are retried.
    init(job: JobRecord, fates: [OperationFate], changed: [UInt32: [Dependency]], retried: Set<Int>) {
        self.job = job
        self.fates = fates
        self.changed = changed
        self.retried = retried
        for entry in job.submission.entries {
            let first = operations.last?.upperBound ?? 0
            operations.append(first..<first + entry.count)
        }
        let apart = self.apart
        for (entry, range) in operations.enumerated() {
            let members = range.filter { retried.contains($0) }
            let together = members.filter { !apart.contains($0) }
            if !together.isEmpty {
                pieces.append(Piece(entry: entry, positions: together.map { $0 - range.lowerBound }))
            }
            for index in members where apart.contains(index) {
                pieces.append(Piece(entry: entry, positions: [index - range.lowerBound]))
            }
        }
    }

    /// The operations that have dependencies of their own, or a retried dependent on them alone.
    private var apart: Set<Int> {
        var apart: Set<Int> = []
        for (index, dependencies) in changed where retried.contains(Int(index)) {
            apart.insert(Int(index))
            for case .existing(.operation(let id)) in dependencies.map(\.target) { apart.insert(Int(id.index)) }
        }
        return apart
    }

    /// The submission.
    var submission: Submission {
        let old = job.submission
        var (templates, queues): ([Int], [Int]) = ([], [])
        func place(of value: Int, in list: inout [Int]) -> Int {
            if let known = list.firstIndex(of: value) { return known }
            list.append(value)
            return list.count - 1
        }
        var entries: [Entry] = []
        for (number, piece) in pieces.enumerated() {
            var entry = old.entries[piece.entry]
            if pieces.firstIndex(where: { $0.entry == piece.entry }) != number { entry.name = nil }
            entry.template = place(of: entry.template, in: &templates)
            entry.queue = place(of: entry.queue, in: &queues)
            (entry.delay, entry.isHeld) = (nil, false)
            entry.dependencies = EntryDependencies(dependencies(of: piece))
            entry.array = entry.array.map { picked($0, piece.positions) }
            entries.append(entry)
        }
        var retry = Submission(
            name: old.name,
            queueNames: queues.map { old.queueNames[$0] },
            templates: templates.map { old.templates[$0] },
            entries: entries
        )
        retry.retryOf = job.number
        return retry
    }

    private func picked(_ array: ArrayValues, _ positions: [Int]) -> ArrayValues {
        if positions.count == array.count { return array }
        if case .numbers(_, let step, _) = array {
            let stride = positions.count > 1 ? positions[1] - positions[0] : 1
            if positions.indices.allSatisfy({ positions[$0] == positions[0] + $0 * stride }) {
                return .numbers(
                    first: array.number(at: positions[0]),
                    step: step * Int64(stride),
                    count: positions.count
                )
            }
        }
        return .picked(positions.map { .init(number: array.number(at: $0), item: array.item(at: $0)) })
    }

    private func dependencies(of piece: Piece) -> [Dependency] {
        let index = operations[piece.entry].lowerBound + piece.positions[0]
        let old = changed[UInt32(index)] ?? Array(job.submission.entries[piece.entry].dependencies)
        return old.flatMap { dependency in
            targets(of: dependency).map { Dependency(on: $0, condition: dependency.condition) }
        }
    }

    private func targets(of dependency: Dependency) -> [Dependency.Target] {
        guard case .entry(let entry) = dependency.target else {
            guard case .existing(.operation(let id)) = dependency.target else { return [dependency.target] }
            let own = pieces.firstIndex { piece in
                operations[piece.entry].lowerBound + piece.positions[0] == Int(id.index)
                    && apart.contains(Int(id.index))
            }
            return [own.map { .entry($0) } ?? dependency.target]
        }
        let new = pieces.indices.filter { pieces[$0].entry == entry }.map { Dependency.Target.entry($0) }
        guard job.submission.entries[entry].array != nil else {
            return new.isEmpty ? [existing(operations[entry].lowerBound)] : new
        }
        let left = operations[entry].filter { index in
            let fate = fates[index]
            return !retried.contains(index) && !fate.isNotNeeded
                && (fate.outcome != .succeeded || fate.hasResult || fate.hasFiles)
        }
        guard new.isEmpty, left.isEmpty else { return new + left.map { existing($0) } }
        switch dependency.condition {
        case .any: return []
        case .success where operations[entry].contains(where: { !fates[$0].isNotNeeded }): return []
        case .success, .failure, .failureOfAll: return [existing(operations[entry].lowerBound)]
        }
    }

    private func existing(_ index: Int) -> Dependency.Target {
        .existing(.operation(OperationID(job: job.number, index: UInt32(index))))
    }
}
