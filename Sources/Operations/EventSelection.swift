/// The part of the stream of events that a client wants to hear of (OB10).
///
/// An event is selected if any member selects it. Events of workers are in no selection.
@_spi(Baton) public struct EventSelection: Hashable, Sendable {
    /// The most members of a selection.
    public static let maximumCount = 10_000

    /// Operations: all of their own changes.
    public var operations: [OperationID]
    /// Jobs: their submission and their end, and the changes of all of their operations.
    public var jobs: [JobNumber]
    /// Queues: their own changes, and those of the operations in them.
    public var queues: [String]

    /// Selects events.
    public init(operations: [OperationID] = [], jobs: [JobNumber] = [], queues: [String] = []) {
        self.operations = operations
        self.jobs = jobs
        self.queues = queues
    }

    /// The number of members.
    public var count: Int { operations.count + jobs.count + queues.count }
}
