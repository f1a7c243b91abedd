@_spi(Baton) public import BatonOperations

/// Attempts to run, with their shared work.
@_spi(Baton) public struct DispatchBatch: Hashable, Sendable {
    /// One attempt to run.
    public struct Item: Hashable, Sendable {
        /// The attempt.
        public var assignment: Assignment
        /// The work, as a position in ``DispatchBatch/works``.
        public var work: UInt32
        /// The operation's queue (`BATON_QUEUE`), as a position in ``DispatchBatch/queues``.
        public var queue: UInt32

        /// Describes an attempt to run.
        public init(_ assignment: Assignment, work: UInt32, queue: UInt32) {
            self.assignment = assignment
            self.work = work
            self.queue = queue
        }
    }

    /// The work of the items; each distinct work is listed once.
    public var works: [Work]
    /// The names of the items' queues.
    public var queues: [String]
    /// The attempts, in the order of arrival.
    public var items: [Item]

    /// Puts a batch together.
    public init(works: [Work] = [], queues: [String] = [], items: [Item] = []) {
        self.works = works
        self.queues = queues
        self.items = items
    }
}
