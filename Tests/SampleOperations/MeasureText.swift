public import Baton

/// Counts the letters and words of a text.
public struct MeasureText: ClusterOperation {
    /// What was counted.
    public struct Size: Codable, Hashable, Sendable {
        /// How many letters it has.
        public var letters: Int
        /// How many words it has, parted by spaces.
        public var words: Int

        /// Puts the numbers together.
        public init(letters: Int, words: Int) {
            self.letters = letters
            self.words = words
        }
    }

    /// What workers know it by.
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
