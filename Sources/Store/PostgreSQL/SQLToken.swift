/// A part of the text of a statement.
struct SQLToken: Hashable {
    /// What a part is.
    enum Kind {
        /// A name or a word of the language.
        case word
        /// The name of a parameter, with its colon.
        case parameter
        /// A text in quotes, or bytes: an x before the quotes.
        case string
        /// A bracket or a comma, alone.
        case mark
        /// White space.
        case space
        /// Anything else: numbers and operators.
        case other
    }

    let kind: Kind
    let text: Substring

    /// Whether the part is a word of the language, which is given in capitals.
    func isWord(_ word: String) -> Bool { kind == .word && text.uppercased() == word }

    /// Takes a text apart; the parts make the text again.
    static func tokens(of text: String) -> [SQLToken] {
        var tokens: [SQLToken] = []
        var rest = text[...]
        while let first = rest.first {
            var (kind, end) = (Kind.other, rest.index(after: rest.startIndex))
            switch first {
            case "(", ")", ",":
                kind = .mark
            case "'", "\"":
                (kind, end) = (first == "'" ? .string : .word, endOfQuotes(rest, first))
            case "x" where rest[end...].first == "'", "X" where rest[end...].first == "'":
                (kind, end) = (.string, endOfQuotes(rest[end...], "'"))
            case ":" where rest[end...].first == ":":
                // A conversion, which only PostgreSQL writes so.
                end = rest.index(after: end)
            case ":" where rest[end...].first.map(isInName) == true:
                (kind, end) = (.parameter, rest[end...].firstIndex { !isInName($0) } ?? rest.endIndex)
            case _ where first.isWhitespace:
                (kind, end) = (.space, rest.firstIndex { !$0.isWhitespace } ?? rest.endIndex)
            case _ where isInName(first):
                (kind, end) = (first.isNumber ? .other : .word, rest.firstIndex { !isInName($0) } ?? rest.endIndex)
            default:
                break
            }
            tokens.append(SQLToken(kind: kind, text: rest[..<end]))
            rest = rest[end...]
        }
        return tokens
    }

    private static func isInName(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber) || character == "_"
    }

    /// The place behind a text in quotes; two quotes inside are one of the text.
    private static func endOfQuotes(_ text: Substring, _ quote: Character) -> String.Index {
        var place = text.index(after: text.startIndex)
        while place < text.endIndex {
            let next = text.index(after: place)
            if text[place] == quote {
                guard next < text.endIndex, text[next] == quote else { return next }
                place = text.index(after: next)
            } else {
                place = next
            }
        }
        return text.endIndex
    }
}
