/// Options with a transformation: a function reads the text, or refuses the text with an error message.
@_spi(Baton) extension Option {
    /// A required option.
    public init(
        name: NameSpecification = .long,
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil,
        transform: @escaping @Sendable (String) throws -> Value
    ) {
        self.init(slot: .required(ValueReader(transform)), name: name, help: help, completion: completion)
    }

    /// An option with a default.
    public init(
        wrappedValue: Value,
        name: NameSpecification = .long,
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil,
        transform: @escaping @Sendable (String) throws -> Value
    ) {
        self.init(
            slot: .defaulted(wrappedValue, ValueReader(transform)),
            name: name,
            help: help,
            completion: completion
        )
    }

    /// An optional option; nil if the user omits the option.
    public init<Wrapped: Sendable>(
        name: NameSpecification = .long,
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil,
        transform: @escaping @Sendable (String) throws -> Wrapped
    ) where Value == Wrapped? {
        self.init(slot: .optional(ValueReader(transform)), name: name, help: help, completion: completion)
    }

    /// A repeatable option; given values replace the default.
    public init<Element: Sendable>(
        wrappedValue: [Element],
        name: NameSpecification = .long,
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil,
        transform: @escaping @Sendable (String) throws -> Element
    ) where Value == [Element] {
        self.init(
            slot: .repeating(wrappedValue, ValueReader(transform)),
            name: name,
            help: help,
            completion: completion
        )
    }
}
