/// Arguments with a transformation: a function reads the text, or refuses the text with an error message.
@_spi(Baton) extension Argument {
    /// A required argument.
    public init(
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil,
        transform: @escaping @Sendable (String) throws -> Value
    ) {
        self.init(slot: .required(ValueReader(transform)), help: help, completion: completion)
    }

    /// An optional argument; nil if the user omits the argument.
    public init<Wrapped: Sendable>(
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil,
        transform: @escaping @Sendable (String) throws -> Wrapped
    ) where Value == Wrapped? {
        self.init(slot: .optional(ValueReader(transform)), help: help, completion: completion)
    }

    /// All remaining arguments, at least one.
    public init<Element: Sendable>(
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil,
        transform: @escaping @Sendable (String) throws -> Element
    ) where Value == [Element] {
        self.init(slot: .repeating(nil, ValueReader(transform)), help: help, completion: completion)
    }

    /// All remaining arguments; given values replace the default.
    public init<Element: Sendable>(
        wrappedValue: [Element],
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil,
        transform: @escaping @Sendable (String) throws -> Element
    ) where Value == [Element] {
        self.init(slot: .repeating(wrappedValue, ValueReader(transform)), help: help, completion: completion)
    }
}
