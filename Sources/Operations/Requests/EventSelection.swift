/// The part of the stream of events that a client wants to hear of (OB10).
///
/// An event is selected if any member selects it. Events of workers are in no selection.
@_spi(Baton) public struct EventSelection: Hashable, Sendable {
    /// The most members of a selection.
    public static let maximumCount = 10_000

    /// Operations: all changes of these operations.
    public var operations: [OperationID]
    /// Jobs: the submission and the end of each job, and all changes of its operations.
    public var jobs: [JobNumber]
    /// Queues: changes of their settings, and all changes of their operations.
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
