@_spi(Baton) public import BatonOperations

/// What unfinished operations of a job wait for together.
@_spi(Baton) public enum CommonWait: Hashable, Sendable {
    /// Other operations or jobs have to end first.
    ///
    /// `first` is what the first of the operations waits for; `isOnly`: all of the operations wait for that before anything else.
    /// `first` is nil where too many dependencies would have to be looked at.
    case dependencies(first: Address?, isOnly: Bool)
    /// A time; the first of the operations that may start may do so at `from`. `isRetry` if the delays follow failed attempts.
    case delays(from: Timestamp, isRetry: Bool)
    /// What keeps the first of the operations from running.
    case impediment(Impediment)
    /// A worker, where too many workers would have to be looked at to tell what keeps the operations from them.
    case worker
    /// The operations are about to be sent to workers.
    case nothing
}

/// Unfinished operations of a job that wait for the same thing.
@_spi(Baton) public struct WaitingGroup: Hashable, Sendable {
    /// The first of the operations.
    public var operation: OperationID
    /// The number of the operations.
    public var count: Int
    /// The queue of the operations.
    public var queue: String
    /// What they wait for.
    public var wait: CommonWait
}

/// The unfinished operations of a job that do not execute, by what they wait for.
@_spi(Baton) public struct WaitingOperations: Hashable, Sendable {
    /// The operations in groups, largest first.
    public var groups: [WaitingGroup]
    /// The number of operations in no group.
    public var more: Int
}
