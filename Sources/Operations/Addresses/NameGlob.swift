/// A pattern for names: `*` stands for any text, `?` for one character, and `[a-z]` for one character of a set.
@_spi(Baton) public struct NameGlob: Hashable, Sendable {
    /// The pattern as written.
    public let pattern: String

    private enum Part: Hashable, Sendable {
        case anyText
        case anyCharacter
        case character(Character)
        case oneOf([ClosedRange<Character>], isNegated: Bool)

        func matches(_ character: Character) -> Bool {
            switch self {
            case .anyText, .anyCharacter: true
            case .character(let own): own == character
            case .oneOf(let ranges, let isNegated): ranges.contains { $0.contains(character) } != isNegated
            }
        }
    }

    private let parts: [Part]
    /// The part of the pattern before the first special character; a whole job's names are compared with it before all else.
    private let start: String

    /// Reads a pattern; a `[` without its `]` stands for itself.
    public init(_ pattern: String) {
        self.pattern = pattern
        var parts: [Part] = []
        var rest = Array(pattern)[...]
        while let first = rest.popFirst() {
            switch first {
            case "*": if parts.last != .anyText { parts.append(.anyText) }
            case "?": parts.append(.anyCharacter)
            case "[":
                if let end = rest.dropFirst().firstIndex(of: "]") {
                    parts.append(Self.set(rest[..<end]))
                    rest = rest[(end + 1)...]
                } else {
                    parts.append(.character(first))
                }
            default: parts.append(.character(first))
            }
        }
        self.parts = parts
        let plain = parts.prefix { if case .character = $0 { true } else { false } }
        start = String(pattern.prefix(plain.count))
    }

    /// Reads the inside of brackets: characters and ranges, after `!` those that do not match.
    private static func set(_ inside: ArraySlice<Character>) -> Part {
        let isNegated = inside.first == "!"
        var rest = isNegated ? inside.dropFirst() : inside
        var ranges: [ClosedRange<Character>] = []
        while let first = rest.popFirst() {
            if rest.count >= 2, rest.first == "-", let last = rest.dropFirst().first, first <= last {
                ranges.append(first...last)
                rest = rest.dropFirst(2)
            } else {
                ranges.append(first...first)
            }
        }
        return .oneOf(ranges, isNegated: isNegated)
    }

    /// Whether the pattern matches the whole of a name.
    ///
    /// - Complexity: O(name · pattern).
    public func matches(_ name: String) -> Bool {
        guard start.utf8.count < pattern.utf8.count else { return name == pattern }
        guard name.hasPrefix(start) else { return false }
        let characters = Array(name)
        var (part, position) = (0, 0)
        // Where to go on if the rest does not match: the last star, and the end of what it stands for.
        var retry: (part: Int, position: Int)?
        while position < characters.count {
            if part < parts.count, parts[part] == .anyText {
                retry = (part, position)
                part += 1
            } else if part < parts.count, parts[part].matches(characters[position]) {
                part += 1
                position += 1
            } else if let last = retry {
                retry = (last.part, last.position + 1)
                (part, position) = (last.part + 1, last.position + 1)
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy { $0 == .anyText }
    }
}
