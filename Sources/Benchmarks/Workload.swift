public import BatonOperations

/// A job to load a cluster with: a form, a size, and what each of its operations does.
public struct Workload: Hashable, Sendable {
    /// How the operations of a job depend on each other.
    public enum Shape: String, CaseIterable, Sendable {
        /// Not at all, as the elements of one array.
        case array
        /// Each on two random ones before it.
        case graph
        /// Each on the one before it.
        case chain
        /// All on the first one, and the last one on all.
        case fan
        /// In layers of random width, each on one to three of the layer before.
        case layers
    }

    /// The widest layer of ``Shape/layers``.
    private static let widestLayer = 64

    /// How the operations depend on each other.
    public var shape: Shape
    /// How many there are, 1 or more.
    public var operations: Int
    /// What each of them does.
    public var kind: Work.Kind

    /// Describes a job.
    ///
    /// - Parameter operations: how many operations it has; below 1 counts as 1.
    public init(_ shape: Shape, operations: Int, kind: Work.Kind) {
        self.shape = shape
        self.operations = max(1, operations)
        self.kind = kind
    }

    /// The job, ready to be submitted; dependencies are plain ones (`after`).
    ///
    /// - Parameters:
    ///   - seed: where the random dependencies come from; the same one gives the same job.
    ///   - isHeld: whether nothing of it may start before it is released.
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
        }
        return submission(
            of: dependencies.map { targets in
                // What depends on something that is held waits for it already.
                Entry(
                    isHeld: isHeld && targets.isEmpty,
                    dependencies: targets.map { Dependency(on: .entry($0)) }
                )
            }
        )
    }

    private func submission(of entries: [Entry]) -> Submission {
        Submission(name: "bench-" + shape.rawValue, templates: [Template(work: Work(kind))], entries: entries)
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

    /// Up to so many different numbers below another one, in ascending order.
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
