@_spi(Baton) public import BatonOperations
@_spi(Baton) public import BatonWire

/// A coordinator's request for a piece of an attempt's output.
@_spi(Baton) public struct OutputRequest: Hashable, Sendable {
    /// The request's number, repeated in the answer.
    public var number: UInt64
    /// The attempt.
    public var token: AttemptToken
    /// The attempt's operation.
    public var operation: OperationID
    /// The output stream: standard output or standard error.
    public var stream: OutputStream
    /// The offset of the first requested byte.
    public var offset: UInt64
    /// The maximum number of bytes to return.
    public var limit: UInt32
}
