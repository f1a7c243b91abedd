import BatonOperations

/// A job with unfinished operations.
struct LiveJob {
    /// What the job keeps of an entry of its submission.
    struct LiveEntry {
        /// The index of its first operation.
        var first: UInt32
        /// How many operations it stands for.
        var count: UInt32
        /// Its template.
        var template: Int32
        /// Where its dependencies start in the job's list; they end where the next entry's start.
        var dependencies: Int32
        /// The node of a single operation; -1 once that is finished, and for arrays.
        var node: Int32 = -1
        /// The position of an array in the job's arrays; -1 for a single operation.
        var array: Int32 = -1
    }

    /// What the job keeps of an array.
    struct LiveArray {
        /// The position of its entry in the job.
        let entry: Int
        /// What tells its elements apart.
        var values: ArrayValues
        /// The nodes of more than one element, in the order of their indices.
        var blocks: [Int32] = []
        /// The nodes of single elements.
        var elements: [UInt32: Int32] = [:]
        /// The array as one dependency.
        var join: Join
    }

    /// The job's number.
    let number: JobNumber
    /// Its name, where it has one.
    let name: String?
    /// The client's key, where it gave one.
    let key: String?
    /// When it was submitted.
    let submittedAt: Timestamp
    /// What alike entries share.
    let templates: [Template]
    /// The types of the templates' operations, nil where every worker will do; empty where that is so of all of them.
    let types: [String?]
    /// The entries' names; empty where there is none.
    let names: [String]
    /// The dependencies of all entries, one after the other, as they were submitted.
    let dependencies: DependencyList
    /// The dependencies of those operations whose dependencies were changed since, by index.
    var changedDependencies: [UInt32: [Dependency]] = [:]
    /// The programs of those operations to which some were added since, by index.
    var changedCommands: [UInt32: [[String]]] = [:]
    /// Whether attempts may have been made of operations that have none in the record: their first number is passed over.
    var mayMissAttempts = false
    /// What its running operations say is done of them, in millionths of an operation.
    var partial: Int64 = 0
    /// How long attempts of each template took, in microseconds: each new one counts an eighth; nil where none has ended.
    var meanDurations: [Int64?]
    /// Its entries, in order of their indices.
    var entries: [LiveEntry]
    /// Those of its entries that are arrays.
    var arrays: [LiveArray]
    /// Whether it is on disk.
    var isKept = true
    /// How many of its operations are in which state.
    var counts: JobCounts
    /// The job as one dependency.
    var join: Join

    /// Takes over a submission; no entry has a node yet.
    init(_ record: JobRecord) {
        let submission = record.submission
        number = record.number
        name = submission.name
        key = submission.key
        submittedAt = record.submittedAt
        templates = submission.templates
        let types = submission.templates.map(\.work.kind.type)
        self.types = types.contains { $0 != nil } ? types : []
        meanDurations = Array(repeating: nil, count: submission.templates.count)
        let submitted = submission.entries
        names = submitted.indices.map { submitted[$0].name ?? "" }
        var entries: [LiveEntry] = []
        entries.reserveCapacity(submitted.count)
        var arrays: [LiveArray] = []
        var dependencies = DependencyList(
            capacity: submitted.indices.reduce(0) { $0 + submitted[$1].dependencies.count }
        )
        var operations = 0
        // By position: a copy of each of a million entries would take longer than all else here.
        for position in submitted.indices {
            let count = submitted[position].count
            var live = LiveEntry(
                first: UInt32(operations),
                count: UInt32(count),
                template: Int32(submitted[position].template),
                dependencies: Int32(dependencies.count)
            )
            if let values = submitted[position].array {
                live.array = Int32(arrays.count)
                arrays.append(LiveArray(entry: position, values: values, join: Join(unfinished: count, isJob: false)))
            }
            entries.append(live)
            for dependency in submitted[position].dependencies { dependencies.append(dependency) }
            operations += count
        }
        self.entries = entries
        self.arrays = arrays
        self.dependencies = dependencies
        counts = JobCounts()
        join = Join(unfinished: operations, isJob: true)
    }

    /// How many operations the job has.
    var operationCount: Int {
        entries.last.map { Int($0.first) + Int($0.count) } ?? 0
    }

    /// Where an entry's dependencies stand in the job's list.
    func dependencyRange(ofEntry entry: Int) -> Range<Int> {
        let end = entry + 1 < entries.count ? Int(entries[entry + 1].dependencies) : dependencies.count
        return Int(entries[entry].dependencies)..<end
    }

    /// What an operation depends on.
    func dependencies(ofEntry entry: Int, at index: UInt32) -> [Dependency] {
        if !changedDependencies.isEmpty, let changed = changedDependencies[index] { return changed }
        return dependencyRange(ofEntry: entry).map { dependencies[$0] }
    }

    /// The entry that a dependency is on, and its condition, where that is a single operation of the job itself.
    func ownOperation(ofDependency position: Int) -> (entry: Int, condition: DependencyCondition)? {
        guard let own = dependencies.own(at: position), arrays.isEmpty || entries[own.entry].array < 0 else {
            return nil
        }
        return own
    }

    /// The node that a dependency is, and its condition, where it is on an unfinished single operation of the job itself.
    func ownNode(ofDependency position: Int) -> (node: Int32, condition: DependencyCondition)? {
        guard let (entry, condition) = dependencies.own(at: position), entries[entry].node >= 0 else { return nil }
        return (entries[entry].node, condition)
    }

    /// The entry that an operation comes from, or nil where the job has no such index.
    ///
    /// - Complexity: O(1) in a job without arrays, else O(log entries).
    func entry(ofIndex index: UInt32) -> Int? {
        guard Int(index) < operationCount else { return nil }
        if arrays.isEmpty { return Int(index) }
        var low = 0
        var high = entries.count - 1
        while low < high {
            let middle = (low + high + 1) / 2
            if entries[middle].first <= index { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The entry with a name, or nil.
    ///
    /// - Complexity: O(entries); only users' requests ask by name, never the course of an operation.
    func entry(named name: String) -> Int? {
        name.isEmpty ? nil : names.firstIndex(of: name)
    }

    /// The position of the array with a name, or nil.
    ///
    /// - Complexity: O(arrays).
    func array(named name: String) -> Int? {
        name.isEmpty ? nil : arrays.firstIndex { names[$0.entry] == name }
    }

    /// The address of an array: by its name, or else that of its first element.
    func address(ofArray array: Int) -> Address {
        let entry = arrays[array].entry
        let name = names[entry]
        return name.isEmpty
            ? .operation(OperationID(job: number, index: entries[entry].first)) : .named(number, name)
    }
}
