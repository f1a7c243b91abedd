/// An attempt whose output was lost with its worker.
@_spi(Baton) public struct LostOutput: Hashable, Sendable {
    /// The index of the operation.
    public var operation: UInt32
    /// The number of the attempt.
    public var attempt: UInt32
    /// Whether the operation ended with the attempt.
    public var isLast: Bool

    /// Describes an attempt.
    public init(operation: UInt32, attempt: UInt32, isLast: Bool) {
        self.operation = operation
        self.attempt = attempt
        self.isLast = isLast
    }
}
