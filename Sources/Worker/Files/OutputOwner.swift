@_spi(Baton) import BatonOperations

/// The attempt that an output belongs to.
struct OutputOwner: Hashable, Sendable {
    let token: AttemptToken
    let operation: OperationID

    init(_ token: AttemptToken, of operation: OperationID) {
        self.token = token
        self.operation = operation
    }
}
