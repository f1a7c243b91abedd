@_spi(Baton) public import BatonDocuments
@_spi(Baton) public import BatonOperations

/// Builds the graph of a job from the pages of the job's history.
///
/// A small job has a node for each operation, any other a node for each group. The memory of a graph of groups grows with the groups,
/// and by some bytes with each entry of the job.
@_spi(Baton) public struct JobGraph {
    /// The most nodes of operations.
    public static let mostNodes = 2_000
    /// The most edges between operations.
    public static let mostEdges = 20_000
    /// The most groups, apart from one for the rest.
    ///
    /// A document of so many groups has some 200 kB, which a page loads at once.
    public static let mostGroups = 1_000
    /// The most edges between groups.
    public static let mostGroupEdges = 1_000

    /// The sizes of a drawing in pixels.
    public static let measures = LayeredLayout.Measures(
        layerDistance: 260,
        rowDistance: 56,
        columnDistance: 196,
        mostRows: 50
    )

    private var job: (number: JobNumber, name: String?)?
    /// The graph of operations; nil if there are too many of them, or too many edges.
    private var operations: OperationGraph? = OperationGraph()
    private var groups = GroupGraph()
    /// The dependencies of the entry that the last page ended with.
    private var lastDependencies: (entry: UInt32, dependencies: [HistoryDependency])?

    /// Begins a graph.
    public init() {}

    /// Adds a page; pages have to come in order, from the first to the last.
    public mutating func add(_ page: HistoryPage) {
        job = (page.job, page.name)
        if page.counts.total > Self.mostNodes { operations = nil }
        for entry in page.entries {
            groups.add(entry)
            addDependencies(of: entry, page)
        }
        var entries = page.entries[...]
        for operation in page.operations {
            var rest = operation.range
            // Neighbours with the same history may belong to several entries.
            while let entry = entries.first, !rest.isEmpty {
                guard entry.range.upperBound > rest.lowerBound else {
                    entries = entries.dropFirst()
                    continue
                }
                let part = rest.clamped(to: entry.range)
                guard !part.isEmpty else { break }
                var counts = JobCounts()
                operation.add(to: &counts, number: part.count)
                groups.add(counts, to: entry)
                if operations != nil {
                    var single = JobCounts()
                    operation.add(to: &single, number: 1)
                    for index in part { operations?.add(index, name: entry.name(of: index), single) }
                }
                rest = part.upperBound..<rest.upperBound
            }
        }
    }

    private mutating func addDependencies(of entry: HistoryEntry, _ page: HistoryPage) {
        let isNew = entry.first >= page.from
        if isNew {
            lastDependencies = (entry.first, entry.dependencies)
            groups.add(entry.dependencies, of: entry, count: Int(entry.count))
        }
        let common = lastDependencies?.entry == entry.first ? lastDependencies?.dependencies ?? [] : []
        for change in entry.changes {
            groups.add(common, of: entry, count: -1)
            groups.add(change.dependencies, of: entry, count: 1)
        }
        guard operations != nil else { return }
        var changes = entry.changes[...]
        for operation in max(entry.first, page.from)..<min(entry.range.upperBound, page.next ?? .max) {
            var dependencies = common
            if let change = changes.first, change.operation == operation {
                dependencies = change.dependencies
                changes = changes.dropFirst()
            }
            operations?.add(dependencies.ofElement(at: operation - entry.first), of: operation)
            if operations?.isTooLarge == true {
                operations = nil
                return
            }
        }
    }

    /// The graph with its layout; nil before the first page.
    ///
    /// - Complexity: O((nodes + edges) · log (nodes + edges)).
    public var document: JobGraphDocument? {
        guard let job else { return nil }
        var document = JobGraphDocument(
            job: job.number,
            name: job.name,
            level: operations == nil ? .groups : .operations,
            nodes: operations?.nodes(of: job.number) ?? groups.nodes(of: job.number),
            edges: []
        )
        if let operations {
            document.edges = operations.edges(of: job.number)
        } else {
            (document.edges, document.moreDependencies) = groups.edges(of: job.number)
        }
        let places = Dictionary(uniqueKeysWithValues: document.nodes.enumerated().map { ($1.id, $0) })
        let layout = LayeredLayout(
            nodeCount: document.nodes.count,
            edges: document.edges.compactMap { edge -> (from: Int, to: Int)? in
                guard let from = places[edge.from], let to = places[edge.to] else { return nil }
                return (from, to)
            },
            measures: Self.measures
        )
        for index in document.nodes.indices {
            document.nodes[index].layer = layout.layers[index]
            document.nodes[index].x = layout.x[index]
            document.nodes[index].y = layout.y[index]
        }
        return document
    }
}
