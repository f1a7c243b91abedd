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
    /// Any bytes.
    case data([UInt8])
    /// A program with its arguments.
    case texts([String])
    /// Environment variables by name.
    case variables([String: String])
    /// Places of picked inputs by their patterns.
    case places([String: String])
    /// A number in thousandths.
    case thousandths(Int64)
    /// A number of bytes.
    case bytes(Int64)
    /// Units of resources by name.
    case amounts([String: Int64])

    /// The value as people read it: numbers and words as typed, programs word by word, variables by
    /// name, places as `a/*.bam=in/`, processors as `1.5`, bytes as `512M`.
    public var description: String {
        switch self {
        case .flag(let flag): flag ? "yes" : "no"
        case .number(let number): String(number)
        case .duration(let duration): duration.text
        case .forever: Self.foreverWord
        case .text(let text): text
        case .data(let bytes): ByteSize.text(of: Int64(bytes.count))
        case .texts(let texts): texts.joined(separator: " ")
        case .variables(let variables): variables.keys.sorted().joined(separator: ", ")
        case .places(let places):
            places.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
        case .thousandths(let number): Thousandths.text(of: number)
        case .bytes(let number): ByteSize.text(of: number)
        case .amounts(let amounts):
            amounts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
        }
    }

    /// The word for ``forever``.
    public static let foreverWord = "forever"
}
