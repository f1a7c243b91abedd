/// What a worker does about what it holds while its coordinator is away.
///
/// Results wait in the outbox in any case, and the worker tries to come back for as long as it runs.
public enum CoordinatorLossPolicy: Hashable, Sendable {
    /// It starts what it holds, and lets it run, however long that takes.
    case goOn
    /// The same, until the coordinator has been away for this long; then it starts nothing more before that is back.
    case finish(after: Duration)
    /// The same, and it ends what runs, too, as when it goes away itself: the coordinator counts that as lost.
    case kill(after: Duration)

    /// How long the coordinator may be away before anything is done about it; nil for ever.
    var deadline: Duration? {
        switch self {
        case .goOn: nil
        case .finish(let deadline), .kill(let deadline): deadline
        }
    }
}
