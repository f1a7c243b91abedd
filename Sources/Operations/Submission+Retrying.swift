extension Submission {
    /// What `baton retry` submits, by all that the record has of the job; see
    /// ``retrying(_:fates:dependencies:commands:selecting:)``.
    public static func retrying(
        _ restored: RestoredJob,
        selecting selection: RetrySelection = RetrySelection()
    ) -> Submission? {
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
            commands: restored.commands,
            selecting: selection
        )
    }

    /// What `baton retry` submits: the operations of a job that are to be tried again, as they were submitted.
    ///
    /// Those are the ones that failed or were skipped because of a failure, or of these the named ones with what they need and
    /// did not get; what was cancelled or skipped because of that, where it is asked for; and their dependents, unless these are
    /// not wanted.
    ///
    /// They keep their templates, queues, names and levels, and elements of arrays their numbers and items; holds, delays and
    /// changes of queues are not repeated. What they depended on inside the job and is submitted again too, they depend on
    /// there. All else they depend on by its address, so that the results of what succeeded still reach them (DE20), and
    /// what an operation was skipped for because it did not fail skips it again. Of an array, elements that were not needed, or
    /// succeeded and left no result, need no address.
    ///
    /// Two things cannot be said exactly. What needs an array of which only a part is submitted again is not needed where that
    /// part is not. And of an array that has to be divided, because elements have dependencies or dependents of their own, only
    /// the first part has its name.
    ///
    /// - Parameters:
    ///   - job: the job as it is kept.
    ///   - fates: what has become of its operations, by index; those beyond the end count as unfinished.
    ///   - changed: the dependencies of those whose dependencies were changed after the submission, by index.
    ///   - commands: the programs of those to which some were added after the submission, by index; they keep them.
    ///   - selection: which operations are meant.
    /// - Returns: a submission without a key; nil where there is nothing to try again.
    /// - Complexity: O(operations + dependencies), where the dependencies on each element of an array count singly.
    public static func retrying(
        _ job: JobRecord,
        fates: [OperationFate],
        dependencies changed: [UInt32: [Dependency]] = [:],
        commands: [UInt32: [[String]]] = [:],
        selecting selection: RetrySelection = RetrySelection()
    ) -> Submission? {
        let retried = RetriedOperations(job: job, fates: fates, changed: changed, selection: selection)
        guard !retried.isEmpty else { return nil }
        var retry = Retry(job: job, retried: retried, changed: changed, commands: commands)
        return retry.submission()
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
    private let retried: RetriedOperations
    private let changed: [UInt32: [Dependency]]
    private let commands: [UInt32: [[String]]]
    /// The entries of the retry.
    private var pieces: [Piece] = []
    /// Which pieces come from each entry.
    private var piecesOfEntry: [Range<Int>] = []
    /// The pieces of operations that are an entry by themselves, by index.
    private var pieceOfIndex: [UInt32: Int] = [:]
    /// Of arrays, the elements that are not retried and yet matter to dependents, by entry.
    private var elementsLeft: [Int: [UInt32]] = [:]

    init(
        job: JobRecord,
        retried: RetriedOperations,
        changed: [UInt32: [Dependency]],
        commands: [UInt32: [[String]]]
    ) {
        self.job = job
        self.retried = retried
        self.changed = changed
        self.commands = commands
        let apart = indicesApart()
        for (entry, submitted) in job.submission.entries.enumerated() {
            let start = pieces.count
            divide(entry, count: submitted.count, apart: apart)
            piecesOfEntry.append(start..<pieces.count)
        }
    }

    private var firsts: [Int] { retried.firsts }

    /// Whether an operation is submitted again.
    private func isRetried(_ index: UInt32) -> Bool { retried.contains(index) }

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
        var positions =
            count == 1
            ? (isRetried(UInt32(first)) ? Self.single : [])
            : (0..<count).filter { isRetried(UInt32(first + $0)) }
        guard !positions.isEmpty else { return }
        var alone: [Int] = []
        if !apart.isEmpty {
            alone = positions.filter { apart.contains(UInt32(first + $0)) }
            if !alone.isEmpty { positions.removeAll { apart.contains(UInt32(first + $0)) } }
        }
        if !positions.isEmpty { pieces.append(Piece(entry: entry, positions: positions)) }
        for position in alone {
            pieceOfIndex[UInt32(first + position)] = pieces.count
            pieces.append(Piece(entry: entry, positions: [position]))
        }
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
        var retry = Submission(name: old.name, queueNames: queues.used, templates: templates.used, entries: entries)
        retry.retryOf = job.number
        return retry
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
        result += pieces.map { Dependency(on: .entry($0), condition: condition) }
        result += left.map { Dependency(on: existing($0), condition: condition) }
        // Nothing is left to wait for; but what is to run on a failure, or after something that was needed, still is not to run.
        guard pieces.isEmpty, left.isEmpty, condition != .any else { return }
        let wasNeeded = retried.range(of: entry).contains { !retried.fate($0).isNotNeeded }
        if condition == .failure || !wasNeeded {
            result.append(Dependency(on: existing(UInt32(firsts[entry])), condition: condition))
        }
    }

    private func existing(_ index: UInt32) -> Dependency.Target {
        .existing(.operation(OperationID(job: job.number, index: index)))
    }

    /// The elements of an array that are not retried, and that left a result, or neither succeeded nor were not needed.
    private mutating func elementsLeft(of entry: Int) -> [UInt32] {
        if let known = elementsLeft[entry] { return known }
        let left = retried.range(of: entry).filter { index in
            let fate = retried.fate(index)
            return !isRetried(index) && !fate.isNotNeeded && (fate.outcome != .succeeded || fate.hasResult)
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
