/// Options whose declarations come from a table instead of properties.
///
/// The value has the texts of each given option, by the option's name without hyphens; a given flag has an empty text.
@propertyWrapper
@_spi(Baton) public struct DeclaredOptions: Sendable {
    /// The declaration of one option.
    public struct Declaration: Sendable {
        /// The long name without its two hyphens.
        public var name: String
        /// The help.
        public var help: ArgumentHelp
        /// Whether the option is a flag, which takes no value.
        public var isFlag: Bool
        /// Whether all values of a repeated option count; otherwise the last value counts.
        public var isRepeating: Bool
        /// All valid texts, if the set is small; otherwise empty.
        public var allValues: [String]
        /// The completion of the value in a shell.
        public var completion: CompletionKind
        /// Checks a text; the description of a thrown error is the message to the user.
        public var check: @Sendable (String) throws -> Void

        /// Declares an option.
        public init(
            name: String,
            help: ArgumentHelp,
            isFlag: Bool = false,
            isRepeating: Bool = false,
            allValues: [String] = [],
            completion: CompletionKind = .none,
            check: @escaping @Sendable (String) throws -> Void = { _ in }
        ) {
            self.name = name
            self.help = help
            self.isFlag = isFlag
            self.isRepeating = isRepeating
            self.allValues = allValues
            self.completion = completion
            self.check = check
        }
    }

    private let declarations: [Declaration]
    private var parsed = Parsed<[String: [String]]>(initial: [:])

    /// Declares the options of a table.
    public init(_ declarations: [Declaration]) {
        self.declarations = declarations
    }

    /// The given texts by name.
    public var wrappedValue: [String: [String]] {
        get { parsed.value ?? [:] }
        set { parsed = Parsed(initial: newValue) }
    }
}

@_spi(Baton) extension DeclaredOptions: ArgumentProperty {
    func definitions(property: String) -> [ArgumentDefinition] {
        declarations.map { declaration in
            ArgumentDefinition(
                kind: declaration.isFlag ? .flag([.long(declaration.name)]) : .option([.long(declaration.name)]),
                valueName: declaration.help.valueName ?? declaration.name,
                abstract: declaration.help.abstract,
                isRepeating: declaration.isRepeating,
                allValues: declaration.allValues,
                completion: declaration.completion,
                accept: { [parsed] text in
                    try declaration.check(text)
                    parsed.update { earlier in
                        var given = earlier ?? [:]
                        let before = declaration.isRepeating ? given[declaration.name] ?? [] : []
                        given[declaration.name] = before + [declaration.isFlag ? "" : text]
                        return given
                    }
                }
            )
        }
    }
}
