@_spi(Baton) import BatonTexts

extension StringProtocol {
    /// An argument in quotes for messages: at most the first 80 characters, with U+FFFD for each control, bidirectional or invisible
    /// character.
    var quoted: String {
        let shown = unicodeScalars.map { scalar -> Unicode.Scalar in
            PrintableText.isControl(scalar) || PrintableText.isHidden(scalar) ? "\u{FFFD}" : scalar
        }
        return "'\(TextWidth.shortened(String(String.UnicodeScalarView(shown)), to: 80))'"
    }
}
