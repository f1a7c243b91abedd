/// Foreign text for a terminal, whose invisible and directing characters are replaced by visible ones.
@_spi(Baton) public enum PrintableText {
    /// The text with a space for each control character, and U+FFFD for each character that changes the direction of text or is invisible.
    ///
    /// - Complexity: linear in the text; plain ASCII is only scanned.
    public static func of(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isControl(scalar) {
                shown.append(" ")
            } else {
                shown.append(isHidden(scalar) ? "\u{FFFD}" : scalar)
            }
        }
        return String(shown)
    }

    /// Whether a character is a control character or a separator of lines.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Whether a character changes the direction of text or is invisible: two texts with and without it look alike.
    ///
    /// The joiners U+200C and U+200D are parts of words and of emoji.
    static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return false }
        switch scalar.value {
        case 0xAD, 0x34F, 0x115F...0x1160, 0x17B4...0x17B5, 0x180E, 0x200B, 0x2060...0x2064, 0x3164, 0xFEFF, 0xFFA0,
            0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
            return true
        default: return scalar.properties.isBidiControl
        }
    }
}
