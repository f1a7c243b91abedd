package import Baton

/// Fails, with a sentence.
package struct Refuse: ClusterOperation {
    /// The error of the failure.
    package struct Refused: Error, CustomStringConvertible {
        /// The sentence.
        package var description: String
    }

    /// The name of the type at workers.
    package static let typeName = "refuse"

    /// The sentence.
    package var sentence: String

    /// Describes the operation.
    package init(sentence: String) {
        self.sentence = sentence
    }

    /// Throws.
    package func run(in context: OperationContext) async throws -> Int {
        throw Refused(description: sentence)
    }
}
