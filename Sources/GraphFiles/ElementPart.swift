/// The part of an array that a dependency in a graph file means: what stands behind the name and a slash (EL1).
enum ElementPart: Hashable {
    /// The name alone.
    case whole
    /// All elements: `sim/*`.
    case all
    /// The element at the same position: `sim/=`.
    case samePosition
    /// The element with a number: `sim/7`.
    case number(Int64)

    /// Divides the text of a dependency into the name and the part; a text of another form is a name alone.
    static func divided(_ text: String) -> (name: String, part: ElementPart) {
        // Nearly all texts are names, and a search for a character is slow.
        guard text.utf8.contains(UInt8(ascii: "/")), let slash = text.lastIndex(of: "/") else { return (text, .whole) }
        let (name, rest) = (String(text[..<slash]), text[text.index(after: slash)...])
        switch rest {
        case "*": return (name, .all)
        case "=": return (name, .samePosition)
        default:
            guard !rest.isEmpty, rest.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(rest) else {
                return (text, .whole)
            }
            return (name, .number(number))
        }
    }
}
