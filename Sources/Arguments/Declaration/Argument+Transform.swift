/// Arguments whose text is read by a function, which refuses it with a sentence of its own.
extension Argument {
    /// An argument that must be given.
    public init(
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil,
        transform: @escaping @Sendable (String) throws -> Value
    ) {
        self.init(slot: .required(ValueReader(transform)), help: help, completion: completion)
    }

    /// An argument that is nil unless given.
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

    /// All remaining arguments; those given replace the default.
    public init<Element: Sendable>(
        wrappedValue: [Element],
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil,
        transform: @escaping @Sendable (String) throws -> Element
    ) where Value == [Element] {
        self.init(slot: .repeating(wrappedValue, ValueReader(transform)), help: help, completion: completion)
    }
}
