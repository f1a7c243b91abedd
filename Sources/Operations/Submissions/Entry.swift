/// One line of a submission: an operation, or an array of similar operations.
///
/// The order of the fields keeps the size at 80 bytes: a submission may have a million entries.
@_spi(Baton) public struct Entry: Hashable, Sendable {
    /// The name for references from other entries; unique in its submission.
    public var name: String?
    /// The operations and jobs that have to end before the start, in the order given.
    public var dependencies: EntryDependencies
    /// The part shared with similar entries, as a position in ``Submission/templates``.
    public var template: Int
    /// Its queue, as a position in ``Submission/queueNames``.
    public var queue: Int
    /// The elements, where the entry is an array; nil for a single operation.
    public var array: ArrayValues?
    /// The shortest time between the submission and the moment at which the entry may become ready (DE21).
    public var delay: Duration?
    /// The priority in the queue.
    public var priority: Priority
    /// Whether the entry may start only after a release (DE21).
    public var isHeld: Bool
    /// Whether the entry is a barrier: it runs alone in its queue, after all earlier and before all later additions (BA1).
    ///
    /// Only a single operation can be a barrier.
    public var isBarrier: Bool
    /// Whether the entry is cancelled from the start: it finishes without running (CA12).
    public var isCancelled: Bool

    /// Describes one line of a submission.
    public init(
        name: String? = nil,
        template: Int = 0,
        queue: Int = 0,
        priority: Priority = .normal,
        delay: Duration? = nil,
        isHeld: Bool = false,
        isBarrier: Bool = false,
        isCancelled: Bool = false,
        dependencies: [Dependency] = [],
        array: ArrayValues? = nil
    ) {
        self.name = name
        self.template = template
        self.queue = queue
        self.priority = priority
        self.delay = delay
        self.isHeld = isHeld
        self.isBarrier = isBarrier
        self.isCancelled = isCancelled
        self.dependencies = EntryDependencies(dependencies)
        self.array = array
    }

    /// How many operations the entry stands for.
    public var count: Int { array?.count ?? 1 }
}
