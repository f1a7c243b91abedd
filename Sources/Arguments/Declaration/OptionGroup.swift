/// Arguments shared by several commands, declared once in a separate type.
///
/// A command and its subcommands can have the same options, for example through a shared group. The user may then write the
/// options before or after the subcommand's name.
@propertyWrapper
@_spi(Baton) public struct OptionGroup<Value: ParsableArguments>: Sendable {
    private let title: String

    /// The group's arguments.
    public var wrappedValue: Value

    /// Adds a group of arguments; with a title, the help lists the options of the group under the title.
    public init(title: String = "") {
        self.title = title
        wrappedValue = Value()
    }
}

@_spi(Baton) extension OptionGroup: ArgumentProperty {
    func definitions(property: String) -> [ArgumentDefinition] {
        ArgumentDefinition.all(of: wrappedValue).map { definition in
            var definition = definition
            // A nested group keeps its own title.
            if definition.groupTitle.isEmpty { definition.groupTitle = title }
            return definition
        }
    }

    func validate() throws {
        try validateAll(in: wrappedValue)
    }
}
