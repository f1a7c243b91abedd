/// The rule for the names of resources, and for the names and values of labels.
@_spi(Baton) public enum ResourceName {
    /// The most bytes of a name or of a label's value.
    public static let maximumLength = 63
    /// The most units of a resource.
    ///
    /// A worker numbers the units, and an operation's environment has the list of its numbers.
    public static let maximumAmount: Int64 = 4096
    /// The most resources of a worker or of an operation, and likewise the most labels.
    public static let maximumCount = 64

    /// The rule for names in words, for the end of an error's sentence.
    public static let rule =
        "it starts with a letter, and has only letters, digits, dots, hyphens and underscores, at most \(maximumLength) of them"
    /// The rule for the values of labels in words, for the end of an error's sentence.
    public static let valueRule =
        "it has only letters, digits, dots, hyphens and underscores, from 1 to \(maximumLength) of them"

    /// Whether a text can name a resource or a label: ASCII letters, digits, `.`, `-` and `_`, beginning with a letter.
    public static func isValid(_ text: some StringProtocol) -> Bool {
        text.utf8.first.map(isLetter) == true && isValidValue(text)
    }

    /// Whether a text can be a label's value: ASCII letters, digits, `.`, `-` and `_`.
    public static func isValidValue(_ text: some StringProtocol) -> Bool {
        (1...maximumLength).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                isLetter(byte) || (0x30...0x39).contains(byte) || [0x2E, 0x2D, 0x5F].contains(byte)
            }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
