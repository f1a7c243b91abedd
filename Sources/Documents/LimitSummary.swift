@_spi(Baton) public import BatonOperations

/// A limit that several queues share.
@_spi(Baton) public struct LimitSummary: Document {
    /// An operation at a worker that has taken units of a limit.
    public struct Holder: Document {
        /// The operation's address.
        public var operation: String
        /// The units that it has taken.
        public var units: Int

        /// Describes an operation with its units.
        public init(operation: OperationID, units: Int) {
            self.operation = operation.description
            self.units = units
        }
    }

    /// The limit's name.
    public var limit: String
    /// The most units that operations may take together.
    public var units: Int
    /// The units that operations have taken; more than there are after the limit was lowered.
    public var taken: Int
    /// The number of operations that have taken units.
    public var holding: Int
    /// The first of these operations.
    public var holders: [Holder]
    /// The number of ready operations that take units once they start.
    public var waiting: Int
    /// The addresses of the first of these operations, in their order.
    public var waiters: [String]

    /// Describes a limit.
    public init(
        limit: String,
        units: Int,
        taken: Int,
        holding: Int,
        holders: [Holder],
        waiting: Int,
        waiters: [OperationID]
    ) {
        self.limit = limit
        self.units = units
        self.taken = taken
        self.holding = holding
        self.holders = holders
        self.waiting = waiting
        self.waiters = waiters.map(\.description)
    }
}
