@_spi(Baton) public import BatonDocuments
@_spi(Baton) public import BatonOperations

/// Finds the operations of a job that wait for one of its operations directly, from the pages of the job's history.
///
/// The pages inside of large arrays need not be read: see ``next(after:)``. The memory does not grow with the job.
@_spi(Baton) public struct JobDependents {
    /// The most dependents of a document.
    public static let mostDependents = 500
    /// The most operations that are read inside of arrays, beyond the first page of each.
    ///
    /// Of arrays after that, the state is that of the first and the last elements, and elements in between whose dependencies were
    /// changed after the submission are as the others.
    public static let mostElementsRead: UInt32 = 100_000

    private struct Dependent {
        /// The first operation.
        var first: UInt32
        var name: String?
        var condition: DependencyCondition
        var counts = JobCounts()
        var outcome: Outcome?
        /// The number of elements that wait, but were not read.
        var unread = 0
    }

    /// The array that goes on behind the last page.
    private struct OpenArray {
        var first: UInt32
        /// What its elements require of the operation; nil if they do not wait for it.
        var condition: DependencyCondition?
        /// The only element that waits for the operation; nil if all do or none does.
        var element: (index: UInt32, condition: DependencyCondition)?
        /// The place of its dependent; nil beyond the limit, and without one so far.
        var place: Int?
        /// Whether it has a dependent, listed or not.
        var isCounted = false
    }

    private let operation: OperationID
    private let limit: Int
    private var dependents: [Dependent] = []
    private var more = 0
    private var array: OpenArray?
    private var elementsToRead = Self.mostElementsRead
    /// The counts of the whole job.
    private var jobCounts = JobCounts()

    /// Begins a list.
    ///
    /// - Parameter limit: the most dependents that are listed; others are counted.
    public init(of operation: OperationID, limit: Int) {
        self.operation = operation
        self.limit = min(limit, Self.mostDependents)
    }

    /// Adds a page: the first one of the job, or the one that ``next(after:)`` named.
    public mutating func add(_ page: HistoryPage) {
        jobCounts = page.counts
        var operations = page.operations[...]
        for entry in page.entries {
            if array?.first != entry.first || page.from <= entry.first {
                array = OpenArray(
                    first: entry.first,
                    condition: condition(in: entry.dependencies),
                    element: element(of: entry)
                )
            }
            let part = max(entry.first, page.from)..<min(entry.range.upperBound, page.next ?? .max)
            let hasElement = array?.element.map { part.contains($0.index) } ?? false
            guard !part.isEmpty, array?.condition != nil || hasElement || !entry.changes.isEmpty else { continue }
            add(part, of: entry, &operations)
        }
    }

    /// Adds the operations of an entry on a page.
    private mutating func add(
        _ part: Range<UInt32>,
        of entry: HistoryEntry,
        _ operations: inout ArraySlice<OperationHistory>
    ) {
        var start = part.lowerBound
        var apart = entry.changes.map { (index: $0.operation, condition: condition(in: $0.dependencies)) }
        if let element = array?.element, !apart.contains(where: { $0.index == element.index }) {
            apart.append((element.index, array?.condition ?? element.condition))
            apart.sort { $0.index < $1.index }
        }
        for (index, condition) in apart where part.contains(index) {
            note(start..<index, array?.condition, of: entry, &operations)
            note(index..<index + 1, condition, of: entry, &operations)
            start = index + 1
        }
        note(start..<part.upperBound, array?.condition, of: entry, &operations)
    }

    /// Notes operations that require the same of the operation.
    private mutating func note(
        _ range: Range<UInt32>,
        _ condition: DependencyCondition?,
        of entry: HistoryEntry,
        _ operations: inout ArraySlice<OperationHistory>
    ) {
        guard let condition, !range.isEmpty else { return }
        if array?.isCounted == false {
            array?.isCounted = true
            if dependents.count < limit {
                array?.place = dependents.count
                dependents.append(Dependent(first: range.lowerBound, name: entry.name, condition: condition))
            } else {
                more += 1
            }
        }
        guard let place = array?.place else { return }
        while let history = operations.first, history.range.lowerBound < range.upperBound {
            let known = history.range.clamped(to: range)
            if !known.isEmpty {
                history.add(to: &dependents[place].counts, number: known.count)
                dependents[place].outcome = history.outcome
            }
            // The same history may go on behind the range.
            if history.range.upperBound > range.upperBound { break }
            operations.removeFirst()
        }
    }

    /// What the dependencies require of the operation; nil if it is not among them.
    ///
    /// Of several dependencies on it, by itself and as an element, one that requires a certain end decides.
    private func condition(in dependencies: [HistoryDependency]) -> DependencyCondition? {
        var found: DependencyCondition?
        for dependency in dependencies where !dependency.isElementwise && dependency.includes(operation.index) {
            if found == nil || found == .any { found = dependency.condition }
        }
        return found
    }

    /// The only element of an array that waits for the operation, which is the one at the same position of another array.
    private func element(of entry: HistoryEntry) -> (index: UInt32, condition: DependencyCondition)? {
        let dependency = entry.dependencies.first { $0.isElementwise && $0.includes(operation.index) }
        return dependency.map { (entry.first + (operation.index - $0.first), $0.condition) }
    }

    /// The first operation of the next page that has to be added; nil if the list is complete.
    ///
    /// - Parameter page: the page that was added last.
    public mutating func next(after page: HistoryPage) -> UInt32? {
        guard let next = page.next else { return nil }
        guard let last = page.entries.last, last.isArray, last.range.upperBound > next else { return next }
        if let element = array?.element, element.index >= next { return element.index }
        let end = last.range.upperBound
        let length = UInt32(HistoryPage.mostOperations)
        if elementsToRead >= length || end - next <= length {
            elementsToRead -= min(elementsToRead, length)
            return next
        }
        // The elements of an array finish about in order: the last ones differ most from the first ones.
        if array?.condition != nil {
            if let place = array?.place { dependents[place].unread += Int(end - length - next) }
            return end - length
        }
        return Int(end) < page.counts.total ? end : nil
    }

    /// The list.
    public var document: DependentsDocument {
        DependentsDocument(
            operation: operation,
            dependents: dependents.map { dependent in
                let size = dependent.counts.total + dependent.unread
                let state = state(of: dependent)
                let outcome = dependent.counts.total > 1 ? dependent.counts.outcome : dependent.outcome
                return DependentsDocument.Dependent(
                    operation: OperationID(job: operation.job, index: dependent.first),
                    name: dependent.name,
                    state: state,
                    outcome: state == .finished ? outcome : nil,
                    condition: dependent.condition,
                    size: size
                )
            },
            more: more
        )
    }

    /// The state of a dependent; where elements were not read that may be unfinished, that of the job.
    private func state(of dependent: Dependent) -> OperationState {
        let state = dependent.counts.state
        return state == .finished && dependent.unread > 0 ? jobCounts.state : state
    }
}

extension HistoryDependency {
    /// Whether an operation is one of those that have to end first.
    fileprivate func includes(_ index: UInt32) -> Bool { index >= first && index - first < count }
}
