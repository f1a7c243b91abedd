/// A refusal of what was typed, as one sentence: for `validate()` and for the transformation of a value.
public struct ValidationError: Error, Equatable, CustomStringConvertible {
    /// What is wrong and what to do, as a sentence.
    public let message: String

    /// Refuses with a sentence.
    public init(_ message: String) {
        self.message = message
    }

    /// The sentence.
    public var description: String { message }
}
