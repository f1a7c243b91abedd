/// Arguments that several commands share, declared once in a type of their own.
///
/// Where a command and the commands it contains have the same options, as through a shared group, these may stand
/// before or after the subcommand's name.
@propertyWrapper
public struct OptionGroup<Value: ParsableArguments>: Sendable {
    private let title: String

    /// The group's arguments.
    public var wrappedValue: Value

    /// Takes in a group; with a title, the help lists its options under it.
    public init(title: String = "") {
        self.title = title
        wrappedValue = Value()
    }
}

extension OptionGroup: ArgumentProperty {
    func definitions(property: String) -> [ArgumentDefinition] {
        ArgumentDefinition.all(of: wrappedValue).map { definition in
            var definition = definition
            // A group within a group keeps its own title.
            if definition.groupTitle.isEmpty { definition.groupTitle = title }
            return definition
        }
    }

    func validate() throws {
        try validateAll(in: wrappedValue)
    }
}
