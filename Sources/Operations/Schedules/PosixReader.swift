/// Reads the parts of a text in the form of the variable `TZ`.
struct PosixReader {
    private var rest: Substring

    /// Reads a text from its beginning.
    init(_ text: String) {
        rest = text[...]
    }

    /// Whether all of the text is read.
    var isAtEnd: Bool { rest.isEmpty }

    /// Whether a character comes next.
    func isAt(_ character: Character) -> Bool { rest.first == character }

    /// Takes a character, if it comes next.
    mutating func take(_ character: Character) -> Bool {
        guard isAt(character) else { return false }
        rest.removeFirst()
        return true
    }

    /// Takes the name of a zone, in letters or in angle brackets.
    mutating func takeName() -> Bool {
        if take("<") {
            guard let end = rest.firstIndex(of: ">") else { return false }
            rest = rest[rest.index(after: end)...]
            return true
        }
        let name = rest.prefix { $0.isASCII && $0.isLetter }
        rest = rest[name.endIndex...]
        return name.count >= 3
    }

    /// Takes a number of at most four digits.
    mutating func takeNumber() -> Int64? {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard digits.count <= 4, let number = Int64(digits) else { return nil }
        rest = rest[digits.endIndex...]
        return number
    }

    /// Takes a time such as `2`, `-10:30` or `+1:00:00`, in seconds.
    mutating func takeTime() -> Int64? {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard let hours = takeNumber() else { return nil }
        var seconds = hours * 3600
        for unit: Int64 in [60, 1] where take(":") {
            guard let number = takeNumber(), number < 60 else { return nil }
            seconds += number * unit
        }
        return isNegative ? -seconds : seconds
    }
}
