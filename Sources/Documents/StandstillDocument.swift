@_spi(Baton) public import BatonOperations

/// What keeps some operations from running while nothing of them runs, for a command that waits for them.
@_spi(Baton) public struct StandstillDocument: Document {
    /// An operation that does not run.
    public struct Operation: Document {
        /// The operation; nil for all operations of a queue, and for an open job.
        public var operation: OperationID?
        /// What somebody could change about it.
        public var waitsFor: [WaitReason]

        /// Describes an operation.
        public init(operation: OperationID?, waitsFor: [WaitReason]) {
            self.operation = operation
            self.waitsFor = waitsFor
        }
    }

    /// Operations with different reasons; empty if something runs, is about to run, or will run by itself.
    public var operations: [Operation]

    /// Lists operations.
    public init(operations: [Operation]) {
        self.operations = operations
    }
}
