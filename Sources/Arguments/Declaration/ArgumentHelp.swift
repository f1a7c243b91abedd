/// The help of one argument; a string literal is its abstract.
public struct ArgumentHelp: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// One or two sentences.
    public var abstract: String

    /// What stands between the angle brackets, as in `--slots <n>`; nil takes the argument's own name.
    public var valueName: String?

    /// Help with a name for the value.
    public init(_ abstract: String, valueName: String? = nil) {
        self.abstract = abstract
        self.valueName = valueName
    }

    /// Help that is an abstract alone.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}
