/// A pattern for the names of operations: `*` stands for any characters, `?` for one.
@_spi(Baton) public struct NamePattern: Hashable, Sendable {
    /// The pattern as typed.
    public let text: String

    /// Takes over a pattern.
    public init(_ text: String) {
        self.text = Name.normalized(text)
    }

    /// Whether a name matches the whole pattern.
    ///
    /// - Complexity: O(name · pattern).
    public func matches(_ name: String) -> Bool {
        let (pattern, name) = (Array(text.unicodeScalars), Array(name.unicodeScalars))
        var (position, place) = (0, 0)
        // The last star, and the place in the name that it has been tried for.
        var star: (position: Int, place: Int)?
        while place < name.count {
            if position < pattern.count, pattern[position] == "*" {
                star = (position, place)
                position += 1
            } else if position < pattern.count, pattern[position] == "?" || pattern[position] == name[place] {
                position += 1
                place += 1
            } else if let last = star {
                star = (last.position, last.place + 1)
                (position, place) = (last.position + 1, last.place + 1)
            } else {
                return false
            }
        }
        return pattern[position...].allSatisfy { $0 == "*" }
    }
}
