/// The condition of a worker, for logs and listings.
@_spi(Baton) public enum WorkerCondition: UInt8, Hashable, Sendable, CaseIterable {
    /// The worker joined, or was heard again after a silence.
    case alive = 0
    /// The worker finishes or ends its attempts and gets nothing new.
    case draining = 1
    /// The worker has been silent for a while and gets nothing new.
    case suspect = 2
    /// The worker has been silent for too long: its attempts are given to others.
    case lost = 3
    /// The worker said goodbye.
    case left = 4
    /// A fault of the worker prevents starts; the worker gets one attempt at a time as a trial (D9).
    case failing = 5
}
