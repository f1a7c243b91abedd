@_spi(Baton) extension Submission {
    /// Returns the submission for `baton retry`: the operations of a job to be tried again, as first submitted.
    ///
    /// By default the retry contains all operations that failed or were skipped because of a failure. A selection can restrict
    /// these to named operations; unsuccessful operations that the named ones need are then added. A selection can include
    /// cancelled operations, and operations skipped because of a cancellation. Dependents are included too, unless the
    /// selection excludes them.
    ///
    /// Operations keep their templates, added programs, queues, names and priorities, and array elements keep their numbers and
    /// items; holds, delays and queue changes are not repeated. A graph of the changes may have holds and delays of its own. A
    /// dependency inside the job refers to the new operation if its target is submitted again. Every other dependency refers to
    /// the target's address, so that the results of successful operations still reach their dependents (DE20), and an operation
    /// that was skipped for lack of a failure is skipped again. Array elements need no address if they were not needed, or succeeded and left no result.
    ///
    /// Three cases cannot be expressed exactly. If only a part of an array is submitted again and that part is not needed, then a
    /// dependent that needs the array is not needed either. If an array is divided, because elements have dependencies or
    /// dependents of their own, or because many elements of it lie in a few ranges, only the first part has the name. If several
    /// arrays are divided, all of which have to fail for a dependent, the failure of one is enough.
    ///
    /// Arrays that depend on each other element by element are divided at the same positions, into ranges, unless the same elements of
    /// all of them are submitted again.
    ///
    /// - Parameters:
    ///   - job: the job in the record.
    ///   - selection: the operations to select.
    ///   - changes: other commands and settings of the operations.
    /// - Returns: a submission without a key; nil if there is nothing to try again.
    /// - Throws: ``Refusal`` `invalid` if the retry would depend on too many single elements of arrays of the job, or if the changes
    ///   do not describe an operation.
    /// - Complexity: O(n log n) for n entries, runs of elements with the same fate, dependencies, and addresses and picked elements
    ///   of the result.
    public static func retrying(
        _ job: JobToRetry,
        selecting selection: RetrySelection = RetrySelection(),
        changing changes: RetryChanges = RetryChanges()
    ) throws(Refusal) -> Submission? {
        let retried = RetriedOperations(of: job, selection: selection)
        guard !retried.isEmpty else { return nil }
        var retry = Retry(
            job: try changes.applied(to: job.job, retrying: retried),
            retried: retried,
            changed: job.dependencies,
            // A graph has all commands of an operation.
            commands: changes.graph == nil ? job.commands : [:],
            hasNewWaits: changes.graph != nil
        )
        return try retry.submission()
    }
}

/// Converts the entries of a job into the entries of its retry.
private struct Retry {
    /// Operations of one entry that form an entry of the retry.
    struct Piece {
        /// The original entry.
        var entry: Int
        /// The index of its first operation.
        var first: UInt32
        /// The positions in the original entry, in ascending order; neighbours are one range.
        var positions: [Range<UInt32>]
    }

    /// The most addresses of elements that are not retried among the dependencies; each takes tens of bytes.
    private static let mostAddresses = 10_000_000
    /// The positions of a single operation, shared by all entries of one operation.
    private static let single = [0..<1 as Range<UInt32>]

    private let job: JobRecord
    private let retried: RetriedOperations
    private let changed: [UInt32: [Dependency]]
    private let commands: [UInt32: [[String]]]
    /// Whether the holds and delays of the entries are those of a graph for the retry, and not those of the old job.
    private let hasNewWaits: Bool
    /// The entries of the retry.
    private var pieces: [Piece] = []
    /// The pieces of each entry.
    private var piecesOfEntry: [Range<Int>] = []
    /// The pieces of operations that form an entry by themselves, by index.
    private var pieceOfIndex: [UInt32: Int] = [:]
    /// For each array, the elements that are not retried and still matter to dependents.
    private var elementsLeft: [Int: [Range<UInt32>]] = [:]
    /// The number of their addresses among the dependencies.
    private var addresses = 0
    /// For arrays that depend on each other element by element, the positions of the pieces of all of them.
    private var commonPieces: [Int: [Range<UInt32>]] = [:]
    /// For the same arrays, the pieces by their first positions.
    private var pieceAtPosition: [Int: [UInt32: Int]] = [:]

    init(
        job: JobRecord,
        retried: RetriedOperations,
        changed: [UInt32: [Dependency]],
        commands: [UInt32: [[String]]],
        hasNewWaits: Bool
    ) {
        self.job = job
        self.retried = retried
        self.changed = changed
        self.commands = commands
        self.hasNewWaits = hasNewWaits
        let apart = indicesApart()
        for group in retried.groups.all { findCommonPieces(of: group, apart: apart) }
        piecesOfEntry.reserveCapacity(job.submission.entries.count)
        for entry in job.submission.entries.indices {
            let start = pieces.count
            divide(entry, apart: apart)
            piecesOfEntry.append(start..<pieces.count)
        }
    }

    private var parts: AlikeOperations { retried.parts }

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

    /// Divides the arrays of a group at the same positions, unless all of them are submitted again in the same way.
    private mutating func findCommonPieces(of group: [Int], apart: Set<UInt32>) {
        var members: [[Range<UInt32>]] = []
        var bounds: Set<UInt32> = []
        var isAnyApart = false
        for entry in group {
            guard let first = parts.first(ofEntry: entry) else { continue }
            var ranges: [Range<UInt32>] = []
            for part in parts.parts(ofEntry: entry) where retried.contains(part: part) {
                let operations = parts.list[part].operations
                let positions = operations.lowerBound - first..<operations.upperBound - first
                if apart.contains(operations.lowerBound) {
                    isAnyApart = true
                    bounds.formUnion([positions.lowerBound, positions.upperBound])
                }
                ranges.append(adjoining: positions)
            }
            for range in ranges { bounds.formUnion([range.lowerBound, range.upperBound]) }
            members.append(ranges)
        }
        // Elements of other jobs are named by a range.
        let needRanges = group.contains { retried.groups.dependsOnOtherJobs($0) } && members.contains { $0.count > 1 }
        let areShorter = zip(group, members).allSatisfy { job.submission.isShorter($0, dividedInto: $1) }
        guard isAnyApart || needRanges || areShorter || !members.allSatisfy({ $0 == members.first }) else { return }
        let ordered = bounds.sorted()
        let segments = zip(ordered, ordered.dropFirst()).map { $0..<$1 }
        for entry in group { commonPieces[entry] = segments }
    }

    /// Makes the pieces of an entry: first the operations that can stay together, then the others singly.
    private mutating func divide(_ entry: Int, apart: Set<UInt32>) {
        guard let first = parts.first(ofEntry: entry) else { return }
        if let segments = commonPieces[entry] {
            for segment in segments where isRetried(first + segment.lowerBound) {
                let index = first + segment.lowerBound
                if apart.contains(index) { pieceOfIndex[index] = pieces.count }
                append(entry, first, [segment])
            }
            return
        }
        var together: [Range<UInt32>] = []
        var alone: [UInt32] = []
        for part in parts.parts(ofEntry: entry) where retried.contains(part: part) {
            let operations = parts.list[part].operations
            if !apart.isEmpty, apart.contains(operations.lowerBound) {
                alone.append(operations.lowerBound - first)
            } else {
                together.append(adjoining: operations.lowerBound - first..<operations.upperBound - first)
            }
        }
        if !retried.groups.contains(entry), job.submission.isShorter(entry, dividedInto: together) {
            for range in together { append(entry, first, [range]) }
        } else if !together.isEmpty {
            append(entry, first, job.submission.entries[entry].array == nil ? Self.single : together)
        }
        for position in alone {
            pieceOfIndex[first + position] = pieces.count
            append(entry, first, [position..<position + 1])
        }
    }

    private mutating func append(_ entry: Int, _ first: UInt32, _ positions: [Range<UInt32>]) {
        if retried.groups.contains(entry) {
            pieceAtPosition[entry, default: [:]][positions[0].lowerBound] = pieces.count
        }
        pieces.append(Piece(entry: entry, first: first + positions[0].lowerBound, positions: positions))
    }

    // MARK: - The submission

    mutating func submission() throws(Refusal) -> Submission {
        let old = job.submission
        var templates = UsedValues(old.templates)
        var queues = UsedValues(old.queueNames)
        var entries: [Entry] = []
        entries.reserveCapacity(pieces.count)
        for (number, piece) in pieces.enumerated() {
            let submitted = old.entries[piece.entry]
            let own = commands[piece.first]
            let template =
                own.map { templates.add(old.templates[submitted.template].running($0)) }
                ?? templates.place(of: submitted.template)
            var entry = submitted
            // Names are unique: the first piece of a divided array has the name.
            entry.name = piecesOfEntry[piece.entry].lowerBound == number ? submitted.name : nil
            entry.template = template
            entry.queue = queues.place(of: submitted.queue)
            if !hasNewWaits {
                entry.delay = nil
                entry.isHeld = false
            }
            entry.isCancelled = false
            entry.dependencies = EntryDependencies(try dependencies(of: piece))
            entry.array = submitted.array?.picking(piece.positions)
            entries.append(entry)
        }
        var retry = Submission(name: old.name, queueNames: queues.used, templates: templates.used, entries: entries)
        retry.settings = old.settings
        // What took a result then has succeeded, and its dependents refer to it.
        retry.settings.reuse = nil
        retry.retryOf = job.number
        return retry
    }

    private mutating func dependencies(of piece: Piece) throws(Refusal) -> [Dependency] {
        var result: [Dependency] = []
        let old = changed[piece.first].map { EntryDependencies($0) } ?? job.submission.entries[piece.entry].dependencies
        for dependency in old {
            switch dependency.target {
            case .entry(let entry):
                try append(entry: entry, dependency.condition, to: &result)
            case .existing(.operation(let id)) where id.job == job.number:
                let target = pieceOfIndex[id.index].map(Dependency.Target.entry) ?? dependency.target
                result.append(Dependency(on: target, condition: dependency.condition))
            case .existing, .element:
                result.append(dependency)
            case .elements, .existingElements:
                let target = elements(of: dependency.target, for: piece)
                result.append(Dependency(on: target, condition: dependency.condition))
            }
        }
        return result
    }

    /// The elements at the positions of a piece: the new operations if they are submitted again, and else the old ones.
    private func elements(of target: Dependency.Target, for piece: Piece) -> Dependency.Target {
        let positions = piece.positions[0]
        if let entry = target.elementsEntry(in: job.number, parts), let first = parts.first(ofEntry: entry) {
            if let other = pieceAtPosition[entry]?[positions.lowerBound] { return .elements(other) }
            return .existingElements(
                .operations(job.number, first + positions.lowerBound..<first + positions.upperBound)
            )
        }
        guard case .existingElements(.operations(let other, let range)) = target else { return target }
        let start = range.lowerBound + positions.lowerBound
        return .existingElements(.operations(other, start..<start + UInt32(positions.count)))
    }

    /// Appends the new form of a dependency on an entry of the job.
    private mutating func append(
        entry: Int,
        _ condition: DependencyCondition,
        to result: inout [Dependency]
    ) throws(Refusal) {
        let pieces = piecesOfEntry[entry]
        // Nothing can depend on an entry without operations.
        guard let first = parts.first(ofEntry: entry) else { return }
        guard job.submission.entries[entry].array != nil else {
            let target = pieces.first.map(Dependency.Target.entry) ?? existing(first)
            result.append(Dependency(on: target, condition: condition))
            return
        }
        let left = elementsLeft(of: entry)
        addresses += left.reduce(0) { $0 + $1.count }
        guard addresses <= Self.mostAddresses else {
            let sentence =
                "A part of job \(job.number) cannot be submitted again with its dependents: they would depend on more than "
                + "\(Self.mostAddresses) single elements of the job that are not part of it. Retry whole arrays, or leave the "
                + "dependents out."
            throw Refusal(.invalid, sentence)
        }
        // Of the parts of an array, one failure is enough, also where all dependencies have to fail.
        let isDivided = pieces.count + left.reduce(0) { $0 + $1.count } > 1
        let required = condition == .failureOfAll && isDivided ? .failure : condition
        result += pieces.map { Dependency(on: .entry($0), condition: required) }
        result += left.joined().map { Dependency(on: existing($0), condition: required) }
        // Nothing is left to wait for. But a dependent on the array's failure must still be skipped, and so must an operation
        // that needs the array if no element was needed.
        guard pieces.isEmpty, left.isEmpty, condition != .any else { return }
        let wasNeeded = parts.parts(ofEntry: entry).contains { !parts.list[$0].fate.isNotNeeded }
        if condition.isFailure || !wasNeeded {
            result.append(Dependency(on: existing(first), condition: condition))
        }
    }

    private func existing(_ index: UInt32) -> Dependency.Target {
        .existing(.operation(OperationID(job: job.number, index: index)))
    }

    /// Returns the elements of an array that are not retried, except unneeded ones and successes that left nothing.
    private mutating func elementsLeft(of entry: Int) -> [Range<UInt32>] {
        if let known = elementsLeft[entry] { return known }
        var left: [Range<UInt32>] = []
        for part in parts.parts(ofEntry: entry) where !retried.contains(part: part) {
            let (operations, fate) = (parts.list[part].operations, parts.list[part].fate)
            guard !fate.isNotNeeded, fate.outcome != .succeeded || fate.hasInputs else { continue }
            left.append(adjoining: operations)
        }
        elementsLeft[entry] = left
        return left
    }
}

extension Submission {
    /// From how many elements on a part of an array may be divided.
    private static let mostListed = 10_000
    /// How many elements a range of a divided array has at least, on average.
    private static let leastOfRange = 16

    /// Whether an array by numbers takes less memory if ranges of its elements become arrays of their own.
    ///
    /// A short part stays one array, and so does an array with a limit, which counts for each array.
    fileprivate func isShorter(_ entry: Int, dividedInto ranges: [Range<UInt32>]) -> Bool {
        guard ranges.count > 1, case .numbers? = entries[entry].array,
            templates[entries[entry].template].maxConcurrent == nil
        else { return false }
        let count = ranges.reduce(0) { $0 + $1.count }
        return count > Self.mostListed && ranges.count <= count / Self.leastOfRange
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
