/// What must become true of a dependency before the dependent may run.
public enum DependencyCondition: UInt8, Sendable, CaseIterable, CustomStringConvertible {
    /// It is finished, whatever its outcome: the contract of `addDependency` (DE7, `after`).
    case any = 0
    /// It succeeded, else the dependent is skipped (DE9, `needs`).
    case success = 1
    /// It failed, or was skipped because of a failure; else the dependent is skipped, unless another of its dependencies
    /// with this condition failed (DE9, `onFailure`).
    case failure = 2

    /// The word for it in JSON.
    public var description: String {
        switch self {
        case .any: "any"
        case .success: "success"
        case .failure: "failure"
        }
    }
}

/// One dependency of an operation as its submitter gives it.
public struct Dependency: Hashable, Sendable {
    /// What an operation can depend on.
    public enum Target: Hashable, Sendable {
        /// Another entry of the same submission, by its position there; an array counts as a whole.
        case entry(Int)
        /// What an earlier submission brought: an operation, or a job as a whole.
        case existing(Address)
    }

    /// What has to end first.
    public var target: Target
    /// How it has to end.
    public var condition: DependencyCondition

    /// Makes a dependency.
    public init(on target: Target, condition: DependencyCondition = .any) {
        self.target = target
        self.condition = condition
    }
}
