/// A named option without a value: true if given, false otherwise.
@propertyWrapper
@_spi(Baton) public struct Flag: Sendable {
    private var slot: ValueSlot<Bool>
    private let name: NameSpecification
    private let help: ArgumentHelp?

    /// Creates a flag; the default must be false, because no argument can unset a flag.
    public init(wrappedValue: Bool, name: NameSpecification = .long, help: ArgumentHelp? = nil) {
        precondition(!wrappedValue, "a flag that is true by default could never be false")
        slot = .flag()
        self.name = name
        self.help = help
    }

    /// True if the flag was given.
    public var wrappedValue: Bool {
        get { slot.value }
        set { slot.replace(with: newValue) }
    }
}

@_spi(Baton) extension Flag: ArgumentProperty {
    func definitions(property: String) -> [ArgumentDefinition] {
        [slot.definition(kind: .flag(name.names(forProperty: property)), property: property, help: help)]
    }
}
