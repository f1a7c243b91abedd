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
        /// One element of an array of the same submission, by the position of the entry and the position in the array (EL1).
        ///
        /// An accepted submission has the address of the operation instead.
        case element(Int, UInt32)
        /// For each element of an array, the element at the same position of another array of the same submission (EL1).
        case elements(Int)
        /// For each element of an array, the element at the same position of an array of an earlier submission (EL1): one with a
        /// name, or the only entry of a job.
        ///
        /// An accepted submission has the range of the operations.
        case existingElements(Address)

        /// The entry of the same submission; nil for an earlier submission.
        public var entry: Int? {
            switch self {
            case .entry(let entry), .element(let entry, _), .elements(let entry): entry
            case .existing, .existingElements: nil
            }
        }

        /// The operations or the job of an earlier submission; nil for an entry of the same submission.
        public var address: Address? {
            switch self {
            case .existing(let address), .existingElements(let address): address
            case .entry, .element, .elements: nil
            }
        }
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
