/// Options that may be repeated, and whose order on the command line counts, also between different options.
@propertyWrapper
@_spi(Baton) public struct OrderedOptions: Sendable {
    /// An option as given.
    public struct Given: Hashable, Sendable {
        /// The option's name without hyphens.
        public var name: String
        /// The text of the value.
        public var text: String
    }

    private let declarations: [DeclaredOptions.Declaration]
    private var parsed = Parsed<[Given]>(initial: [])

    /// Declares options.
    public init(_ declarations: [DeclaredOptions.Declaration]) {
        self.declarations = declarations
    }

    /// The given options in their order.
    public var wrappedValue: [Given] {
        get { parsed.value ?? [] }
        set { parsed = Parsed(initial: newValue) }
    }
}

@_spi(Baton) extension OrderedOptions: ArgumentProperty {
    func definitions(property: String) -> [ArgumentDefinition] {
        declarations.map { declaration in
            ArgumentDefinition(
                kind: .option([.long(declaration.name)]),
                valueName: declaration.help.valueName ?? declaration.name,
                abstract: declaration.help.abstract,
                isRepeating: true,
                allValues: declaration.allValues,
                completion: declaration.completion,
                accept: { [parsed] text in
                    try declaration.check(text)
                    parsed.update { ($0 ?? []) + [Given(name: declaration.name, text: text)] }
                }
            )
        }
    }
}
