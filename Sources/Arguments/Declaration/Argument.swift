/// A value identified by position: the first, the second, all remaining arguments, all arguments after `--`, or all arguments from
/// the first that is no option.
@propertyWrapper
@_spi(Baton) public struct Argument<Value: Sendable>: Sendable {
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

    /// The given value, or the default.
    ///
    /// Reading a required argument of a command that the parser did not create is a programming error.
    public var wrappedValue: Value {
        get { slot.value }
        set { slot.replace(with: newValue) }
    }
}

@_spi(Baton) extension Argument where Value: ExpressibleByArgument {
    /// A required argument.
    public init(help: ArgumentHelp? = nil, completion: CompletionKind? = nil) {
        self.init(slot: .required(ValueReader()), help: help, completion: completion)
    }

    /// An argument with a default.
    public init(wrappedValue: Value, help: ArgumentHelp? = nil, completion: CompletionKind? = nil) {
        self.init(slot: .defaulted(wrappedValue, ValueReader()), help: help, completion: completion)
    }
}

@_spi(Baton) extension Argument {
    /// An optional argument; nil if the user omits the argument.
    public init<Wrapped: ExpressibleByArgument>(
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil
    ) where Value == Wrapped? {
        self.init(slot: .optional(ValueReader()), help: help, completion: completion)
    }

    /// All remaining arguments, at least one; required arguments declared later take the last values.
    public init<Element: ExpressibleByArgument>(
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil
    ) where Value == [Element] {
        self.init(slot: .repeating(nil, ValueReader()), help: help, completion: completion)
    }

    /// All remaining arguments, or those of another strategy, such as `.postTerminator`; given values replace the default.
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

@_spi(Baton) extension Argument: ArgumentProperty {
    func definitions(property: String) -> [ArgumentDefinition] {
        [slot.definition(kind: kind, property: property, help: help, completion: completion)]
    }
}
