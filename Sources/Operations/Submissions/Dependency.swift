/// The condition that a dependency must meet before the dependent may run.
@_spi(Baton) public enum DependencyCondition: UInt8, Sendable, CaseIterable, CustomStringConvertible {
    /// The dependency is finished with any outcome: the contract of `addDependency` (DE7, `after`).
    case any = 0
    /// The dependency succeeded; otherwise the dependent is skipped (DE9, `needs`).
    case success = 1
    /// The dependency failed, or was skipped because of a failure (DE9, `onFailure`).
    ///
    /// Otherwise the dependent is skipped, unless another dependency with this condition failed.
    case failure = 2
    /// The dependency failed, or was skipped because of a failure, and so did every other dependency with this condition (EL3,
    /// `onFailure` with `all`); otherwise the dependent is skipped.
    case failureOfAll = 3

    /// Whether the condition is the failure of the dependency.
    public var isFailure: Bool { self == .failure || self == .failureOfAll }

    /// The name of the condition in JSON.
    public var description: String {
        switch self {
        case .any: "any"
        case .success: "success"
        case .failure: "failure"
        case .failureOfAll: "failureOfAll"
        }
    }
}

/// One dependency of an operation, as given by the submitter.
@_spi(Baton) public struct Dependency: Hashable, Sendable {
    /// The target of a dependency.
    public enum Target: Hashable, Sendable {
        /// Another entry of the same submission, by its position; an array counts as a whole.
        case entry(Int)
        /// An operation or a whole job of an earlier submission.
        case existing(Address)
    }

    /// The operation, array or job that has to end first.
    public var target: Target
    /// The required kind of end.
    public var condition: DependencyCondition

    /// Makes a dependency.
    public init(on target: Target, condition: DependencyCondition = .any) {
        self.target = target
        self.condition = condition
    }
}
