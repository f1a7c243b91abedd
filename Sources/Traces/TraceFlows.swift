@_spi(Baton) import BatonOperations

/// The dependencies that a trace shows as flows: all of the job, or those of the critical path where there are too many.
struct TraceFlows {
    /// The most dependencies that are all shown.
    static let mostFlows = 20_000

    /// A point of a trace at which a flow begins or ends.
    struct Point {
        var process: UInt32
        var thread: Int
        var time: Int64
    }

    private struct Edge: Hashable {
        var parent: UInt32
        var child: UInt32
    }

    private var edges: [Edge] = []
    /// Whether there are more dependencies than the most.
    private(set) var isCut = false
    private var path: [Edge] = []
    private var ends: [UInt32: Point?] = [:]
    private var starts: [UInt32: Point?] = [:]

    /// Notes the critical path.
    mutating func add(path operations: [UInt32]) {
        for (parent, child) in zip(operations, operations.dropFirst()) {
            path.append(Edge(parent: parent, child: child))
        }
    }

    /// Notes the dependencies of an operation.
    mutating func add(_ dependencies: [HistoryDependency], of child: UInt32) {
        for dependency in dependencies {
            guard !isCut, edges.count + Int(dependency.count) <= Self.mostFlows else {
                isCut = true
                edges = []
                return
            }
            let end = dependency.first + min(dependency.count, .max - dependency.first)
            for parent in dependency.first..<end { edges.append(Edge(parent: parent, child: child)) }
        }
    }

    /// Looks up what the flows need of the attempts that follow.
    mutating func prepare() {
        for edge in isCut ? path : edges {
            ends[edge.parent] = .some(nil)
            starts[edge.child] = .some(nil)
        }
    }

    /// Notes an attempt in its lane.
    ///
    /// - Parameter isEnd: whether the attempt ended its operation.
    mutating func note(_ operation: UInt32, isEnd: Bool, start: Point, end: Int64) {
        if isEnd, ends[operation] != nil {
            var point = start
            // At its very end, the next attempt in the lane may begin.
            point.time = max(start.time, end - 1)
            ends[operation] = .some(point)
        }
        // The first attempt is the one that waited for the dependencies.
        if let known = starts[operation], known == nil { starts[operation] = .some(start) }
    }

    /// The number of flows, with those of which a point is not in the trace.
    var count: Int { isCut ? path.count : edges.count }

    /// Both points of a flow; nil if one of them is not in the trace.
    func points(of flow: Int) -> (from: Point, to: Point)? {
        let edge = isCut ? path[flow] : edges[flow]
        guard let from = ends[edge.parent] ?? nil, let to = starts[edge.child] ?? nil else { return nil }
        return (from, to)
    }
}
