@_spi(Baton) import BatonTexts

#if canImport(Darwin)
    import Foundation
#else
    @_spi(_Unicode) import Swift
#endif

/// The rule for the names of operations, queues and workers.
///
/// A name starts with a letter or `_`, so that it never collides with an index in an address. A name has no `/`, white space or
/// control character, so that it can serve as a file name (`BATON_INPUTS`) and as one field of a line. Invisible characters and
/// characters that change the direction of text are not allowed either.
///
/// Names that look alike are one name: names and keys are converted to Unicode's normal form C on entry. The coordinator does
/// not rely on its peers, and converts every name and key in a message itself. Strings that are equal in Swift, by canonical
/// equivalence, therefore have equal bytes, which SQLite compares.
@_spi(Baton) public enum Name {
    /// The most bytes of a name in UTF-8; a file named after it stays below a file system's limit of 255.
    public static let maximumLength = 200

    /// The most characters of a name that a message shows.
    public static let longestShown = 80

    /// The rule in words, for the end of an error's sentence.
    public static let rule =
        "a name starts with a letter or _, has no slash, white space, control or invisible character, and at most "
        + "\(maximumLength) bytes"

    /// Whether a text may serve as a name.
    public static func isValid(_ text: some StringProtocol) -> Bool {
        // Nearly all names are ASCII, and a submission may have a million of them.
        if let verdict = text.utf8.withContiguousStorageIfAvailable({ isValid(ascii: $0) }) ?? nil { return verdict }
        guard let first = text.first, text.utf8.count <= maximumLength, first == "_" || first.isLetter else {
            return false
        }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar != "/" && !scalar.properties.isWhitespace && !isForbidden(scalar)
        }
    }

    /// Returns why a text cannot serve as a name, as the end of a sentence about the text; nil for a valid name.
    public static func objection(to text: some StringProtocol) -> String? {
        isValid(text) ? nil : forbiddenCharacter(in: text) ?? rule
    }

    /// Returns a message about a character that is forbidden in names and keys; nil if the text has none.
    public static func forbiddenCharacter(in text: some StringProtocol) -> String? {
        text.unicodeScalars.first(where: isForbidden).map { scalar in
            "it has the character \(code(of: scalar)) in it, which is not seen where it stands; leave that out"
        }
    }

    /// A character by its number: `U+200B`.
    static func code(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Returns why a text cannot serve as a submission's key, as the end of a sentence about the text; nil for a valid key.
    public static func objection(toKey text: String) -> String? {
        text.isEmpty || text.utf8.count > maximumLength
            ? "a key has from 1 to \(maximumLength) bytes" : forbiddenCharacter(in: text)
    }

    /// Returns a text in Unicode's normal form C, so that different spellings of a text become one name or key.
    ///
    /// - Complexity: O(bytes); ASCII is only scanned.
    public static func normalized(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        return composed(text)
    }

    /// Returns the possible spellings of a text in a record from before the normalisation of names, the present one first.
    public static func spellings(of text: String) -> [String] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return [text] }
        let (composed, decomposed) = (composed(text), decomposed(text))
        return composed.utf8.elementsEqual(decomposed.utf8) ? [composed] : [composed, decomposed]
    }

    /// Returns a name for messages: long names are shortened, and a sign replaces each invisible character.
    public static func shown(_ name: String) -> String {
        if name.utf8.count <= longestShown, name.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return name }
        var result = String.UnicodeScalarView()
        for (position, scalar) in name.unicodeScalars.prefix(longestShown + 1).enumerated() {
            guard position < longestShown else {
                result.removeLast()
                result.append("…")
                break
            }
            result.append(PrintableText.isControl(scalar) || PrintableText.isHidden(scalar) ? "\u{FFFD}" : scalar)
        }
        return String(result)
    }

    /// Whether a character is forbidden in names and keys: control characters, characters that change the direction of text,
    /// and invisible characters.
    static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        switch scalar {
        case "\u{200B}", "\u{2060}", "\u{FEFF}": return true
        default: return scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
        }
    }

    /// Whether bytes may serve as a name; nil if they are not all ASCII.
    private static func isValid(ascii text: UnsafeBufferPointer<UInt8>) -> Bool? {
        guard let first = text.first, text.count <= maximumLength else { return false }
        var isAllowed = (0x61...0x7A).contains(first | 0x20) || first == UInt8(ascii: "_")
        for byte in text {
            if byte >= 0x80 { return nil }
            if byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "/") { isAllowed = false }
        }
        return isAllowed
    }

    // The standard library compares strings by their normal forms. The Linux library offers these forms directly, so that
    // Foundation need not be loaded; on Darwin, Foundation offers the forms.
    #if canImport(Darwin)
        private static func composed(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }

        private static func decomposed(_ text: String) -> String { text.decomposedStringWithCanonicalMapping }
    #else
        private static func composed(_ text: String) -> String {
            var scalars = String.UnicodeScalarView()
            for scalar in text._nfc { scalars.append(scalar) }
            return String(scalars)
        }

        private static func decomposed(_ text: String) -> String {
            var scalars = String.UnicodeScalarView()
            for scalar in text._nfd { scalars.append(scalar) }
            return String(scalars)
        }
    #endif
}

@_spi(Baton) extension String {
    /// The text as a name in a message; see ``Name/shown(_:)``.
    public var asShown: String { Name.shown(self) }
}
