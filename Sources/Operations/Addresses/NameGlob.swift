/// A pattern for names: `*` stands for any text, `?` for one character, and `[a-z]` for one character of a set.
@_spi(Baton) public struct NameGlob: Hashable, Sendable {
    /// The pattern as written.
    public let pattern: String

    private enum Part: Hashable, Sendable {
        case anyText
        case anyCharacter
        /// A character; as a byte, too, if it is one of ASCII.
        case character(Character, byte: UInt8?)
        /// Characters; as bytes, too, as far as both ends of a range are of ASCII.
        case oneOf([ClosedRange<Character>], bytes: [ClosedRange<UInt8>], isNegated: Bool)

        func matches(_ character: Character) -> Bool {
            switch self {
            case .anyText, .anyCharacter: true
            case .character(let own, _): own == character
            case .oneOf(let ranges, _, let isNegated): ranges.contains { $0.contains(character) } != isNegated
            }
        }

        var isAnyText: Bool { if case .anyText = self { true } else { false } }

        func matches(_ byte: UInt8) -> Bool {
            switch self {
            case .anyText, .anyCharacter: true
            case .character(_, let own): own == byte
            case .oneOf(_, let ranges, let isNegated): ranges.contains { $0.contains(byte) } != isNegated
            }
        }
    }

    /// The steps of a comparison of a character, as many as comparisons of bytes that take as long.
    private static let stepsOfCharacter = 32

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
                    parts.append(.character(first, byte: first.asciiValue))
                }
            default: parts.append(.character(first, byte: first.asciiValue))
            }
        }
        self.parts = parts
        let plain = parts.prefix { if case .character = $0 { true } else { false } }
        start = String(pattern.prefix(plain.count))
    }

    /// The name that alone matches the pattern; nil for a pattern with special characters.
    public var name: String? { start.utf8.count < pattern.utf8.count ? nil : pattern }

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
        let bytes = ranges.compactMap { range -> ClosedRange<UInt8>? in
            guard let first = range.lowerBound.asciiValue, let last = range.upperBound.asciiValue else { return nil }
            return first...last
        }
        return .oneOf(ranges, bytes: bytes, isNegated: isNegated)
    }

    /// Whether the pattern matches the whole of a name.
    ///
    /// - Complexity: O(name · pattern).
    public func matches(_ name: String) -> Bool {
        var steps = 0
        return matches(name, steps: &steps)
    }

    /// Whether the pattern matches the whole of a name.
    ///
    /// - Parameter steps: grows by the number of compared bytes, and faster where characters have to be compared, so that whoever
    ///   compares many names knows when it has taken long.
    /// - Complexity: O(name · pattern).
    public func matches(_ name: String, steps: inout Int) -> Bool {
        if let own = self.name { return name == own }
        guard name.hasPrefix(start) else { return false }
        if Self.isOfBytes(pattern.utf8) {
            let isMatch = name.utf8.withContiguousStorageIfAvailable { bytes in
                Self.isOfBytes(bytes) ? matches(bytes, steps: &steps) { $0.matches($1) } : nil
            }
            if let isMatch = isMatch ?? nil { return isMatch }
        }
        let characters = Array(name)
        var comparisons = characters.count
        defer { steps += comparisons * Self.stepsOfCharacter }
        return matches(characters, steps: &comparisons) { $0.matches($1) }
    }

    /// Whether each byte of a text is a character: CR and LF would be one together.
    private static func isOfBytes(_ text: some Sequence<UInt8>) -> Bool {
        text.allSatisfy { $0 < 0x80 && $0 != 0x0D }
    }

    private func matches<Symbols: RandomAccessCollection>(
        _ name: Symbols,
        steps: inout Int,
        _ isMatch: (Part, Symbols.Element) -> Bool
    ) -> Bool where Symbols.Index == Int {
        var (part, position) = (0, 0)
        // Where to go on if the rest does not match: the last star, and the end of what it stands for.
        var retry: (part: Int, position: Int)?
        while position < name.count {
            steps += 1
            if part < parts.count, parts[part].isAnyText {
                retry = (part, position)
                part += 1
            } else if part < parts.count, isMatch(parts[part], name[position]) {
                part += 1
                position += 1
            } else if let last = retry {
                retry = (last.part, last.position + 1)
                (part, position) = (last.part + 1, last.position + 1)
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy(\.isAnyText)
    }
}
