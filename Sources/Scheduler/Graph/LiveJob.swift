@_spi(Baton) import BatonOperations

/// The index of an array in its job.
struct ArrayIndex: Hashable, Sendable {
    fileprivate let position: Int32

    /// The offset in ``LiveJob/arrays``.
    var offset: Int { Int(position) }
}

extension ArrayIndex: HasUnusedValue {
    /// The index before the first array.
    static var unused: ArrayIndex { ArrayIndex(position: -1) }
}

/// A job with unfinished operations.
struct LiveJob {
    /// The job's state of an entry of its submission.
    struct LiveEntry {
        /// The index of the entry's first operation.
        var first: UInt32
        /// The number of operations of the entry.
        var count: UInt32
        /// The position of the entry's template.
        var template: Int32
        /// The start of the entry's dependencies in the job's list; the start of the next entry's dependencies is their end.
        var dependencies: Int32
        /// The node of a single operation; nil after the operation has finished, and for arrays.
        @Narrow var node: NodeIndex? = nil
        /// The array in the job's arrays; nil for a single operation.
        @Narrow var array: ArrayIndex? = nil
    }

    /// The job's state of an array.
    struct LiveArray {
        /// The position of the array's entry in the job.
        let entry: Int
        /// The values that distinguish the elements.
        var values: ArrayValues
        /// The nodes of several elements each, in the order of indices.
        var blocks: [NodeIndex] = []
        /// The nodes of single elements, by index.
        var elements: [UInt32: NodeIndex] = [:]
        /// The array as the target of a dependency.
        var join: Join
        /// The most elements that are at workers at once; nil for no limit.
        var limit: UInt32? = nil
        /// The number of elements at workers; 0 for an array without a limit.
        var taken: UInt32 = 0
        /// The ready elements that wait because of the limit, in the order of their queue.
        var setAside = BinaryHeap<ReadyEntry>()
    }

    /// The job's number.
    let number: JobNumber
    /// The job's name, if any.
    let name: String?
    /// The client's key for the job, if any.
    let key: String?
    /// The time of the submission.
    private(set) var submittedAt: Timestamp
    /// Who asked for the job; nil if nobody is known.
    private(set) var submittedBy: String?
    /// What the submission says about the job as a whole.
    let settings: JobSettings
    /// The name of the first operation's queue.
    let firstQueue: String
    /// How far the job is on its way to its maximum of failures.
    var failures = FailureProgress.counting([])
    /// The templates, which similar entries share.
    private(set) var templates: [Template] = []
    /// The types of the templates' operations, nil for a template that every worker runs; empty if all are nil.
    private(set) var types: [String?] = []
    /// The types together with the needed versions of the option set; empty if all are nil.
    private(set) var neededTypes: [String?] = []
    /// The times that the templates declare, as ``Requirement/time``; empty if none does.
    private var times: [Int64] = []
    /// Whether an array of the job has a limit.
    private(set) var hasArrayLimits = false
    /// What each template's operations ask of their workers, nil for nothing; empty if all are nil.
    private(set) var requests: [RequestIndex?] = []
    /// What a worker has to offer for each template's operations, nil for nothing; empty if all are nil.
    private(set) var requirements: [Requirement?] = []
    /// The entries' names, each empty for an entry without a name.
    private(set) var names: [String] = []
    /// The dependencies of all entries in order, as submitted.
    private(set) var dependencies: DependencyList
    /// The dependencies of the operations whose dependencies have changed since, by index.
    var changedDependencies: [UInt32: [Dependency]] = [:]
    /// The commands of the operations that have got further commands since, by index.
    var changedCommands: [UInt32: [[String]]] = [:]
    /// The limits of the operations of which attempts ran out of theirs, by index.
    var grownLimits: [UInt32: GrownLimits] = [:]
    /// Whether the record may lack first attempts: operations without a recorded attempt then pass over number 1.
    var mayMissAttempts = false
    /// The progress that the running operations report, as a sum in millionths of an operation.
    var partial: Int64 = 0
    /// The mean duration of attempts of each template, in microseconds, nil before the first attempt of the template has ended.
    ///
    /// Shorter than the templates, or empty, as long as no attempt of the last templates has ended: a large job that arrives takes no
    /// memory for it.
    private(set) var meanDurations: [Int64?] = []
    /// The job's entries, in the order of their indices.
    var entries: [LiveEntry] = []
    /// The arrays among the entries.
    var arrays: [LiveArray] = []
    /// The deadlines of the operations and of the job that have not passed; nil for a job that has none.
    var deadlines: JobDeadlines?
    /// The number of parts, the submission and additions, that are not on disk.
    var uncommittedParts: Int32 = 0
    /// The additions of a job that was submitted as open; nil for other jobs.
    var growth: JobGrowth?
    /// When the first attempt was started; nil before.
    @Narrow var startedAt: Timestamp? = nil
    /// The number of the job's operations in each state.
    var counts = JobCounts()
    /// The job as the target of a dependency.
    var join: Join

    /// Whether the job with all its operations is on disk.
    @inline(__always) var isCommitted: Bool { uncommittedParts == 0 }

    /// Whether the job takes further operations.
    var isOpen: Bool { growth?.isOpen ?? false }

    /// Takes over a submission; no entry has a node yet.
    ///
    /// - Parameters:
    ///   - needs: what the operations of the templates need of their workers.
    ///   - requests: what each template's operations ask of their workers; empty for nothing.
    ///   - distinguishesVersions: whether versions of the option set play a part.
    ///   - distinguishesTimes: whether declared times play a part.
    ///   - takesEntries: whether to take the entries over, too; otherwise they are appended later.
    init(
        _ record: JobRecord,
        _ needs: TemplateNeeds,
        requests: [RequestIndex?] = [],
        distinguishesVersions: Bool = false,
        distinguishesTimes: Bool = false,
        takesEntries: Bool = true
    ) {
        let submission = record.submission
        number = record.number
        name = submission.name
        key = submission.key
        submittedAt = record.submittedAt
        submittedBy = record.submittedBy
        settings = submission.settings
        firstQueue = submission.entries.first.map { submission.queueNames[$0.queue] } ?? Submission.defaultQueue
        entries.reserveCapacity(submission.entries.count)
        names.reserveCapacity(submission.entries.count)
        dependencies = DependencyList(
            capacity: takesEntries
                ? submission.entries.indices.reduce(0) { $0 + submission.entries[$1].dependencies.count } : 0
        )
        join = Join(unfinished: submission.isOpen ? 1 : 0, isJob: true)
        if submission.isOpen { growth = JobGrowth(isOpen: true, traceParent: submission.settings.traceParent) }
        append(submission.templates, needs, requests: requests)
        if takesEntries { append(submission.entries, templateBase: 0, earlier: []) }
        updateRequirements(distinguishesVersions: distinguishesVersions, distinguishesTimes: distinguishesTimes)
    }

    /// Notes when the job was accepted, and who asked for it.
    mutating func noteSubmission(at moment: Timestamp, by requester: String?) {
        (submittedAt, submittedBy) = (moment, requester)
    }

    /// Adds templates, with the requirements on the workers of their operations.
    mutating func append(_ added: [Template], _ needs: TemplateNeeds, requests addedRequests: [RequestIndex?]) {
        let counts = (before: templates.count, added: added.count)
        // The templates of a submission stay where they are: a copy of a million would take longer than their nodes.
        if templates.isEmpty { templates = added } else { templates += added }
        Self.append(needs.types, to: &types, counts, plain: nil)
        Self.append(needs.neededTypes, to: &neededTypes, counts, plain: nil)
        Self.append(needs.times.map { $0.map(Requirement.time) ?? 0 }, to: &times, counts, plain: 0)
        Self.append(addedRequests, to: &requests, counts, plain: nil)
    }

    /// Adds values of added templates behind those of earlier templates; an empty list stands for plain values alone.
    private static func append<Value: Equatable>(
        _ added: [Value],
        to values: inout [Value],
        _ counts: (before: Int, added: Int),
        plain: Value
    ) {
        guard !values.isEmpty || !added.isEmpty else { return }
        if values.isEmpty { values = Array(repeating: plain, count: counts.before) }
        values += added.isEmpty ? Array(repeating: plain, count: counts.added) : added
    }

    /// Computes what a worker has to offer for the operations of the templates from a position on.
    mutating func updateRequirements(from position: Int, distinguishesVersions: Bool, distinguishesTimes: Bool) {
        guard !requirements.isEmpty else {
            return updateRequirements(
                distinguishesVersions: distinguishesVersions,
                distinguishesTimes: distinguishesTimes
            )
        }
        let types = distinguishesVersions ? neededTypes : types
        let times = distinguishesTimes ? times : []
        for template in position..<templates.count {
            requirements.append(requirement(ofTemplate: template, types, times))
        }
    }

    /// Adds an array.
    mutating func add(_ array: LiveArray) -> ArrayIndex {
        if array.limit != nil { hasArrayLimits = true }
        arrays.append(array)
        return ArrayIndex(position: Int32(arrays.count - 1))
    }

    /// Adds a dependency to those of the last entry.
    mutating func add(_ dependency: Dependency) { dependencies.append(dependency) }

    /// Adds the names of entries.
    mutating func add(names added: some Sequence<String>) { names += added }

    /// Computes what a worker has to offer for each template's operations.
    mutating func updateRequirements(distinguishesVersions: Bool, distinguishesTimes: Bool) {
        let types = distinguishesVersions ? neededTypes : types
        let times = distinguishesTimes ? times : []
        guard !types.isEmpty || !times.isEmpty || !requests.isEmpty else { return requirements = [] }
        requirements = templates.indices.map { requirement(ofTemplate: $0, types, times) }
    }

    private func requirement(ofTemplate position: Int, _ types: [String?], _ times: [Int64]) -> Requirement? {
        let requirement = Requirement(
            type: types.isEmpty ? nil : types[position],
            time: times.isEmpty ? 0 : times[position],
            request: requests.isEmpty ? nil : requests[position]
        )
        return requirement == Requirement() ? nil : requirement
    }

    /// Notes what a template's operations ask of their workers, in place of nothing.
    mutating func noteRequest(
        _ request: RequestIndex,
        ofTemplate position: Int,
        distinguishesVersions: Bool,
        distinguishesTimes: Bool
    ) {
        requests[position] = request
        let types = distinguishesVersions ? neededTypes : types
        requirements[position] = requirement(ofTemplate: position, types, distinguishesTimes ? times : [])
    }

    /// The mean duration of attempts of a template, in microseconds; nil before the first attempt has ended.
    @inline(__always)
    func meanDuration(ofTemplate position: Int) -> Int64? {
        position < meanDurations.count ? meanDurations[position] : nil
    }

    /// Updates the mean duration of a template by an attempt's duration, in microseconds; each new attempt counts an eighth.
    mutating func learnDuration(_ duration: Int64, ofTemplate position: Int) {
        if position >= meanDurations.count {
            meanDurations += Array(repeating: nil, count: templates.count - meanDurations.count)
        }
        meanDurations[position] = meanDurations[position].map { $0 + (duration - $0) / 8 } ?? duration
    }

    /// Whether a template's operations declare how long they take.
    func declaresTime(template position: Int) -> Bool { !times.isEmpty && times[position] > 0 }

    /// The number of operations in the job.
    var operationCount: Int {
        entries.last.map { Int($0.first) + Int($0.count) } ?? 0
    }

    /// The positions of an entry's dependencies in the job's list.
    func dependencyRange(ofEntry entry: Int) -> Range<Int> {
        let end = entry + 1 < entries.count ? Int(entries[entry + 1].dependencies) : dependencies.count
        return Int(entries[entry].dependencies)..<end
    }

    /// The dependencies of an operation.
    func dependencies(ofEntry entry: Int, at index: UInt32) -> [Dependency] {
        if !changedDependencies.isEmpty, let changed = changedDependencies[index] { return changed }
        return dependencyRange(ofEntry: entry).map { dependencies[$0] }
    }

    /// The first dependencies of an operation, at most some number.
    func dependencies(ofEntry entry: Int, at index: UInt32, first limit: Int) -> [Dependency] {
        if !changedDependencies.isEmpty, let changed = changedDependencies[index] {
            return Array(changed.prefix(limit))
        }
        return dependencyRange(ofEntry: entry).prefix(limit).map { dependencies[$0] }
    }

    /// The entry and the condition of a dependency, or nil unless its target is a single operation of the same job.
    func ownOperation(ofDependency position: Int) -> (entry: Int, condition: DependencyCondition)? {
        guard let own = dependencies.own(at: position), arrays.isEmpty || entries[own.entry].array == nil else {
            return nil
        }
        return own
    }

    /// The node and the condition of a dependency, or nil unless its target is an unfinished single operation of the same job.
    func ownNode(ofDependency position: Int) -> (node: NodeIndex, condition: DependencyCondition)? {
        guard let (entry, condition) = dependencies.own(at: position), let node = entries[entry].node else {
            return nil
        }
        return (node, condition)
    }

    /// The entry of the operation with an index, or nil if the job has no such index.
    ///
    /// - Complexity: O(1) in a job without arrays, else O(log entries).
    func entry(ofIndex index: UInt32) -> Int? {
        guard Int(index) < operationCount else { return nil }
        if arrays.isEmpty { return Int(index) }
        return (1..<entries.count).binarySearch { entries[$0].first > index } - 1
    }

    /// The entry with a name, or nil.
    ///
    /// - Complexity: O(entries), in an open job O(1); only users' requests ask by name, never the course of an operation.
    func entry(named name: String) -> Int? {
        if let growth, growth.isOpen { return growth.names[name].map { Int($0) } }
        return name.isEmpty ? nil : names.firstIndex(of: name)
    }

    /// The position of the array with a name, or nil.
    ///
    /// - Complexity: O(arrays).
    func array(named name: String) -> ArrayIndex? {
        guard !name.isEmpty, let position = arrays.firstIndex(where: { names[$0.entry] == name }) else { return nil }
        return ArrayIndex(position: Int32(position))
    }
    /// The address of an array: the array's name, or else the address of the first element.
    func address(of array: ArrayIndex) -> Address {
        let entry = arrays[array.offset].entry
        let name = names[entry]
        return name.isEmpty
            ? .operation(OperationID(job: number, index: entries[entry].first)) : .named(number, name)
    }
}
