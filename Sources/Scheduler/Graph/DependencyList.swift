@_spi(Baton) import BatonOperations

/// A list of dependencies at eight bytes each.
///
/// A dependency on another submission, or on elements, also takes space for its target, but few dependencies are of this kind.
struct DependencyList {
    private struct Item {
        /// An entry of the same submission, or the complement of a position in ``others``.
        var target: Int32
        var condition: DependencyCondition
    }

    private var items: [Item] = []
    private var others: [Dependency.Target] = []

    /// Makes an empty list with room for some dependencies.
    init(capacity: Int) {
        items.reserveCapacity(capacity)
    }

    /// The number of dependencies.
    var count: Int { items.count }

    /// Adds a dependency at the end.
    mutating func append(_ dependency: Dependency) {
        switch dependency.target {
        case .entry(let entry):
            items.append(Item(target: Int32(entry), condition: dependency.condition))
        case .existing, .element, .elements, .existingElements:
            items.append(Item(target: ~Int32(others.count), condition: dependency.condition))
            others.append(dependency.target)
        }
    }

    /// The dependency at a position.
    subscript(position: Int) -> Dependency {
        let item = items[position]
        let target: Dependency.Target =
            item.target >= 0 ? .entry(Int(item.target)) : others[Int(~item.target)]
        return Dependency(on: target, condition: item.condition)
    }

    /// The dependency at a position, or nil unless its target is an entry of the same submission.
    func own(at position: Int) -> (entry: Int, condition: DependencyCondition)? {
        let item = items[position]
        return item.target >= 0 ? (Int(item.target), item.condition) : nil
    }
}
