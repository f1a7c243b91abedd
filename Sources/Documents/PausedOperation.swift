@_spi(Baton) public import BatonOperations

/// An executing operation that is paused.
@_spi(Baton) public struct PausedOperation: Document {
    /// The operation.
    public var operation: OperationID
    /// Who paused it, and since when.
    public var paused: PauseDocument

    /// Describes a paused operation.
    public init(operation: OperationID, paused: PauseDocument) {
        self.operation = operation
        self.paused = paused
    }
}
