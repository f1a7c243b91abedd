/// A named choice without a value: false unless given.
@propertyWrapper
public struct Flag: Sendable {
    private var slot: ValueSlot<Bool>
    private let name: NameSpecification
    private let help: ArgumentHelp?

    /// A flag; its default must be false, since nothing could unset it.
    public init(wrappedValue: Bool, name: NameSpecification = .long, help: ArgumentHelp? = nil) {
        precondition(!wrappedValue, "a flag that is true by default could never be false")
        slot = .flag()
        self.name = name
        self.help = help
    }

    /// Whether the flag was given.
    public var wrappedValue: Bool {
        get { slot.value }
        set { slot.replace(with: newValue) }
    }
}

extension Flag: ArgumentProperty {
    func definitions(property: String) -> [ArgumentDefinition] {
        [slot.definition(kind: .flag(name.names(forProperty: property)), property: property, help: help)]
    }
}
