/// The contents of a property wrapper: the storage of the value, and a function from texts to values.
struct ValueSlot<Value: Sendable>: Sendable {
    private var parsed: Parsed<Value>
    private let accept: @Sendable (String, Parsed<Value>) throws -> Void
    private let isRequired: Bool
    private let isRepeating: Bool
    private let defaultDescription: String
    private let allValues: [String]
    private let completion: CompletionKind

    private init<Element>(
        initial: Value?,
        reader: ValueReader<Element>,
        isRepeating: Bool = false,
        defaultDescription: String = "",
        combine: @escaping @Sendable (Value?, Element) -> Value
    ) {
        parsed = Parsed(initial: initial)
        accept = { text, parsed in
            let element = try reader.read(text)
            parsed.update { combine($0, element) }
        }
        isRequired = initial == nil
        self.isRepeating = isRepeating
        self.defaultDescription = defaultDescription
        allValues = reader.allValues
        completion = reader.completion
    }

    static func required(_ reader: ValueReader<Value>) -> Self {
        Self(initial: nil, reader: reader) { _, new in new }
    }

    static func defaulted(_ value: Value, _ reader: ValueReader<Value>) -> Self {
        Self(initial: value, reader: reader, defaultDescription: reader.describe(value)) { _, new in new }
    }

    static func optional<Wrapped>(_ reader: ValueReader<Wrapped>) -> Self where Value == Wrapped? {
        Self(initial: .some(nil), reader: reader) { _, new in new }
    }

    /// Collects values; without a default, at least one value is required.
    static func repeating<Element>(_ initial: [Element]?, _ reader: ValueReader<Element>) -> Self
    where Value == [Element] {
        Self(
            initial: initial,
            reader: reader,
            isRepeating: true,
            defaultDescription: (initial ?? []).map(reader.describe).joined(separator: ", ")
        ) { earlier, new in (earlier ?? []) + [new] }
    }

    static func flag() -> Self where Value == Bool {
        Self(initial: false, reader: ValueReader { _ in true }) { _, new in new }
    }

    /// The value; the parser guarantees a value before handing out a command.
    var value: Value {
        guard let value = parsed.value else {
            preconditionFailure("a required argument was read from a command that was not parsed")
        }
        return value
    }

    mutating func replace(with value: Value) {
        parsed = Parsed(initial: value)
    }

    func definition(
        kind: ArgumentDefinition.Kind,
        property: String,
        help: ArgumentHelp?,
        completion override: CompletionKind? = nil
    ) -> ArgumentDefinition {
        ArgumentDefinition(
            kind: kind,
            valueName: help?.valueName ?? hyphenated(property),
            abstract: help?.abstract ?? "",
            isRequired: isRequired,
            isRepeating: isRepeating,
            defaultDescription: defaultDescription,
            allValues: allValues,
            completion: override ?? completion,
            accept: { [parsed, accept] text in try accept(text, parsed) }
        )
    }
}
