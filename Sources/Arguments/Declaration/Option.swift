/// A named value: `--name VALUE`, `--name=VALUE`, `-n VALUE` or `-nVALUE`.
///
/// If the user repeats an option, the last value counts; an array property collects all values. A value with a leading hyphen
/// needs `=` between name and value, except for `-` and numbers.
@propertyWrapper
@_spi(Baton) public struct Option<Value: Sendable>: Sendable {
    private var slot: ValueSlot<Value>
    private let name: NameSpecification
    private let help: ArgumentHelp?
    private let completion: CompletionKind?

    init(
        slot: ValueSlot<Value>,
        name: NameSpecification,
        help: ArgumentHelp?,
        completion: CompletionKind?
    ) {
        self.slot = slot
        self.name = name
        self.help = help
        self.completion = completion
    }

    /// The given value, or the default.
    ///
    /// Reading a required option of a command that the parser did not create is a programming error.
    public var wrappedValue: Value {
        get { slot.value }
        set { slot.replace(with: newValue) }
    }
}

@_spi(Baton) extension Option where Value: ExpressibleByArgument {
    /// A required option.
    public init(name: NameSpecification = .long, help: ArgumentHelp? = nil, completion: CompletionKind? = nil) {
        self.init(slot: .required(ValueReader()), name: name, help: help, completion: completion)
    }

    /// An option with a default.
    public init(
        wrappedValue: Value,
        name: NameSpecification = .long,
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil
    ) {
        self.init(slot: .defaulted(wrappedValue, ValueReader()), name: name, help: help, completion: completion)
    }
}

@_spi(Baton) extension Option {
    /// An optional option; nil if the user omits the option.
    public init<Wrapped: ExpressibleByArgument>(
        name: NameSpecification = .long,
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil
    ) where Value == Wrapped? {
        self.init(slot: .optional(ValueReader()), name: name, help: help, completion: completion)
    }

    /// A repeatable option; given values replace the default.
    public init<Element: ExpressibleByArgument>(
        wrappedValue: [Element],
        name: NameSpecification = .long,
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil
    ) where Value == [Element] {
        self.init(slot: .repeating(wrappedValue, ValueReader()), name: name, help: help, completion: completion)
    }
}

@_spi(Baton) extension Option: ArgumentProperty {
    func definitions(property: String) -> [ArgumentDefinition] {
        [
            slot.definition(
                kind: .option(name.names(forProperty: property)),
                property: property,
                help: help,
                completion: completion
            )
        ]
    }
}
