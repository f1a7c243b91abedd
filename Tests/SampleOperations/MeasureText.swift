package import Baton

/// Counts the letters and words of a text.
package struct MeasureText: ClusterOperation {
    /// The size of a text.
    package struct Size: Codable, Hashable, Sendable {
        /// The number of letters.
        package var letters: Int
        /// The number of words, separated by spaces.
        package var words: Int

        /// Puts the numbers together.
        package init(letters: Int, words: Int) {
            self.letters = letters
            self.words = words
        }
    }

    /// The name of the type at workers.
    package static let typeName = "measureText"

    /// The text.
    package var text: String

    /// Describes the operation.
    package init(text: String) {
        self.text = text
    }

    /// Counts.
    package func run(in context: OperationContext) async throws -> Size {
        Size(letters: text.filter(\.isLetter).count, words: text.split(separator: " ").count)
    }
}
