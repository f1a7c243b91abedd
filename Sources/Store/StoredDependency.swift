@_spi(Baton) public import BatonOperations

/// A dependency of a stored operation.
@_spi(Baton) public struct StoredDependency: Hashable, Sendable {
    /// An operation (of any job; of an array, its first element), or a whole job.
    public var target: Address
    /// How many operations with consecutive indices the dependency covers; 1 for a single operation, 0 for a whole job.
    public var count: UInt32
    /// The required kind of end.
    public var condition: DependencyCondition

    /// Describes a dependency.
    public init(target: Address, count: UInt32, condition: DependencyCondition) {
        self.target = target
        self.count = count
        self.condition = condition
    }
}
