/// A range of an option's values, such as `2G..16G`: attempts begin with the first value, and double it up to the last one (RT4).
@_spi(Baton) public struct OptionRange: Hashable, Sendable {
    /// The value of the first attempt.
    public var first: OptionValue
    /// The largest value.
    public var last: OptionValue

    /// Makes a range.
    public init(first: OptionValue, last: OptionValue) {
        self.first = first
        self.last = last
    }

    /// Reads a range of sizes or time limits.
    ///
    /// - Returns: nil for a text of another form, for a range from less than may be asked for, and for a range whose end is below its beginning.
    public init?(_ text: String, _ form: OptionForm) {
        guard let parts = Self.parts(of: text) else { return nil }
        switch form {
        case .size:
            guard let first = Self.size(parts.first), let last = Self.size(parts.last), first <= last
            else { return nil }
            self.init(first: .bytes(first), last: .bytes(last))
        case .timeLimit:
            guard let first = Duration(text: parts.first), let last = Duration(text: parts.last), first > .zero,
                first <= last
            else { return nil }
            self.init(first: .duration(first), last: .duration(last))
        default: return nil
        }
    }

    /// The text that ``init(_:_:)`` reads.
    public var description: String { first.description + Self.separator + last.description }

    /// What a range of a form's values has to be, for an error's sentence.
    public static func expectation(of form: OptionForm) -> String {
        form == .size
            ? "a range such as 2G..16G, from \(ByteSize.text(of: ResourceRequest.leastMemory)) on, whose end is not below its beginning"
            : "a range such as 1h..8h, whose end is not below its beginning"
    }

    /// Whether a text is meant as a range, whatever its parts are.
    public static func isRange(_ text: String) -> Bool { parts(of: text) != nil }

    /// What stands between the two values in a text.
    public static let separator = ".."

    private static func parts(of text: String) -> (first: String, last: String)? {
        guard let dots = text.firstRange(of: separator) else { return nil }
        return (String(text[..<dots.lowerBound]), String(text[dots.upperBound...]))
    }

    /// A size that an operation may ask for.
    private static func size(_ text: String) -> Int64? {
        // A third dot would be the point of a fraction.
        guard !text.hasPrefix("."), let bytes = ByteSize.value(of: text), bytes >= ResourceRequest.leastMemory
        else { return nil }
        return bytes
    }
}

@_spi(Baton) extension OptionForm {
    /// Whether a value may be an ``OptionRange``, whose end another option has.
    public var allowsRanges: Bool {
        switch self {
        case .size, .timeLimit: true
        default: false
        }
    }
}
