extension StringProtocol {
    /// An argument in quotes for messages: at most the first 80 characters, with U+FFFD for each control or bidirectional
    /// character.
    var quoted: String {
        let shown = unicodeScalars.map { scalar in
            let isShown = scalar.properties.generalCategory != .control && !scalar.properties.isBidiControl
            return isShown ? scalar : "\u{FFFD}"
        }
        return "'\(TextWidth.shortened(String(String.UnicodeScalarView(shown)), to: 80))'"
    }
}
