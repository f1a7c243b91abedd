/// The width of text in the columns of a terminal, where a character of East Asian scripts and an emoji take two.
@_spi(Baton) public enum TextWidth {
    /// The number of columns of a text.
    public static func columns(of text: String) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + columns(of: $1) }
    }

    /// The text, or as much of its beginning as fits into a number of columns with an ellipsis.
    public static func shortened(_ text: String, to width: Int) -> String {
        guard columns(of: text) > width else { return text }
        guard width > 0 else { return "" }
        var shown = ""
        var used = 0
        for character in text {
            used += columns(of: character)
            guard used < width else { break }
            shown.append(character)
        }
        return shown + "…"
    }

    /// The text, or as much of its end as fits into a number of columns behind an ellipsis.
    public static func shortenedInFront(_ text: String, to width: Int) -> String {
        guard columns(of: text) > width else { return text }
        guard width > 0 else { return "" }
        var start = text.endIndex
        var used = 0
        while start > text.startIndex {
            let previous = text.index(before: start)
            used += columns(of: text[previous])
            guard used < width else { break }
            start = previous
        }
        return "…" + text[start...]
    }

    private static func columns(of character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if wide.contains(where: { $0.contains(first.value) }) { return 2 }
        // A variation selector asks for the picture of a character that is a letter otherwise.
        if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return 1
        }
    }

    /// The blocks of wide and full-width characters (Unicode, East Asian Width) that are in use.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x23E9...0x23EC, 0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653,
        0x26A1...0x26A1, 0x26BD...0x26BE, 0x2705...0x2705, 0x274C...0x274C, 0x2753...0x2755, 0x2757...0x2757,
        0x2795...0x2797, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F004...0x1F004, 0x1F0CF...0x1F0CF,
        0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F1E6...0x1F1FF, 0x1F200...0x1F265, 0x1F300...0x1F64F,
        0x1F680...0x1F6FF, 0x1F7E0...0x1F7EB, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
