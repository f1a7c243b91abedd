/// Text in a drawing.
enum ShownText {
    /// A text for the content or an attribute of an XML element.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default:
                // XML has no form for other control characters and for the last two code points of a plane.
                let isForbidden = scalar.value < 0x20 || scalar.value & 0xFFFE == 0xFFFE
                escaped.unicodeScalars.append(isForbidden ? "\u{FFFD}" : scalar)
            }
        }
        return escaped
    }

    /// A text of at most some columns, with an ellipsis in place of what does not fit.
    static func shortened(_ text: String, columns: Int) -> String {
        guard text.reduce(0, { $0 + width(of: $1) }) > columns else { return text }
        var shortened = ""
        var left = columns - 1
        for character in text {
            left -= width(of: character)
            guard left >= 0 else { break }
            shortened.append(character)
        }
        return shortened + "…"
    }

    /// The columns of a character: 2 for those of East Asian scripts and for pictures.
    private static func width(of character: Character) -> Int {
        guard let value = character.unicodeScalars.first?.value else { return 0 }
        switch value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
