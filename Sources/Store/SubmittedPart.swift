@_spi(Baton) public import BatonOperations

/// A part of a job as it was submitted, without later changes.
@_spi(Baton) public struct SubmittedPart: Hashable, Sendable {
    /// The settings that the submission brought for queues.
    public var queueChanges: [QueueChange]
    /// The entries, in their order.
    public var entries: [SubmittedEntry]
    /// The index with which the next part begins; nil for the last part.
    public var next: UInt32?
}

/// An operation or an array as it was submitted, or a part of a long array.
@_spi(Baton) public struct SubmittedEntry: Hashable, Sendable {
    /// The operation or job that has to end first.
    public enum Target: Hashable, Sendable {
        /// An entry of the same job, by the index of its first operation, with its name.
        case entry(UInt32, name: String?)
        /// An element of an array of the same job, by the index of the array's first operation, with the array's name and the
        /// element's number.
        case element(UInt32, name: String?, number: Int64)
        /// An operation, array or job of an earlier submission.
        case existing(Address)
        /// For each element, the one at the same position of an array of the same job, with its first operation and its name.
        case elements(UInt32, name: String?)
        /// For each element, the one at the same position of operations of an earlier submission.
        case existingElements(Address)
    }

    /// A dependency.
    public struct Dependency: Hashable, Sendable {
        /// The operation or job that has to end first.
        public var target: Target
        /// The required kind of end.
        public var condition: DependencyCondition

        /// Describes a dependency.
        public init(_ target: Target, _ condition: DependencyCondition) {
            self.target = target
            self.condition = condition
        }
    }

    /// The index of the first operation of the whole entry.
    public var first: UInt32
    /// How many operations the whole entry has.
    public var count: UInt32
    /// The entry without its dependencies; of a long array, the elements of the part.
    public var entry: Entry
    /// Its queue.
    public var queue: String
    /// Its template.
    public var template: Template
    /// Its dependencies, in their order.
    public var dependencies: [Dependency]
    /// The position in the array with which the part begins; 0 for a whole entry.
    public var position: UInt32

    /// Describes an entry.
    public init(
        first: UInt32,
        count: UInt32,
        entry: Entry,
        queue: String,
        template: Template,
        dependencies: [Dependency],
        position: UInt32 = 0
    ) {
        self.first = first
        self.count = count
        self.entry = entry
        self.queue = queue
        self.template = template
        self.dependencies = dependencies
        self.position = position
    }
}
