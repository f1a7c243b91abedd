/// The address of a server as one printable word, such as `tcp://host:7461`, or those of several that stand in for each other, with
/// commas between them.
///
/// The rule keeps an address harmless in a file and on a terminal; whether anything listens there is another matter.
@_spi(Baton) public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address itself.
    public let text: String

    /// The most characters of an address.
    public static let maximumLength = 300

    /// The rule in words, for the end of a sentence.
    public static let rule = "an address has 1 to \(maximumLength) printable ASCII characters without spaces"

    /// Takes over a valid address; nil for any other text.
    public init?(_ text: some StringProtocol) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.text = String(text)
    }

    /// The address itself.
    public var description: String { text }
}
