/// One value, or one key, of a parsed text: where it stands and how far what belongs to it reaches.
///
/// Nodes lie in one array in the order of the text; the members of an object and the elements of an array follow it
/// directly. Nothing is decoded until it is asked for, and no node allocates.
struct JSONNode {
    /// What stands there.
    enum Kind: UInt8 {
        case null, `true`, `false`, number
        /// A string in quotes.
        case string
        /// A key without quotes.
        case word
        case array, object
    }

    var kind: Kind
    /// Whether a string or key is ASCII without escapes and NUL, so that its bytes are its text.
    var isPlain = true
    /// The offset of the first byte, a quote or bracket included.
    var start: UInt32
    /// The offset after the last byte.
    var end: UInt32 = 0
    /// The position of the node after this one and all that belongs to it.
    var next = 0
}

extension JSONNode.Kind {
    /// What errors call such a value.
    var description: String {
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
