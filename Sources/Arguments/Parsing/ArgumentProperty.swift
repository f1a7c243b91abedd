/// A property wrapper that declares arguments.
protocol ArgumentProperty {
    /// What the property declares; `property` is its name in Swift.
    func definitions(property: String) -> [ArgumentDefinition]

    /// Checks a group of arguments; single ones were checked when they were read.
    func validate() throws
}

extension ArgumentProperty {
    func validate() throws {}
}

/// Validates the groups within the value, then the value itself.
func validateAll(in arguments: any ParsableArguments) throws {
    for child in Mirror(reflecting: arguments).children {
        if let property = child.value as? any ArgumentProperty { try property.validate() }
    }
    try arguments.validate()
}
