/// The declaration of an option, with the type of its values in Swift.
public struct OptionDeclaration<Value: Sendable>: Sendable {
    /// The option without the type.
    @_spi(Baton) public let option: OperationOption
    private let type: OptionType<Value>

    /// Declares an option; see the properties of ``OperationOption``.
    init(
        _ number: Int,
        _ key: String,
        _ type: OptionType<Value>,
        named name: String? = nil,
        in storage: OperationOption.Storage,
        since version: Int = 1,
        maySkip: Bool = false,
        isForCommands: Bool = false,
        visibility: OperationOption.Visibility = .value,
        surface: OperationOption.Surface = .everywhere,
        noun: String,
        valueName: String = "",
        help: String = ""
    ) {
        self.type = type
        option = OperationOption(
            number,
            key,
            type.form,
            named: name,
            in: storage,
            since: version,
            maySkip: maySkip,
            isForCommands: isForCommands,
            visibility: visibility,
            surface: surface,
            noun: noun,
            valueName: valueName,
            help: help
        )
    }
}

@_spi(Baton) extension OptionDeclaration {
    /// Returns the shared form of a value, which may be outside the range of the option.
    public func optionValue(of value: Value) -> OptionValue { type.encode(value) }

    /// Returns the value of a shared form; nil for a value of another type.
    public func value(of value: OptionValue) -> Value? { type.decode(value) }
}
