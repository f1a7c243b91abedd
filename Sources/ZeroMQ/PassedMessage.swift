/// A received message that is passed on to another peer, or waits for that.
///
/// Its bytes stay in the memory in which libzmq has received them, until the last holder of the object is gone and libzmq has sent them.
@_spi(Baton) public final class PassedMessage: Sendable {
    private let message: Message

    /// Takes over a received message.
    public init(_ message: consuming Message) {
        self.message = message
    }

    /// The number of bytes.
    public var count: Int { message.count }

    /// A copy of the bytes.
    ///
    /// - Complexity: O(`count`), with one allocation.
    public var bytes: [UInt8] { message.bytes }

    /// Calls `body` with the bytes, valid until `body` returns.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try message.withUnsafeBytes(body)
    }
}
