/// Bytes for the receiver of a message alone, which no description shows.
@_spi(Baton) public struct Secret: Hashable, Sendable {
    /// The bytes.
    public let bytes: [UInt8]

    /// The most bytes of a secret.
    static let maximumLength = 256

    /// Takes over bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

@_spi(Baton) extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The words "(a secret)".
    public var description: String { "(a secret)" }

    /// The words "(a secret)".
    public var debugDescription: String { description }

    /// A mirror without the bytes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
