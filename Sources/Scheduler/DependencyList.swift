import BatonOperations

/// Dependencies one after the other, in eight bytes each; few of them are on what other submissions brought.
struct DependencyList {
    private struct Item {
        /// An entry of the same submission, or the complement of a position in ``existing``.
        var target: Int32
        var condition: DependencyCondition
    }

    private var items: [Item] = []
    private var existing: [Address] = []

    /// Makes an empty list with room.
    init(capacity: Int) {
        items.reserveCapacity(capacity)
    }

    /// How many there are.
    var count: Int { items.count }

    /// Adds one at the end.
    mutating func append(_ dependency: Dependency) {
        switch dependency.target {
        case .entry(let entry):
            items.append(Item(target: Int32(entry), condition: dependency.condition))
        case .existing(let address):
            items.append(Item(target: ~Int32(existing.count), condition: dependency.condition))
            existing.append(address)
        }
    }

    /// The one at a position.
    subscript(position: Int) -> Dependency {
        let item = items[position]
        let target: Dependency.Target =
            item.target >= 0 ? .entry(Int(item.target)) : .existing(existing[Int(~item.target)])
        return Dependency(on: target, condition: item.condition)
    }

    /// The one at a position, where it is on an entry of the same submission.
    func own(at position: Int) -> (entry: Int, condition: DependencyCondition)? {
        let item = items[position]
        return item.target >= 0 ? (Int(item.target), item.condition) : nil
    }
}
