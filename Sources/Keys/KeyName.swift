/// The name of a key, such as `laptop`: 1 to 64 ASCII letters, digits, dots, hyphens and underscores.
///
/// A name starts with a letter or a digit.
@_spi(Baton) public struct KeyName: Hashable, Sendable, CustomStringConvertible {
    /// The name itself.
    public let text: String

    /// The most characters of a name.
    public static let maximumLength = 64

    /// The rule in words, for the end of a sentence.
    public static let rule =
        "a key's name has 1 to \(maximumLength) letters, digits, dots, hyphens and underscores, and starts with a letter or a "
        + "digit"

    /// Takes over a valid name; nil for any other text.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard (1...Self.maximumLength).contains(bytes.count), bytes.allSatisfy(Self.isAllowed), let first = bytes.first,
            Self.isAlphanumeric(first)
        else { return nil }
        self.text = String(text)
    }

    /// The name of a home's own key: `local-client`, `local-client-2` and so on.
    init(localFor role: Role, _ number: Int) {
        text = number == 1 ? "local-\(role)" : "local-\(role)-\(number)"
    }

    /// The name itself.
    public var description: String { text }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
