@_spi(Baton) import BatonOperations

/// What a dependency has to come to before the dependent operation may run.
///
/// ```swift
/// let cleaning = CommandOperation("rm", "-f", "a.png")
/// cleaning.addDependency(drawing, requiring: .failure)
/// ```
public enum DependencyCondition: String, Hashable, Sendable, Codable, CaseIterable {
    /// The dependency is finished, whatever its outcome: the contract of `addDependency`.
    case any
    /// The dependency succeeded; otherwise the dependent operation is skipped.
    case success
    /// The dependency failed; otherwise the dependent operation is skipped, unless another dependency of this kind failed.
    case failure
    /// The dependency and all others of this kind failed; otherwise the dependent operation is skipped.
    case failureOfAll

    /// The condition as messages have it.
    var stored: BatonOperations.DependencyCondition {
        switch self {
        case .any: .any
        case .success: .success
        case .failure: .failure
        case .failureOfAll: .failureOfAll
        }
    }

    init(_ condition: BatonOperations.DependencyCondition) {
        self =
            switch condition {
            case .any: .any
            case .success: .success
            case .failure: .failure
            case .failureOfAll: .failureOfAll
            }
    }
}
