@_spi(Baton) public import BatonOperations

/// A dependency of a stored operation.
@_spi(Baton) public struct StoredDependency: Hashable, Sendable {
    /// An operation (of any job; of an array, its first element), or a whole job.
    public var target: Address
    /// How many operations with consecutive indices the dependency covers; 1 for a single operation, 0 for a whole job.
    public var count: UInt32
    /// The required kind of end.
    public var condition: DependencyCondition
    /// Whether each element of an array depends on the one at its own position among these operations.
    public var isElementwise = false

    /// Describes a dependency.
    public init(target: Address, count: UInt32, condition: DependencyCondition) {
        self.target = target
        self.count = count
        self.condition = condition
    }

    /// The dependency of one element of an array.
    ///
    /// - Parameter position: the position of the element in the array.
    func ofElement(at position: UInt32) -> StoredDependency {
        guard isElementwise, case .operation(let first) = target else { return self }
        let own = OperationID(job: first.job, index: first.index + position)
        return StoredDependency(target: .operation(own), count: 1, condition: condition)
    }
}
