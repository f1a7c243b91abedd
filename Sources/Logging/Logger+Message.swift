extension Logger {
    /// The text of a line: a literal, so that what varies goes into the metadata or is interpolated in plain sight.
    public struct Message: Sendable, ExpressibleByStringInterpolation {
        let text: String

        /// A message of this text.
        public init(stringLiteral text: String) {
            self.text = text
        }
    }

    /// What stands at the end of a line as `key=value`, in the order of the keys.
    public typealias Metadata = [String: MetadataValue]

    /// A value of the metadata.
    public enum MetadataValue: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
        /// A text.
        case string(String)
        /// Something that becomes text only if the line is written.
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
