import BatonArguments
import BatonWorker

/// What `--on-coordinator-lost` says.
enum OnCoordinatorLost: String, CaseIterable, ExpressibleByArgument {
    case `continue`, finish, kill

    /// How long the coordinator may be away where nothing is said: longer than an update of its host takes, and shorter than
    /// what nobody looks after should run on.
    private static let defaultDeadline = Duration.seconds(600)

    /// What a worker is told.
    func policy(after deadline: Duration?) -> CoordinatorLossPolicy {
        switch self {
        case .continue: .goOn
        case .finish: .finish(after: deadline ?? Self.defaultDeadline)
        case .kill: .kill(after: deadline ?? Self.defaultDeadline)
        }
    }
}
