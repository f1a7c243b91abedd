/// The time between SIGTERM and SIGKILL when an attempt is ended.
public enum GracePeriod: Hashable, Sendable {
    /// The operation is killed after a time.
    case after(Duration)
    /// The operation is never killed.
    case forever
}
