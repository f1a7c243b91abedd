/// A worker's policy for its attempts while its coordinator is away.
///
/// Results wait in the outbox in any case, and the worker tries to reconnect for as long as it runs.
@_spi(Baton) public enum CoordinatorLossPolicy: Hashable, Sendable {
    /// Start waiting attempts, and let them run, however long the absence lasts.
    case goOn
    /// Like `goOn`, until the coordinator has been away for this long; then start no more attempts before its return.
    case finish(after: Duration)
    /// Like `finish`, but also end running attempts, as in a departure: the coordinator counts them as lost.
    case kill(after: Duration)

    /// How long the coordinator may be away before the policy takes effect; nil for ever.
    var deadline: Duration? {
        switch self {
        case .goOn: nil
        case .finish(let deadline), .kill(let deadline): deadline
        }
    }
}
