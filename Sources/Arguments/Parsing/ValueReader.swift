/// The reading and the description of one value.
struct ValueReader<Element: Sendable>: Sendable {
    let read: @Sendable (String) throws -> Element
    let describe: @Sendable (Element) -> String
    let allValues: [String]
    let completion: CompletionKind

    /// Creates a reader with a function; a default value of the type has no description for the help.
    init(_ transform: @escaping @Sendable (String) throws -> Element) {
        read = transform
        describe = { _ in "" }
        allValues = []
        completion = .none
    }

    /// Creates a reader with the initializer of the type.
    init() where Element: ExpressibleByArgument {
        read = { text in
            guard let value = Element(argument: text) else {
                let expectation = Element.expectation
                throw ValidationError(expectation.isEmpty ? "" : "Please provide \(expectation).")
            }
            return value
        }
        describe = { $0.defaultValueDescription }
        allValues = Element.allValueStrings
        completion = Element.defaultCompletionKind
    }
}
