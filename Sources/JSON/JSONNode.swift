/// One value or one key of a parsed text: the position, and the end of its descendants.
///
/// The nodes are in one array in the order of the text; the members of an object and the elements of an array follow directly
/// after their parent. The tree decodes a value only on request, and a node never allocates.
@_spi(Baton) public struct JSONNode: Sendable {
    /// The kind of a value or key.
    public enum Kind: UInt8, Sendable {
        case null, `true`, `false`, number
        /// A string in quotes.
        case string
        /// A key without quotes.
        case word
        case array, object
    }

    /// The kind of the value or key.
    public internal(set) var kind: Kind
    /// Whether a string or key is ASCII without escapes and NUL, so that its bytes are its text.
    public internal(set) var isPlain = true
    /// The offset of the first byte, including a quote or bracket.
    public internal(set) var start: UInt32
    /// The offset after the last byte.
    public internal(set) var end: UInt32 = 0
    /// The position of the next node after this node and all its descendants.
    public internal(set) var next = 0
}

@_spi(Baton) extension JSONNode.Kind {
    /// The name of the kind in errors, with an article: "an array".
    public var description: String {
        switch self {
        case .null: "null"
        case .true: "true"
        case .false: "false"
        case .number: "a number"
        case .string, .word: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
