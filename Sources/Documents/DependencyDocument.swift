@_spi(Baton) public import BatonOperations

/// One dependency of an operation, as `show` lists it.
@_spi(Baton) public struct DependencyDocument: Document {
    /// The prerequisite: an operation's address, or a job's number for the whole job.
    public var operation: String
    /// The required end of the prerequisite.
    public var condition: DependencyCondition

    /// Describes a dependency.
    public init(operation: String, condition: DependencyCondition) {
        self.operation = operation
        self.condition = condition
    }
}
