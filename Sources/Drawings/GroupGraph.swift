@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// The graph of a job's groups: each array is a group, and so are operations whose names differ in numbers alone.
struct GroupGraph {
    private struct Group {
        var first: UInt32
        var name: String?
        /// The name of the only operation so far; nil for an array and for several operations.
        var onlyName: String?
        var counts = JobCounts()
    }

    private enum Key: Hashable {
        case name(String)
        case array(UInt32)
        case unnamed
        /// What came after ``JobGraph/mostGroups`` groups.
        case rest
    }

    private struct Edge: Hashable {
        var from: Int
        var to: Int
        var condition: DependencyCondition
    }

    /// A dependency on an entry that has not come yet.
    private struct Forward {
        var target: UInt32
        var to: Int
        var condition: DependencyCondition
        var count: Int
    }

    private var groups: [Group] = []
    private var places: [Key: Int] = [:]
    /// The first index of each entry, and the entry's group.
    private var entries: [(first: UInt32, group: UInt32)] = []
    private var edges: [Edge: Int] = [:]
    private var forward: [Forward] = []
    private var moreDependencies = 0

    /// Adds an entry; entries come in order, and those of several pages more than once.
    mutating func add(_ entry: HistoryEntry) {
        guard entries.last.map({ $0.first < entry.first }) ?? true else { return }
        entries.append((entry.first, UInt32(group(for: entry))))
    }

    private mutating func group(for entry: HistoryEntry) -> Int {
        var key: Key
        if entry.isArray {
            key = .array(entry.first)
        } else {
            key = entry.name.map { .name(GroupName.folded($0)) } ?? .unnamed
        }
        if places[key] == nil, groups.count >= JobGraph.mostGroups { key = .rest }
        if let place = places[key] {
            groups[place].onlyName = nil
            return place
        }
        let name: String? =
            switch key {
            case .name(let folded): folded
            case .array: entry.name
            case .unnamed, .rest: nil
            }
        groups.append(Group(first: entry.first, name: name, onlyName: entry.isArray ? nil : entry.name))
        places[key] = groups.count - 1
        return groups.count - 1
    }

    /// The group of the entry with an operation; nil if the entry has not come yet.
    private func group(of operation: UInt32) -> Int? {
        // The group of an operation behind the last entry is not known yet.
        guard let last = entries.last, operation <= last.first else { return nil }
        return entry(of: operation)
    }

    private func entry(of operation: UInt32) -> Int? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].first <= operation { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? Int(entries[low - 1].group) : nil
    }

    /// Counts operations of an entry.
    mutating func add(_ counts: JobCounts, to entry: HistoryEntry) {
        guard let place = self.entry(of: entry.first) else { return }
        groups[place].counts += counts
    }

    /// Adds dependencies of a number of an entry's operations; a negative number takes them away again.
    mutating func add(_ dependencies: [HistoryDependency], of entry: HistoryEntry, count: Int) {
        guard let to = self.entry(of: entry.first) else { return }
        for dependency in dependencies {
            if let from = group(of: dependency.first) {
                add(Edge(from: from, to: to, condition: dependency.condition), count)
            } else {
                forward.append(
                    Forward(target: dependency.first, to: to, condition: dependency.condition, count: count)
                )
            }
        }
    }

    private mutating func add(_ edge: Edge, _ count: Int) {
        if let known = edges[edge] {
            edges[edge] = known + count
        } else if edges.count < JobGraph.mostGroupEdges {
            edges[edge] = count
        } else {
            moreDependencies += count
        }
    }

    func nodes(of job: JobNumber) -> [JobGraphDocument.Node] {
        groups.sorted { $0.first < $1.first }.map { group in
            JobGraphDocument.Node(
                id: OperationID(job: job, index: group.first),
                name: group.onlyName ?? group.name,
                counts: group.counts
            )
        }
    }

    /// The edges, and the number of dependencies without one.
    func edges(of job: JobNumber) -> ([JobGraphDocument.Edge], Int) {
        var whole = self
        for dependency in forward {
            guard let from = entry(of: dependency.target) else { continue }
            whole.add(Edge(from: from, to: dependency.to, condition: dependency.condition), dependency.count)
        }
        let edges = whole.edges.filter { $0.value > 0 }.map { edge, count in
            JobGraphDocument.Edge(
                from: OperationID(job: job, index: groups[edge.from].first),
                to: OperationID(job: job, index: groups[edge.to].first),
                condition: edge.condition,
                count: count
            )
        }
        let sorted = edges.sorted {
            ($0.from, $0.to, $0.condition.rawValue) < ($1.from, $1.to, $1.condition.rawValue)
        }
        return (sorted, max(0, whole.moreDependencies))
    }
}
