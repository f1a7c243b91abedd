/// A property wrapper that declares arguments.
protocol ArgumentProperty {
    /// The declared arguments of the property; `property` is the name of the property in Swift.
    func definitions(property: String) -> [ArgumentDefinition]

    /// Validates a group of arguments; single arguments were checked during parsing.
    func validate() throws
}

extension ArgumentProperty {
    func validate() throws {}
}

/// Validates the nested groups, then the value itself.
func validateAll(in arguments: any ParsableArguments) throws {
    for child in Mirror(reflecting: arguments).children {
        if let property = child.value as? any ArgumentProperty { try property.validate() }
    }
    try arguments.validate()
}
