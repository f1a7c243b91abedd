public import Baton

/// Fails, with a sentence.
public struct Refuse: ClusterOperation {
    /// The error of the failure.
    public struct Refused: Error, CustomStringConvertible {
        /// The sentence.
        public var description: String
    }

    /// The name of the type at workers.
    public static let typeName = "refuse"

    /// The sentence.
    public var sentence: String

    /// Describes the operation.
    public init(sentence: String) {
        self.sentence = sentence
    }

    /// Throws.
    public func run() async throws -> Int {
        throw Refused(description: sentence)
    }
}
