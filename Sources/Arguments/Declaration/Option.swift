/// A named value: `--name VALUE`, `--name=VALUE`, `-n VALUE` or `-nVALUE`.
///
/// Given twice, the last one counts, unless the property is an array, which collects them all. A value that starts
/// with a hyphen and is neither `-` nor a number must be joined to its name with `=`.
@propertyWrapper
public struct Option<Value: Sendable>: Sendable {
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

    /// What was given, or the default.
    ///
    /// Reading a required option of a command that did not come out of the parser is a programming error.
    public var wrappedValue: Value {
        get { slot.value }
        set { slot.replace(with: newValue) }
    }
}

extension Option where Value: ExpressibleByArgument {
    /// An option that must be given.
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

extension Option {
    /// An option that is nil unless given.
    public init<Wrapped: ExpressibleByArgument>(
        name: NameSpecification = .long,
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil
    ) where Value == Wrapped? {
        self.init(slot: .optional(ValueReader()), name: name, help: help, completion: completion)
    }

    /// An option that may be given several times; the values given replace the default.
    public init<Element: ExpressibleByArgument>(
        wrappedValue: [Element],
        name: NameSpecification = .long,
        help: ArgumentHelp? = nil,
        completion: CompletionKind? = nil
    ) where Value == [Element] {
        self.init(slot: .repeating(wrappedValue, ValueReader()), name: name, help: help, completion: completion)
    }
}

extension Option: ArgumentProperty {
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
