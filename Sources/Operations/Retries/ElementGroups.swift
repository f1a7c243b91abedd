/// The arrays of a job that depend on each other element by element, in groups (EL1).
///
/// The arrays of a group have the same length, and what is true of an element matters to those at the same position.
struct ElementGroups {
    /// The entries of each group, in no order.
    private(set) var all: [[Int]] = []
    /// The group of each entry that has one.
    private var groups: [Int: Int] = [:]
    /// For each array, the arrays that depend on it.
    private var dependents: [Int: [Int]] = [:]
    /// The arrays that depend on elements of other jobs.
    private var onOtherJobs: Set<Int> = []

    /// Finds the groups of a job.
    ///
    /// - Complexity: O(entries + dependencies · log entries).
    init(of job: JobRecord) {
        let entries = job.submission.entries
        guard entries.contains(where: \.dependencies.haveElements) else { return }
        var firsts: [UInt32] = []
        var next: UInt32 = 0
        for position in entries.indices {
            firsts.append(next)
            next += UInt32(entries[position].count)
        }
        for entry in entries.indices where entries[entry].dependencies.haveElements {
            for dependency in entries[entry].dependencies {
                guard let target = Self.entry(of: dependency.target, in: job.number, firsts) else {
                    guard case .existingElements = dependency.target else { continue }
                    onOtherJobs.insert(entry)
                    _ = group(of: entry)
                    continue
                }
                dependents[target, default: []].append(entry)
                join(entry, target)
            }
        }
        all.removeAll(where: \.isEmpty)
    }

    /// The entry of a job on whose elements a dependency is, one by one; nil for another dependency.
    private static func entry(of target: Dependency.Target, in job: JobNumber, _ firsts: [UInt32]) -> Int? {
        switch target {
        case .entry, .element, .existing: return nil
        case .elements(let entry): return entry
        case .existingElements(let address):
            // What was added to the job depends on earlier arrays by their operations.
            guard case .operations(let number, let range) = address, number == job else { return nil }
            let place = firsts.indices.binarySearch { firsts[$0] >= range.lowerBound }
            return place < firsts.count && firsts[place] == range.lowerBound ? place : nil
        }
    }

    private mutating func join(_ entry: Int, _ other: Int) {
        let (left, right) = (group(of: entry), group(of: other))
        guard left != right else { return }
        let (small, large) = all[left].count < all[right].count ? (left, right) : (right, left)
        for member in all[small] { groups[member] = large }
        all[large] += all[small]
        all[small] = []
    }

    private mutating func group(of entry: Int) -> Int {
        if let group = groups[entry] { return group }
        groups[entry] = all.count
        all.append([entry])
        return all.count - 1
    }

    /// Whether an entry depends on others element by element, or others on it.
    func contains(_ entry: Int) -> Bool { groups[entry] != nil }

    /// Whether an array depends on elements of other jobs.
    func dependsOnOtherJobs(_ entry: Int) -> Bool { onOtherJobs.contains(entry) }

    /// The arrays that depend on an array element by element.
    func dependents(on entry: Int) -> [Int] { dependents[entry] ?? [] }
}

extension Dependency.Target {
    /// The entry of a job on whose elements the dependency of a submitted array is, one by one; nil for another dependency.
    ///
    /// - Parameters:
    ///   - job: the job of the array.
    ///   - parts: the operations of the job.
    func elementsEntry(in job: JobNumber, _ parts: AlikeOperations) -> Int? {
        switch self {
        case .entry, .element, .existing: return nil
        case .elements(let entry): return entry
        case .existingElements(let address):
            guard case .operations(let number, let range) = address, number == job else { return nil }
            return parts.part(with: range.lowerBound).map { parts.list[$0].entry }
        }
    }
}
