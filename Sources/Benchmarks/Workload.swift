@_spi(Baton) public import BatonOperations

/// A job for loading a cluster: a shape, a size, and the work of each operation.
@_spi(Baton) public struct Workload: Hashable, Sendable {
    /// The dependencies between the operations of a job.
    public enum Shape: String, CaseIterable, Sendable {
        /// No dependencies: the operations are the elements of one array.
        case array
        /// Each operation depends on two random earlier operations.
        case graph
        /// Each operation depends on the previous operation.
        case chain
        /// All operations depend on the first operation, and the last operation depends on all.
        case fan
        /// Layers of random width; each operation depends on one to three operations of the previous layer.
        case layers
        /// No dependencies, and a command of its own for each operation: the number of the operation is its last argument.
        case different
    }

    /// The maximum width of a layer in ``Shape/layers``.
    private static let widestLayer = 64

    /// The dependencies between the operations.
    public var shape: Shape
    /// The number of operations, 1 or more.
    public var operations: Int
    /// The work of each operation; an operation of ``Shape/different`` runs the first command, or `true` if there is none.
    public var kind: Work.Kind

    /// Describes a job.
    ///
    /// - Parameter operations: the number of operations; a value below 1 counts as 1.
    public init(_ shape: Shape, operations: Int, kind: Work.Kind) {
        self.shape = shape
        self.operations = max(1, operations)
        self.kind = kind
    }

    /// The job as a submission; all dependencies are plain dependencies (`after`).
    ///
    /// - Parameters:
    ///   - seed: the seed of the random dependencies; equal seeds give equal jobs.
    ///   - isHeld: whether all operations stay held until a release.
    /// - Complexity: O(operations), but O(1) for an array.
    public func submission(seed: UInt64, isHeld: Bool = false) -> Submission {
        var random = SplitMix(seed: seed)
        let dependencies: [[Int]]
        switch shape {
        case .array:
            let numbers = ArrayValues.numbers(first: 0, step: 1, count: operations)
            return submission(of: [Entry(isHeld: isHeld, array: numbers)])
        case .graph: dependencies = (0..<operations).map { Self.earlier($0, count: 2, using: &random) }
        case .chain: dependencies = (0..<operations).map { $0 == 0 ? [] : [$0 - 1] }
        case .fan:
            dependencies = (0..<operations).map { position in
                if position == 0 { return [] }
                return position == operations - 1 && position > 1 ? Array(1..<position) : [0]
            }
        case .layers: dependencies = layers(using: &random)
        case .different: return differentOperations(isHeld: isHeld)
        }
        return submission(
            of: dependencies.map { targets in
                // An operation with a held dependency already waits, so only operations without dependencies are held.
                Entry(
                    isHeld: isHeld && targets.isEmpty,
                    dependencies: targets.map { Dependency(on: .entry($0)) }
                )
            }
        )
    }

    private func submission(of entries: [Entry]) -> Submission {
        submission(of: entries, doing: [kind])
    }

    private func submission(of entries: [Entry], doing kinds: [Work.Kind]) -> Submission {
        Submission(
            name: "bench-" + shape.rawValue,
            templates: kinds.map { Template(work: Work($0)) },
            entries: entries
        )
    }

    private func differentOperations(isHeld: Bool) -> Submission {
        var command = ["true"]
        if case .commands(let commands) = kind, let first = commands.first { command = first }
        return submission(
            of: (0..<operations).map { Entry(template: $0, isHeld: isHeld) },
            doing: (0..<operations).map { .commands([command + ["\($0)"]]) }
        )
    }

    private func layers(using random: inout SplitMix) -> [[Int]] {
        var dependencies: [[Int]] = []
        dependencies.reserveCapacity(operations)
        var above = 0..<0
        while dependencies.count < operations {
            let start = dependencies.count
            let width = min(Int.random(in: 1...Self.widestLayer, using: &random), operations - start)
            for _ in 0..<width {
                let count = Int.random(in: 1...3, using: &random)
                let offsets = Self.earlier(above.count, count: count, using: &random)
                dependencies.append(offsets.map { above.lowerBound + $0 })
            }
            above = start..<dependencies.count
        }
        return dependencies
    }

    /// Up to `count` different random numbers below a limit, in ascending order.
    private static func earlier(_ limit: Int, count: Int, using random: inout SplitMix) -> [Int] {
        if limit <= count { return Array(0..<limit) }
        var chosen: [Int] = []
        while chosen.count < count {
            let candidate = Int.random(in: 0..<limit, using: &random)
            if !chosen.contains(candidate) { chosen.append(candidate) }
        }
        return chosen.sorted()
    }
}
