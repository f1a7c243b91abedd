/// The value of an operation's option, in the form that command line, files, messages, record and documents share.
@_spi(Baton) public enum OptionValue: Hashable, Sendable {
    /// True or false.
    case flag(Bool)
    /// A whole number.
    case number(Int64)
    /// A duration.
    case duration(Duration)
    /// A duration without an end.
    case forever
    /// A text: a word from a list, or a path.
    case text(String)
    /// A program with its arguments.
    case texts([String])
    /// Environment variables by name.
    case variables([String: String])

    /// The value as people read it: numbers and words as typed, programs word by word, variables by name.
    public var description: String {
        switch self {
        case .flag(let flag): flag ? "yes" : "no"
        case .number(let number): String(number)
        case .duration(let duration): duration.text
        case .forever: Self.foreverWord
        case .text(let text): text
        case .texts(let texts): texts.joined(separator: " ")
        case .variables(let variables): variables.keys.sorted().joined(separator: ", ")
        }
    }

    /// The word for ``forever``.
    public static let foreverWord = "forever"
}
