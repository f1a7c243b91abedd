/// Options whose text is read by a function, which refuses it with a sentence of its own.
extension Option {
    /// An option that must be given.
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

    /// An option that is nil unless given.
    public init<Wrapped: Sendable>(
        name: NameSpecification = .long,
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil,
        transform: @escaping @Sendable (String) throws -> Wrapped
    ) where Value == Wrapped? {
        self.init(slot: .optional(ValueReader(transform)), name: name, help: help, completion: completion)
    }

    /// An option that may be given several times; the values given replace the default.
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
