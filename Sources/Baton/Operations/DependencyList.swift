/// The dependencies of an operation in the order of their addition, without repetitions (DE11).
struct DependencyList: Sendable {
    /// Up to this length, comparing with each element is cheaper than a set.
    private static let longestUnindexed = 16

    private(set) var elements: [OperationDependency] = []
    /// The elements; empty until the list is long.
    private var index: Set<OperationDependency> = []

    /// Adds a dependency at the end.
    ///
    /// - Returns: false if the list has it already.
    /// - Complexity: O(1) on average.
    mutating func append(_ dependency: OperationDependency) -> Bool {
        if elements.count < Self.longestUnindexed, index.isEmpty {
            guard !elements.contains(dependency) else { return false }
        } else {
            if index.isEmpty { index = Set(elements) }
            guard index.insert(dependency).inserted else { return false }
        }
        elements.append(dependency)
        return true
    }

    /// Removes all dependencies on an operation.
    ///
    /// - Returns: whether there was one.
    /// - Complexity: O(list).
    mutating func remove(on operation: DistributedOperation) -> Bool {
        let count = elements.count
        elements.removeAll { $0.operation === operation }
        guard elements.count < count else { return false }
        if !index.isEmpty { index = index.filter { $0.operation !== operation } }
        return true
    }

    /// Removes and returns all dependencies.
    mutating func takeAll() -> [OperationDependency] {
        defer { self = DependencyList() }
        return elements
    }
}
