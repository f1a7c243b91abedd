/// An operation or an array in a history.
@_spi(Baton) public struct HistoryEntry: Hashable, Sendable {
    /// The numbers of an array's elements.
    public enum Numbering: Hashable, Sendable {
        /// The entry is no array.
        case none
        /// Numbers from a first number in equal steps.
        case steps(first: Int64, step: Int64)
        /// The numbers of the elements from a position in the array on; other elements are not part of the page.
        case each(position: UInt32, [Int64])
    }

    /// The present dependencies of an operation whose dependencies were changed after the submission.
    public struct Change: Hashable, Sendable {
        /// The index of the operation.
        public var operation: UInt32
        /// The operation's own dependencies within the job.
        public var dependencies: [HistoryDependency]

        /// Describes a change.
        public init(operation: UInt32, dependencies: [HistoryDependency]) {
            self.operation = operation
            self.dependencies = dependencies
        }
    }

    /// The index of the first operation of the whole entry.
    public var first: UInt32
    /// The number of operations of the whole entry, from 1.
    public var count: UInt32
    /// The name; nil for none.
    public var name: String?
    /// The queue.
    public var queue: String
    /// The numbers of the elements.
    public var numbering: Numbering
    /// The dependencies within the job, in their order; empty on pages that begin behind the first operation of the entry.
    public var dependencies: [HistoryDependency]
    /// The operations of the page with dependencies of their own, in order.
    public var changes: [Change]

    /// Describes an entry.
    public init(
        first: UInt32,
        count: UInt32 = 1,
        name: String? = nil,
        queue: String = "default",
        numbering: Numbering = .none,
        dependencies: [HistoryDependency] = [],
        changes: [Change] = []
    ) {
        self.first = first
        self.count = count
        self.name = name
        self.queue = queue
        self.numbering = numbering
        self.dependencies = dependencies
        self.changes = changes
    }

    /// Whether the entry is an array.
    public var isArray: Bool { numbering != .none }

    /// The indices of the whole entry.
    public var range: Range<UInt32> { first..<first + min(count, .max - first) }

    /// The name of one operation of the entry: `NAME`, or `NAME.NUMBER` for an element of an array; nil for an entry without a name.
    public func name(of operation: UInt32) -> String? {
        guard let name else { return nil }
        guard operation >= first else { return name }
        let position = operation - first
        switch numbering {
        case .none: return name
        case .steps(let start, let step): return "\(name).\(start &+ Int64(position) &* step)"
        case .each(let begin, let numbers):
            guard position >= begin, Int(position - begin) < numbers.count else { return name }
            return "\(name).\(numbers[Int(position - begin)])"
        }
    }
}

/// A dependency on operations of the same job.
@_spi(Baton) public struct HistoryDependency: Hashable, Sendable {
    /// The index of the first operation that has to end first.
    public var first: UInt32
    /// The number of operations that have to end first: those of an array, or 1.
    public var count: UInt32
    /// The required kind of end.
    public var condition: DependencyCondition
    /// Whether each element of the entry waits for the one at its own position alone (EL1).
    public var isElementwise: Bool

    /// Describes a dependency.
    public init(
        first: UInt32,
        count: UInt32 = 1,
        condition: DependencyCondition = .any,
        isElementwise: Bool = false
    ) {
        self.first = first
        self.count = count
        self.condition = condition
        self.isElementwise = isElementwise
    }

    /// The dependency of one element of the entry.
    ///
    /// - Parameter position: the position of the element in the entry.
    public func ofElement(at position: UInt32) -> HistoryDependency {
        guard isElementwise else { return self }
        return HistoryDependency(first: first + position, condition: condition)
    }
}

@_spi(Baton) extension [HistoryDependency] {
    /// The dependencies of one element of the entry; see ``HistoryDependency/ofElement(at:)``.
    public func ofElement(at position: UInt32) -> [HistoryDependency] {
        contains(where: \.isElementwise) ? map { $0.ofElement(at: position) } : self
    }
}
