public import BatonOperations
public import BatonWire

/// A piece of an attempt's output that the coordinator asks for.
public struct OutputRequest: Hashable, Sendable {
    /// The number of the request, which its answer carries too.
    public var number: UInt64
    /// The attempt.
    public var token: AttemptToken
    /// The operation that it is an attempt of.
    public var operation: OperationID
    /// Which of the two streams.
    public var stream: OutputStream
    /// Where the piece starts.
    public var offset: UInt64
    /// The most bytes that are wanted.
    public var limit: UInt32

    /// Describes a piece of output.
    public init(
        number: UInt64,
        token: AttemptToken,
        operation: OperationID,
        stream: OutputStream,
        offset: UInt64,
        limit: UInt32
    ) {
        self.number = number
        self.token = token
        self.operation = operation
        self.stream = stream
        self.offset = offset
        self.limit = limit
    }
}
