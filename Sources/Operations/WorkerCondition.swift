/// What has become of a worker, for logs and listings.
public enum WorkerCondition: UInt8, Hashable, Sendable, CaseIterable {
    /// It joined, or was heard again after a silence.
    case alive = 0
    /// It ends what it runs, and gets nothing new.
    case draining = 1
    /// It has been silent for a while and gets nothing new.
    case suspect = 2
    /// It has been silent for too long: its attempts are given to others.
    case lost = 3
    /// It said goodbye.
    case left = 4
    /// It cannot start what it is sent through a fault of its own, and gets one attempt at a time to try (D9).
    case failing = 5
}
