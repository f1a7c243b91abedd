@_spi(Baton) extension Submission {
    /// Returns the submission for `baton retry`: the operations of a job to be tried again, as first submitted.
    ///
    /// By default the retry contains all operations that failed or were skipped because of a failure. A selection can restrict
    /// these to named operations; unsuccessful operations that the named ones need are then added. A selection can include
    /// cancelled operations, and operations skipped because of a cancellation. Dependents are included too, unless the
    /// selection excludes them.
    ///
    /// Operations keep their templates, added programs, queues, names and priorities, and array elements keep their numbers and
    /// items; holds, delays and queue changes are not repeated. A dependency inside the job refers to the new operation if its
    /// target is submitted again. Every other dependency refers to the target's address, so that the results of successful
    /// operations still reach their dependents (DE20), and an operation that was skipped for lack of a failure is skipped
    /// again. Array elements need no address if they were not needed, or succeeded and left no result.
    ///
    /// Two cases cannot be expressed exactly. If only a part of an array is submitted again and that part is not needed, then a
    /// dependent that needs the array is not needed either. If an array is divided, because elements have dependencies or
    /// dependents of their own, only the first part has the name.
    ///
    /// - Parameters:
    ///   - job: the job in the record.
    ///   - selection: the operations to select.
    /// - Returns: a submission without a key; nil if there is nothing to try again.
    /// - Complexity: O(operations + dependencies), where the dependencies on each element of an array count singly.
    public static func retrying(
        _ job: JobToRetry,
        selecting selection: RetrySelection = RetrySelection()
    ) -> Submission? {
        let retried = RetriedOperations(
            job: job.job,
            fates: job.fates,
            changed: job.dependencies,
            selection: selection
        )
        guard !retried.isEmpty else { return nil }
        var retry = Retry(job: job.job, retried: retried, changed: job.dependencies, commands: job.commands)
        return retry.submission()
    }
}

/// Converts the entries of a job into the entries of its retry.
private struct Retry {
    /// Operations of one entry that form an entry of the retry.
    struct Piece {
        /// The original entry.
        var entry: Int
        /// The positions in the original entry, in ascending order.
        var positions: [Int]
    }

    /// The positions of a single operation, shared by all pieces of one operation.
    private static let single = [0]

    private let job: JobRecord
    private let retried: RetriedOperations
    private let changed: [UInt32: [Dependency]]
    private let commands: [UInt32: [[String]]]
    /// The entries of the retry.
    private var pieces: [Piece] = []
    /// The pieces of each entry.
    private var piecesOfEntry: [Range<Int>] = []
    /// The pieces of operations that form an entry by themselves, by index.
    private var pieceOfIndex: [UInt32: Int] = [:]
    /// For each array, the elements that are not retried and still matter to dependents.
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

    /// Returns the retried operations that cannot share an entry with others.
    ///
    /// They have dependencies or programs of their own, or a dependent on them alone.
    private func indicesApart() -> Set<UInt32> {
        var apart = Set(commands.keys.filter { isRetried($0) })
        // What was added to the job may depend on single elements of its arrays.
        for entry in job.submission.entries where entry.dependencies.haveExisting {
            for case .existing(.operation(let id)) in entry.dependencies.lazy.map(\.target)
            where id.job == job.number && isRetried(id.index) {
                apart.insert(id.index)
            }
        }
        for (index, dependencies) in changed where isRetried(index) {
            apart.insert(index)
            for case .existing(.operation(let id)) in dependencies.lazy.map(\.target)
            where id.job == job.number && isRetried(id.index) {
                apart.insert(id.index)
            }
        }
        return apart
    }

    /// Makes the pieces of an entry: first the operations that can stay together, then the others singly.
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
            var entry = submitted
            // Names are unique: the first piece of a divided array has the name.
            entry.name = piecesOfEntry[piece.entry].lowerBound == number ? submitted.name : nil
            entry.template = template
            entry.queue = queues.place(of: submitted.queue)
            entry.delay = nil
            entry.isHeld = false
            entry.isCancelled = false
            entry.dependencies = EntryDependencies(dependencies(of: piece))
            entry.array = submitted.array?.picking(piece.positions)
            entries.append(entry)
        }
        var retry = Submission(name: old.name, queueNames: queues.used, templates: templates.used, entries: entries)
        retry.settings = old.settings
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

    /// Appends the new form of a dependency on an entry of the job.
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
        // Nothing is left to wait for. But a dependent on the array's failure must still be skipped, and so must an operation
        // that needs the array if no element was needed.
        guard pieces.isEmpty, left.isEmpty, condition != .any else { return }
        let wasNeeded = retried.range(of: entry).contains { !retried.fate($0).isNotNeeded }
        if condition == .failure || !wasNeeded {
            result.append(Dependency(on: existing(UInt32(firsts[entry])), condition: condition))
        }
    }

    private func existing(_ index: UInt32) -> Dependency.Target {
        .existing(.operation(OperationID(job: job.number, index: index)))
    }

    /// Returns the elements of an array that are not retried, except unneeded ones and successes without a result.
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

/// The used values of a table, in the order of first use.
private struct UsedValues<Value> {
    private let all: [Value]
    private var places: [Int: Int] = [:]
    private(set) var used: [Value] = []

    init(_ all: [Value]) {
        self.all = all
    }

    /// Returns the new place of a value, and marks the value as used.
    mutating func place(of old: Int) -> Int {
        if let place = places[old] { return place }
        places[old] = used.count
        return add(all[old])
    }

    /// Adds a value with a single user and returns its place.
    mutating func add(_ value: Value) -> Int {
        used.append(value)
        return used.count - 1
    }
}
