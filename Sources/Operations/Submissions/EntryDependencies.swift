/// The dependencies of an entry, in the order given.
///
/// Up to two dependencies on entries of the same submission take no memory of their own. Nearly all of a million operations
/// have no more than two, and to allocate and free a list for each operation would cost more than all other parts of an entry.
@_spi(Baton) public struct EntryDependencies: Hashable, Sendable {
    /// A dependency on an entry of the same submission, in few bytes.
    private struct Near: Hashable {
        var entry: Int32
        var condition: DependencyCondition

        /// Fails for a dependency on an existing operation or job, and for a position beyond any submission.
        init?(_ dependency: Dependency) {
            guard case .entry(let position) = dependency.target, let entry = Int32(exactly: position) else {
                return nil
            }
            self.entry = entry
            condition = dependency.condition
        }

        var dependency: Dependency { Dependency(on: .entry(Int(entry)), condition: condition) }
    }

    /// Each list has exactly one form: `many` stands only for lists that the other forms cannot hold.
    private enum Form: Hashable {
        case none
        case one(Near)
        case two(Near, Near)
        case many([Dependency])
    }

    private var form = Form.none

    /// Makes an empty list.
    public init() {}

    /// Makes a list of the dependencies in an array.
    public init(_ dependencies: [Dependency]) {
        for dependency in dependencies.prefix(2) { append(dependency) }
        guard dependencies.count > 2 else { return }
        form = .many(dependencies)
    }
}

@_spi(Baton) extension EntryDependencies {
    /// Whether any dependency is on operations or a job of an earlier submission.
    public var haveExisting: Bool {
        guard case .many(let dependencies) = form else { return false }
        return dependencies.contains { $0.target.address != nil }
    }

    /// Whether any dependency is on single elements of arrays: on one, or on the one at the same position.
    public var haveElements: Bool {
        guard case .many(let dependencies) = form else { return false }
        return dependencies.contains { dependency in
            switch dependency.target {
            case .element, .elements, .existingElements: true
            case .entry, .existing: false
            }
        }
    }

    /// Whether the list contains a dependency twice.
    ///
    /// - Complexity: O(list) on average.
    public var haveRepetition: Bool {
        switch form {
        case .none, .one: return false
        case .two(let first, let second): return first == second
        case .many(let dependencies):
            // Comparing a few dependencies is cheaper than building a set.
            guard dependencies.count <= 8 else { return Set(dependencies).count < dependencies.count }
            return dependencies.indices.contains { dependencies[..<$0].contains(dependencies[$0]) }
        }
    }
}

@_spi(Baton) extension EntryDependencies: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
    /// The first position.
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

    /// Adds a dependency at the end.
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

    /// Changes a list with memory of its own in place; returns false for the other forms.
    private mutating func changeMany(_ change: (inout [Dependency]) -> Void) -> Bool {
        guard case .many(var dependencies) = form else { return false }
        // Releases the reference in `form` first, since the change would copy a shared list.
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

@_spi(Baton) extension EntryDependencies: ExpressibleByArrayLiteral {
    /// Makes a list of the dependencies in a literal.
    public init(arrayLiteral dependencies: Dependency...) {
        self.init(dependencies)
    }
}
