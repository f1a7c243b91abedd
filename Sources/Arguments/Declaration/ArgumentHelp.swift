/// The help of one argument; a string literal is its abstract.
@_spi(Baton) public struct ArgumentHelp: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// One or two sentences.
    public var abstract: String

    /// The text between the angle brackets, as in `--slots <n>`; nil stands for the argument's own name.
    public var valueName: String?

    /// Creates help with a name for the value.
    public init(_ abstract: String, valueName: String? = nil) {
        self.abstract = abstract
        self.valueName = valueName
    }

    /// Creates help with only an abstract.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}
