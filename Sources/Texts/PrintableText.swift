/// Text that others wrote, for a terminal: its invisible and directing characters are replaced by visible ones.
///
/// Such text could otherwise move the cursor, ring the bell, imitate another line, or hide a part of itself.
@_spi(Baton) public enum PrintableText {
    /// The text with a space for each control character, and U+FFFD for each character that changes the direction of text or is invisible.
    ///
    /// - Complexity: linear in the text; plain ASCII is only scanned.
    public static func of(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { shown.append(printable(scalar)) }
        return String(shown)
    }

    /// The text with each of its lines made printable; the line feeds stay.
    public static func lines(of text: String) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A }) { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { shown.append(scalar == "\n" ? scalar : printable(scalar)) }
        return String(shown)
    }

    /// The text with each of its lines made printable, except for certain sequences of characters.
    ///
    /// - Parameter kept: the escape sequences to leave in the text, such as the sequences for colours; each begins with ESC.
    public static func lines(of text: String, keeping kept: [String]) -> String {
        guard text.utf8.contains(0x1B), !kept.isEmpty else { return lines(of: text) }
        var shown = ""
        var rest = text.unicodeScalars[...]
        while let escape = rest.firstIndex(of: "\u{1B}") {
            shown += lines(of: String(rest[..<escape]))
            rest = rest[escape...]
            if let sequence = kept.first(where: { rest.starts(with: $0.unicodeScalars) }) {
                shown += sequence
                rest = rest.dropFirst(sequence.unicodeScalars.count)
            } else {
                shown += " "
                rest = rest.dropFirst()
            }
        }
        return shown + lines(of: String(rest))
    }

    private static func printable(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        isControl(scalar) ? " " : isHidden(scalar) ? "\u{FFFD}" : scalar
    }

    /// Whether a character is a control character or a separator of lines.
    public static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Whether a character changes the direction of text or is invisible: two texts with and without it look alike.
    ///
    /// The joiners U+200C and U+200D are parts of words and of emoji.
    public static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return false }
        switch scalar.value {
        case 0xAD, 0x34F, 0x115F...0x1160, 0x17B4...0x17B5, 0x180E, 0x200B, 0x2060...0x206F, 0x3164, 0xFEFF, 0xFFA0,
            0xFFF9...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF:
            return true
        default: return scalar.properties.isBidiControl
        }
    }
}
