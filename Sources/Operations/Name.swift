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
        guard let firstByte = text.utf8.first, text.utf8.count <= maximumLength else { return false }
        // Nearly all names are ASCII, and a submission may have a million of them.
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            let isLetter = (0x61...0x7A).contains(firstByte | 0x20)
            return (isLetter || firstByte == UInt8(ascii: "_"))
                && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
        }
        guard let first = text.first, first == "_" || first.isLetter else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar != "/" && !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
        }
    }
}
