extension Submission {
    /// What `baton retry` submits, by all that the record has of the job; see
    /// ``retrying(_:fates:dependencies:commands:)``.
    public static func retrying(_ restored: RestoredJob) -> Submission? {
        var fates = [OperationFate](repeating: OperationFate(), count: restored.job.submission.operationCount)
        for record in restored.records {
            let first = Int(record.id.index)
            for index in first..<first + Int(record.count) where index < fates.count {
                fates[index] = OperationFate(record)
            }
        }
        return retrying(
            restored.job,
            fates: fates,
            dependencies: restored.dependencies,
            commands: restored.commands
        )
    }

    /// What `baton retry` submits: the operations of a job that failed or were skipped, as they were submitted.
    ///
    /// They keep their templates, queues, names and levels, and elements of arrays their numbers and items; holds, delays and
    /// changes of queues are not repeated. What they depended on inside the job and is submitted again too, they depend on
    /// there. All else they depend on by its address, so that the results of what succeeded still reach them (DE20), and
    /// what an operation was skipped for because it did not fail skips it again. What was cancelled is submitted again only
    /// where one that was skipped needs it, and would be skipped for it again. Of an array, elements that succeeded and
    /// left no result need no address.
    ///
    /// Two things cannot be said exactly. Who depends on the failure of an array of which a part is not submitted again waits
    /// for that part, and is skipped where only that part fails. And of an array that has to be divided, because elements have
    /// dependencies or dependents of their own, only the first part has its name.
    ///
    /// - Parameters:
    ///   - job: the job as it is kept.
    ///   - fates: what has become of its operations, by index; those beyond the end count as unfinished.
    ///   - changed: the dependencies of those whose dependencies were changed after the submission, by index.
    ///   - commands: the programs of those to which some were added after the submission, by index; they keep them.
    /// - Returns: a submission without a key; nil where nothing failed or was skipped.
    /// - Complexity: O(operations + dependencies), where the dependencies on each element of an array count singly.
    public static func retrying(
        _ job: JobRecord,
        fates: [OperationFate],
        dependencies changed: [UInt32: [Dependency]] = [:],
        commands: [UInt32: [[String]]] = [:]
    ) -> Submission? {
        var retry = Retry(job: job, fates: fates, changed: changed, commands: commands)
        return retry.pieces.isEmpty ? nil : retry.submission()
    }
}

/// How the entries of a job are taken over into its retry.
private struct Retry {
    /// Operations of one entry that make an entry of the retry.
    struct Piece {
        /// The entry that they come from.
        var entry: Int
        /// Their positions in that entry, in ascending order.
        var positions: [Int]
    }

    /// The positions of a single operation; all of them share this.
    private static let single = [0]

    private let job: JobRecord
    private let fates: [OperationFate]
    private let changed: [UInt32: [Dependency]]
    private let commands: [UInt32: [[String]]]
    /// The operations that were cancelled, and that skipped ones need.
    private var revived: Set<UInt32> = []
    /// The index of the first operation of each entry.
    private var firsts: [Int] = []
    /// The entries of the retry.
    private(set) var pieces: [Piece] = []
    /// Which pieces come from each entry.
    private var piecesOfEntry: [Range<Int>] = []
    /// The pieces of operations that are an entry by themselves, by index.
    private var pieceOfIndex: [UInt32: Int] = [:]
    /// Of arrays, the elements that are not retried and yet matter to dependents, by entry.
    private var elementsLeft: [Int: [UInt32]] = [:]

    init(
        job: JobRecord,
        fates: [OperationFate],
        changed: [UInt32: [Dependency]],
        commands: [UInt32: [[String]]]
    ) {
        self.job = job
        self.fates = fates
        self.changed = changed
        self.commands = commands
        var first = 0
        for entry in job.submission.entries {
            firsts.append(first)
            first += entry.count
        }
        reviveWhatIsNeeded()
        let apart = indicesApart()
        for (entry, submitted) in job.submission.entries.enumerated() {
            let start = pieces.count
            divide(entry, count: submitted.count, apart: apart)
            piecesOfEntry.append(start..<pieces.count)
        }
    }

    /// Takes in what was cancelled and is needed by what was skipped, and what that needs in its turn.
    private mutating func reviveWhatIsNeeded() {
        guard fates.contains(where: { $0.outcome == .cancelled }) else { return }
        let entries = job.submission.entries
        // Alike elements share their dependencies, and many depend on the same array: each is looked at once.
        var (seen, needed): (Set<Int>, Set<Int>) = ([], [])
        var open = entries.indices.flatMap { entry -> [(entry: Int, index: UInt32)] in
            range(of: entry).filter { fate($0).outcome == .skipped }.map { (entry, $0) }
        }
        while let (entry, index) = open.popLast() {
            let dependencies =
                changed[index].map { EntryDependencies($0) }
                ?? (seen.insert(entry).inserted ? entries[entry].dependencies : [])
            for dependency in dependencies where dependency.condition == .success {
                if case .entry(let target) = dependency.target, !needed.insert(target).inserted { continue }
                guard let (target, indices) = operations(meantBy: dependency.target) else { continue }
                for index in indices where fate(index).outcome == .cancelled && revived.insert(index).inserted {
                    open.append((target, index))
                }
            }
        }
    }

    /// The operations of the job that a dependency means, and their entry; nil where they are of another job.
    private func operations(meantBy target: Dependency.Target) -> (entry: Int, indices: Range<UInt32>)? {
        switch target {
        case .entry(let entry):
            return (entry, range(of: entry))
        case .existing(.operation(let id)) where id.job == job.number:
            return (entry(of: id.index), id.index..<id.index + 1)
        case .existing:
            return nil
        }
    }

    private func entry(of index: UInt32) -> Int {
        var (low, high) = (0, firsts.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if firsts[middle] <= Int(index) { low = middle } else { high = middle - 1 }
        }
        return low
    }

    private func range(of entry: Int) -> Range<UInt32> {
        let first = UInt32(firsts[entry])
        return first..<first + UInt32(job.submission.entries[entry].count)
    }

    /// Whether an operation is submitted again.
    private func isRetried(_ index: UInt32) -> Bool { fate(index).isRetried || revived.contains(index) }

    /// The retried operations that cannot share an entry with others: their dependencies or programs are their own, or somebody
    /// depends on them alone.
    private func indicesApart() -> Set<UInt32> {
        var apart = Set(commands.keys.filter { isRetried($0) })
        for (index, dependencies) in changed where isRetried(index) {
            apart.insert(index)
            for case .existing(.operation(let id)) in dependencies.lazy.map(\.target)
            where id.job == job.number && isRetried(id.index) {
                apart.insert(id.index)
            }
        }
        return apart
    }

    /// Makes the pieces of an entry: what can stay together, then what cannot.
    private mutating func divide(_ entry: Int, count: Int, apart: Set<UInt32>) {
        let first = firsts[entry]
        var retried =
            count == 1
            ? (isRetried(UInt32(first)) ? Self.single : [])
            : (0..<count).filter { isRetried(UInt32(first + $0)) }
        guard !retried.isEmpty else { return }
        var alone: [Int] = []
        if !apart.isEmpty {
            alone = retried.filter { apart.contains(UInt32(first + $0)) }
            if !alone.isEmpty { retried.removeAll { apart.contains(UInt32(first + $0)) } }
        }
        if !retried.isEmpty { pieces.append(Piece(entry: entry, positions: retried)) }
        for position in alone {
            pieceOfIndex[UInt32(first + position)] = pieces.count
            pieces.append(Piece(entry: entry, positions: [position]))
        }
    }

    private func fate(_ index: UInt32) -> OperationFate {
        Int(index) < fates.count ? fates[Int(index)] : OperationFate()
    }

    // MARK: - The submission

    mutating func submission() -> Submission {
        let old = job.submission
        var templates = UsedValues(old.templates)
        var queues = UsedValues(old.queueNames)
        var entries: [Entry] = []
        entries.reserveCapacity(pieces.count)
        for (number, piece) in pieces.enumerated() {
            let submitted = old.entries[piece.entry]
            let own = commands[UInt32(firsts[piece.entry] + piece.positions[0])]
            let template =
                own.map { templates.add(old.templates[submitted.template].running($0)) }
                ?? templates.place(of: submitted.template)
            entries.append(
                Entry(
                    // A name is unique; of a divided array, its first piece has it.
                    name: piecesOfEntry[piece.entry].lowerBound == number ? submitted.name : nil,
                    template: template,
                    queue: queues.place(of: submitted.queue),
                    priority: submitted.priority,
                    isBarrier: submitted.isBarrier,
                    dependencies: dependencies(of: piece),
                    array: submitted.array?.picking(piece.positions)
                )
            )
        }
        return Submission(name: old.name, queueNames: queues.used, templates: templates.used, entries: entries)
    }

    private mutating func dependencies(of piece: Piece) -> [Dependency] {
        let index = UInt32(firsts[piece.entry] + piece.positions[0])
        var result: [Dependency] = []
        let old = changed[index].map { EntryDependencies($0) } ?? job.submission.entries[piece.entry].dependencies
        for dependency in old {
            switch dependency.target {
            case .entry(let entry):
                append(entry: entry, dependency.condition, to: &result)
            case .existing(.operation(let id)) where id.job == job.number:
                let target = pieceOfIndex[id.index].map(Dependency.Target.entry) ?? dependency.target
                result.append(Dependency(on: target, condition: dependency.condition))
            case .existing:
                result.append(dependency)
            }
        }
        return result
    }

    /// Appends what a dependency on an entry of the job becomes.
    private mutating func append(entry: Int, _ condition: DependencyCondition, to result: inout [Dependency]) {
        let pieces = piecesOfEntry[entry]
        guard job.submission.entries[entry].array != nil else {
            let target = pieces.first.map(Dependency.Target.entry) ?? existing(UInt32(firsts[entry]))
            result.append(Dependency(on: target, condition: condition))
            return
        }
        let left = elementsLeft(of: entry)
        guard condition == .failure else {
            result += pieces.map { Dependency(on: .entry($0), condition: condition) }
            result += left.map { Dependency(on: existing($0), condition: condition) }
            return
        }
        // It is enough that one element fails, and all dependencies of an operation have to come true: so only one of
        // them can ask for the failure. What is finished and not retried did not fail.
        if let piece = pieces.first {
            result.append(Dependency(on: .entry(piece), condition: .failure))
            result += pieces.dropFirst().map { Dependency(on: .entry($0)) }
            result += left.filter(isAwaited).map { Dependency(on: existing($0)) }
        } else if left.allSatisfy({ fate($0).outcome != nil }) {
            result.append(Dependency(on: existing(UInt32(firsts[entry])), condition: .failure))
        } else {
            result += left.filter(isAwaited).map {
                Dependency(on: existing($0), condition: fate($0).outcome == nil ? .failure : .any)
            }
        }
    }

    private func isAwaited(_ index: UInt32) -> Bool {
        fate(index).outcome == nil || fate(index).hasResult
    }

    private func existing(_ index: UInt32) -> Dependency.Target {
        .existing(.operation(OperationID(job: job.number, index: index)))
    }

    /// The elements of an array that are not retried, and that left a result or did not succeed.
    private mutating func elementsLeft(of entry: Int) -> [UInt32] {
        if let known = elementsLeft[entry] { return known }
        let left = range(of: entry).filter { index in
            let fate = fate(index)
            return !isRetried(index) && (fate.outcome != .succeeded || fate.hasResult)
        }
        elementsLeft[entry] = left
        return left
    }
}

/// Those of a table's values that are used, in the order in which they are.
private struct UsedValues<Value> {
    private let all: [Value]
    private var places: [Int: Int] = [:]
    private(set) var used: [Value] = []

    init(_ all: [Value]) {
        self.all = all
    }

    /// The new place of a value, which is used from now on.
    mutating func place(of old: Int) -> Int {
        if let place = places[old] { return place }
        places[old] = used.count
        return add(all[old])
    }

    /// The place of a value that only one has.
    mutating func add(_ value: Value) -> Int {
        used.append(value)
        return used.count - 1
    }
}
