/// One line of a submission: an operation, or an array of alike ones.
///
/// Its fields stand in such an order that it takes 80 bytes: a submission may have a million of them.
public struct Entry: Hashable, Sendable {
    /// The name that others may refer to it by; unique in its submission.
    public var name: String?
    /// What has to end before it may start, in the order given.
    public var dependencies: EntryDependencies
    /// What it shares with alike entries, as a position in ``Submission/templates``.
    public var template: Int
    /// Its queue, as a position in ``Submission/queueNames``.
    public var queue: Int
    /// The elements, where the entry is an array; nil for a single operation.
    public var array: ArrayValues?
    /// How long after the submission it may become ready at the earliest (DE21).
    public var delay: Duration?
    /// Its level in that queue.
    public var priority: Priority
    /// Whether it may not start before somebody releases it (DE21).
    public var isHeld: Bool
    /// Whether it is a barrier: it runs alone in its queue, between what was added before and what is added after (BA1).
    ///
    /// Only a single operation can be one.
    public var isBarrier: Bool
    /// Whether it is cancelled from the start: it finishes without running (CA12).
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
