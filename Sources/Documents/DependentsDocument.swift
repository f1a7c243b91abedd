@_spi(Baton) public import BatonOperations

/// The operations of a job that wait, or have waited, for one of its operations directly.
@_spi(Baton) public struct DependentsDocument: Document {
    /// An operation, or the elements of an array.
    public struct Dependent: Document {
        /// The operation; the first element of an array.
        public var operation: OperationID
        /// The name of the operation or the array; null for none.
        public var name: String?
        /// The state; of an array, executing if any element is, else ready if any is, else pending if any is.
        public var state: OperationState
        /// The outcome; null unless all elements are finished.
        public var outcome: Outcome?
        /// The required end of the operation that is waited for.
        public var condition: DependencyCondition
        /// The number of operations: 1, or that of the elements.
        public var size: Int

        /// Describes a dependent.
        public init(
            operation: OperationID,
            name: String?,
            state: OperationState,
            outcome: Outcome?,
            condition: DependencyCondition,
            size: Int
        ) {
            self.operation = operation
            self.name = name
            self.state = state
            self.outcome = outcome
            self.condition = condition
            self.size = size
        }
    }

    /// The operation that is waited for.
    public var operation: OperationID
    /// The operations and arrays that wait for it, in order.
    public var dependents: [Dependent]
    /// The number of further operations and arrays.
    public var more: Int

    /// Lists dependents.
    public init(operation: OperationID, dependents: [Dependent], more: Int) {
        self.operation = operation
        self.dependents = dependents
        self.more = more
    }
}
