/// Neighbouring operations of a job that are in the same queue.
@_spi(Baton) public struct QueueMembers: Hashable, Sendable {
    /// The name of the queue.
    public var queue: String
    /// The indices of the operations in the job.
    public var range: ClosedRange<UInt32>
}
