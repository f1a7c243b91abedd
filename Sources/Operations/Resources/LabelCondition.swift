/// A condition for the labels of a worker.
@_spi(Baton) public enum LabelCondition: Hashable, Sendable {
    /// `zone=a`: the label has the value.
    case equal(String, String)
    /// `zone!=b`: the label has another value, or the worker has no such label.
    case different(String, String)
    /// `arch in (x,y)`: the label has one of the values.
    case oneOf(String, [String])

    /// The forms of conditions, for the end of an error's sentence.
    public static let forms = "a condition has the form zone=a, zone!=b or \"arch in (x,y)\""

    /// Reads a condition; spaces around names and values do not count.
    ///
    /// - Returns: nil for a text of another form, and for a name or value that ``ResourceName`` does not allow.
    public init?(_ text: some StringProtocol) {
        if text.last == ")", let open = text.firstIndex(of: "(") {
            let words = text[..<open].split(separator: " ")
            guard words.count == 2, words[1] == "in", ResourceName.isValid(words[0]) else { return nil }
            let list = text[text.index(after: open)...].dropLast()
            let values = list.split(separator: ",", omittingEmptySubsequences: false).map { Self.trimmed($0) }
            guard values.allSatisfy({ ResourceName.isValidValue($0) }) else { return nil }
            self = .oneOf(String(words[0]), values)
            return
        }
        guard let sign = text.firstIndex(of: "=") else { return nil }
        let isNegated = text[..<sign].last == "!"
        let name = Self.trimmed(text[..<sign].dropLast(isNegated ? 1 : 0))
        let value = Self.trimmed(text[text.index(after: sign)...])
        guard ResourceName.isValid(name), ResourceName.isValidValue(value) else { return nil }
        self = isNegated ? .different(name, value) : .equal(name, value)
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        var rest = text[...]
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }

    /// The condition as users type it.
    public var description: String {
        switch self {
        case .equal(let name, let value): "\(name)=\(value)"
        case .different(let name, let value): "\(name)!=\(value)"
        case .oneOf(let name, let values): "\(name) in (\(values.joined(separator: ",")))"
        }
    }

    /// Whether the condition holds for a worker with some labels.
    public func holds(for labels: [String: String]) -> Bool {
        switch self {
        case .equal(let name, let value): labels[name] == value
        case .different(let name, let value): labels[name] != value
        case .oneOf(let name, let values): labels[name].map(values.contains) ?? false
        }
    }
}
