/// The rule for the names of operations, queues and workers.
///
/// A name starts with a letter or `_`, so that it never collides with an index in an address, and has no `/`, white space
/// or control character, so that it can be a file's name (`BATON_INPUTS`) and one field of a line.
public enum Name {
    /// The most bytes that a name may have in UTF-8; a file named after it stays below a file system's 255.
    public static let maximumLength = 200

    /// The rule in words, for the end of an error's sentence.
    public static let rule =
        "a name starts with a letter or _, has no slash, white space or control character, and at most \(maximumLength) bytes"

    /// Whether a text may serve as a name.
    public static func isValid(_ text: some StringProtocol) -> Bool {
        // Nearly all names are ASCII, and a submission may have a million of them.
        if let verdict = text.utf8.withContiguousStorageIfAvailable({ isValid(ascii: $0) }) ?? nil { return verdict }
        guard let first = text.first, text.utf8.count <= maximumLength, first == "_" || first.isLetter else {
            return false
        }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar != "/" && !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
        }
    }

    /// Whether bytes may serve as a name; nil where not all are ASCII.
    private static func isValid(ascii text: UnsafeBufferPointer<UInt8>) -> Bool? {
        guard let first = text.first, text.count <= maximumLength else { return false }
        var isAllowed = (0x61...0x7A).contains(first | 0x20) || first == UInt8(ascii: "_")
        for byte in text {
            if byte >= 0x80 { return nil }
            if byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "/") { isAllowed = false }
        }
        return isAllowed
    }
}
