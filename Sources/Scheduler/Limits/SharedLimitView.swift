@_spi(Baton) public import BatonOperations

/// A limit that several queues share, as seen from outside the scheduler.
@_spi(Baton) public struct SharedLimitView: Hashable, Sendable {
    /// An operation at a worker, with the units that it has taken.
    public struct Holder: Hashable, Sendable {
        /// The operation.
        public var operation: OperationID
        /// The units.
        public var units: Int
    }

    /// The limit's name.
    public var name: String
    /// The most units that operations may take together.
    public var units: Int
    /// The units that operations have taken.
    public var taken: Int
    /// The number of operations that have taken units.
    public var holderCount: Int
    /// The first of these operations, in the order of their addresses.
    public var holders: [Holder]
    /// The number of ready operations that take units once they start.
    public var waitingCount: Int
    /// The first of these operations, in their order.
    public var waiting: [OperationID]
}
