public import BatonOperations

/// A dependency on what is there already.
public struct ExistingDependency: Hashable, Sendable {
    /// What has to end first.
    public var target: Address
    /// How it has to end.
    public var condition: DependencyCondition

    /// Describes a dependency.
    public init(on target: Address, condition: DependencyCondition) {
        self.target = target
        self.condition = condition
    }
}
