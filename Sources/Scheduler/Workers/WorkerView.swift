@_spi(Baton) public import BatonOperations

/// A worker as seen from outside the scheduler.
@_spi(Baton) public struct WorkerView: Hashable, Sendable {
    /// The worker's name.
    public var name: String
    /// The host that the worker runs on.
    public var host: String
    /// The worker's process id on the host.
    public var processID: Int32
    /// The worker's condition.
    public var condition: WorkerCondition
    /// The fault that keeps the worker from starting attempts; nil while the worker can start attempts.
    public var fault: String?
    /// Whether the worker gets no new attempts, because of a drain or because its process is about to end.
    public var isDraining: Bool
    /// The drain on record; nil for a worker that is not drained.
    public var drain: DrainRecord?
    /// When the worker ends because of its time limit; nil without a limit.
    public var endsAt: Timestamp?
    /// The number of attempts that the worker runs at once.
    public var slots: Int
    /// The number of attempts that the worker runs now.
    public var executing: Int
    /// The worker's processors, memory, named resources and labels.
    public var offer: WorkerOffer
    /// What its attempts have taken of the offer.
    public var used: ResourceUse
    /// The types of Swift operations that the worker runs.
    public var types: [String]
    /// The shortest round trip between the worker and the coordinator lately, as the worker has told it; nil for a near worker.
    public var roundTrip: Duration?
    /// The time of the last sign of life; nil for a worker that has left or has not come back.
    public var lastHeardAt: Timestamp?
    /// Whether the worker was present before the restart of the coordinator and has not come back since.
    public var isAbsent: Bool
    /// Whether the worker is the coordinator's own, which keeps files and runs nothing.
    public var isKeeper = false
    /// When the worker counts as lost, if it stays silent; nil unless it is suspect.
    public var lostAt: Timestamp?
}
