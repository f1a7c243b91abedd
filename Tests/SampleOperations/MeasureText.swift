public import Baton

/// Counts the letters and words of a text.
public struct MeasureText: ClusterOperation {
    /// The size of a text.
    public struct Size: Codable, Hashable, Sendable {
        /// The number of letters.
        public var letters: Int
        /// The number of words, separated by spaces.
        public var words: Int

        /// Puts the numbers together.
        public init(letters: Int, words: Int) {
            self.letters = letters
            self.words = words
        }
    }

    /// The name of the type at workers.
    public static let typeName = "measureText"

    /// The text.
    public var text: String

    /// Describes the operation.
    public init(text: String) {
        self.text = text
    }

    /// Counts.
    public func run() async throws -> Size {
        Size(letters: text.filter(\.isLetter).count, words: text.split(separator: " ").count)
    }
}
