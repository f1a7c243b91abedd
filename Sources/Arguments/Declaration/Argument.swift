/// A value that is known by its place: the first, the second, all that remain, or all after `--`.
@propertyWrapper
public struct Argument<Value: Sendable>: Sendable {
    private var slot: ValueSlot<Value>
    private let help: ArgumentHelp?
    private let completion: CompletionKind?
    private let kind: ArgumentDefinition.Kind

    init(
        slot: ValueSlot<Value>,
        help: ArgumentHelp?,
        completion: CompletionKind?,
        kind: ArgumentDefinition.Kind = .positional
    ) {
        self.slot = slot
        self.help = help
        self.completion = completion
        self.kind = kind
    }

    /// What was given, or the default.
    ///
    /// Reading a required argument of a command that did not come out of the parser is a programming error.
    public var wrappedValue: Value {
        get { slot.value }
        set { slot.replace(with: newValue) }
    }
}

extension Argument where Value: ExpressibleByArgument {
    /// An argument that must be given.
    public init(help: ArgumentHelp? = nil, completion: CompletionKind? = nil) {
        self.init(slot: .required(ValueReader()), help: help, completion: completion)
    }

    /// An argument with a default.
    public init(wrappedValue: Value, help: ArgumentHelp? = nil, completion: CompletionKind? = nil) {
        self.init(slot: .defaulted(wrappedValue, ValueReader()), help: help, completion: completion)
    }
}

extension Argument {
    /// An argument that is nil unless given.
    public init<Wrapped: ExpressibleByArgument>(
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil
    ) where Value == Wrapped? {
        self.init(slot: .optional(ValueReader()), help: help, completion: completion)
    }

    /// All remaining arguments, at least one; required ones that are declared after it take the last ones.
    public init<Element: ExpressibleByArgument>(
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil
    ) where Value == [Element] {
        self.init(slot: .repeating(nil, ValueReader()), help: help, completion: completion)
    }

    /// All remaining arguments, or with `.postTerminator` all that follow `--`; those given replace the default.
    public init<Element: ExpressibleByArgument>(
        wrappedValue: [Element],
        parsing strategy: ArgumentArrayParsingStrategy = .remaining,
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil
    ) where Value == [Element] {
        self.init(
            slot: .repeating(wrappedValue, ValueReader()),
            help: help,
            completion: completion,
            kind: strategy.kind
        )
    }
}

extension Argument: ArgumentProperty {
    func definitions(property: String) -> [ArgumentDefinition] {
        [slot.definition(kind: kind, property: property, help: help, completion: completion)]
    }
}
