@_spi(Baton) extension Logger {
    /// The text of a line.
    ///
    /// The text is a literal, so that variable parts go into the metadata or are interpolated in plain sight.
    public struct Message: Sendable, ExpressibleByStringInterpolation {
        let text: String

        /// Creates a message with a text.
        public init(stringLiteral text: String) {
            self.text = text
        }
    }

    /// The pairs at the end of a line, as `key=value`, in the order of the keys.
    public typealias Metadata = [String: MetadataValue]

    /// A value of the metadata.
    public enum MetadataValue: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
        /// A text.
        case string(String)
        /// A value that becomes text only if the line is written.
        case stringConvertible(any CustomStringConvertible & Sendable)

        /// A text.
        public init(stringLiteral text: String) {
            self = .string(text)
        }

        /// Its text.
        public var description: String {
            switch self {
            case .string(let text): text
            case .stringConvertible(let value): value.description
            }
        }
    }
}
