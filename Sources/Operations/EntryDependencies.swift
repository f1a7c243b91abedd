/// What an entry depends on, in the order given.
///
/// Up to two dependencies on entries of the same submission take no memory of their own: nearly all of a million operations
/// have no more, and a list of each of them would cost more to get and to give back than all else that is said of it.
public struct EntryDependencies: Hashable, Sendable {
    /// A dependency on an entry of the same submission, in few bytes.
    private struct Near: Hashable {
        var entry: Int32
        var condition: DependencyCondition

        /// Nil for what is not on an entry of the same submission, or on one that no submission has.
        init?(_ dependency: Dependency) {
            guard case .entry(let position) = dependency.target, let entry = Int32(exactly: position) else {
                return nil
            }
            self.entry = entry
            condition = dependency.condition
        }

        var dependency: Dependency { Dependency(on: .entry(Int(entry)), condition: condition) }
    }

    /// Each list has one form alone: `many` stands only for what the others cannot hold.
    private enum Form: Hashable {
        case none
        case one(Near)
        case two(Near, Near)
        case many([Dependency])
    }

    private var form = Form.none

    /// Makes an empty list.
    public init() {}

    /// Makes a list of what an array has.
    public init(_ dependencies: [Dependency]) {
        for dependency in dependencies.prefix(2) { append(dependency) }
        guard dependencies.count > 2 else { return }
        form = .many(dependencies)
    }
}

extension EntryDependencies {
    /// Whether any of them is on what an earlier submission brought.
    public var haveExisting: Bool {
        guard case .many(let dependencies) = form else { return false }
        return dependencies.contains { if case .existing = $0.target { true } else { false } }
    }

    /// Whether one of them stands in the list twice.
    ///
    /// - Complexity: O(list) on average.
    public var haveRepetition: Bool {
        switch form {
        case .none, .one: return false
        case .two(let first, let second): return first == second
        case .many(let dependencies):
            // Comparing a few is cheaper than a set of them.
            guard dependencies.count <= 8 else { return Set(dependencies).count < dependencies.count }
            return dependencies.indices.contains { dependencies[..<$0].contains(dependencies[$0]) }
        }
    }
}

extension EntryDependencies: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
    /// Where the list starts.
    public var startIndex: Int { 0 }

    /// How many dependencies there are.
    public var endIndex: Int {
        switch form {
        case .none: 0
        case .one: 1
        case .two: 2
        case .many(let dependencies): dependencies.count
        }
    }

    /// The dependency at a position.
    public subscript(position: Int) -> Dependency {
        get {
            switch (form, position) {
            case (.one(let only), 0): return only.dependency
            case (.two(let first, _), 0): return first.dependency
            case (.two(_, let second), 1): return second.dependency
            case (.many(let dependencies), _): return dependencies[position]
            default: preconditionFailure("There is no dependency at position \(position).")
            }
        }
        set {
            if count > 2, changeMany({ $0[position] = newValue }) { return }
            var dependencies = Array(self)
            dependencies[position] = newValue
            self = EntryDependencies(dependencies)
        }
    }

    /// Adds one at the end.
    ///
    /// - Complexity: O(1) amortized.
    public mutating func append(_ dependency: Dependency) {
        if changeMany({ $0.append(dependency) }) { return }
        switch (form, Near(dependency)) {
        case (.none, let near?): form = .one(near)
        case (.one(let first), let near?): form = .two(first, near)
        default: form = .many(Array(self) + [dependency])
        }
    }

    /// Changes a list that has memory of its own in place; false where it has none.
    private mutating func changeMany(_ change: (inout [Dependency]) -> Void) -> Bool {
        guard case .many(var dependencies) = form else { return false }
        // Held once alone, or the change would copy it.
        form = .none
        change(&dependencies)
        form = .many(dependencies)
        return true
    }

    /// Replaces a part of the list.
    ///
    /// - Complexity: O(list).
    public mutating func replaceSubrange(_ part: Range<Int>, with new: some Collection<Dependency>) {
        var dependencies = Array(self)
        dependencies.replaceSubrange(part, with: new)
        self = EntryDependencies(dependencies)
    }
}

extension EntryDependencies: ExpressibleByArrayLiteral {
    /// Makes a list of what a literal names.
    public init(arrayLiteral dependencies: Dependency...) {
        self.init(dependencies)
    }
}
