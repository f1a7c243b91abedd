extension StringProtocol {
    /// An argument as messages quote it: of a long one the first 80 characters, and a sign for each character that would do
    /// something to a terminal or to the order of writing.
    var quoted: String {
        var result = String.UnicodeScalarView()
        for (position, scalar) in unicodeScalars.enumerated() {
            guard position < 80 else {
                result.removeLast()
                result.append("…")
                break
            }
            let isShown = scalar.properties.generalCategory != .control && !scalar.properties.isBidiControl
            result.append(isShown ? scalar : "\u{FFFD}")
        }
        return "'\(String(result))'"
    }
}
