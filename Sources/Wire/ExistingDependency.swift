@_spi(Baton) public import BatonOperations

/// A dependency on an existing operation or job.
@_spi(Baton) public struct ExistingDependency: Hashable, Sendable {
    /// The operation, array or job that has to end first.
    public var target: Address
    /// The required kind of end.
    public var condition: DependencyCondition

    /// Describes a dependency.
    public init(on target: Address, condition: DependencyCondition) {
        self.target = target
        self.condition = condition
    }
}
