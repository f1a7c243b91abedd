/// What has become of a worker, for logs and listings.
public enum WorkerCondition: Hashable, Sendable {
    /// It joined, or was heard again after a silence.
    case alive
    /// It ends what it runs, and gets nothing new.
    case draining
    /// It has been silent for a while and gets nothing new.
    case suspect
    /// It has been silent for too long: its attempts are given to others.
    case lost
    /// It said goodbye.
    case left
}
