/// Who asked for a change: the name of a key, or the address of a running operation.
///
/// The name is an object, so that the many changes that nobody asks for carry and copy one empty pointer.
@_spi(Baton) public final class RequesterName: Hashable, Sendable {
    /// The name.
    public let text: String

    /// Names a requester.
    public init(_ text: String) {
        self.text = text
    }

    /// Whether two names are the same text.
    public static func == (one: RequesterName, other: RequesterName) -> Bool {
        one === other || one.text == other.text
    }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
