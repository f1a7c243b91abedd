@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonWorker

/// The value of `--on-coordinator-lost`.
enum OnCoordinatorLost: String, CaseIterable, ExpressibleByArgument {
    case `continue`, finish, kill

    /// The default deadline for an absent coordinator: longer than an update of its host takes, and shorter than unattended
    /// operations should run.
    private static let defaultDeadline = Duration.seconds(600)

    /// The policy for a worker.
    func policy(after deadline: Duration?) -> CoordinatorLossPolicy {
        switch self {
        case .continue: .goOn
        case .finish: .finish(after: deadline ?? Self.defaultDeadline)
        case .kill: .kill(after: deadline ?? Self.defaultDeadline)
        }
    }
}
