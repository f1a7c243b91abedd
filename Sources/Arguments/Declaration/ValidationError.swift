/// An error about an invalid argument, thrown by `validate()` and by the transformation of a value.
@_spi(Baton) public struct ValidationError: Error, Equatable, CustomStringConvertible {
    /// The problem and the remedy, as a sentence.
    public let message: String

    /// Creates an error with a message.
    public init(_ message: String) {
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
