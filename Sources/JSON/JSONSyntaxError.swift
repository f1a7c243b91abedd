/// A syntax error in a text: the position and the problem.
@_spi(Baton) public struct JSONSyntaxError: Error, Hashable, Sendable {
    /// The offset of the first invalid byte in the text.
    public var offset: Int
    /// The problem at the offset, as the end of a sentence.
    public var message: String

    /// Describes a syntax error.
    public init(offset: Int, message: String) {
        self.offset = offset
        self.message = message
    }
}
