/// How the text of one value is read and described.
struct ValueReader<Element: Sendable>: Sendable {
    let read: @Sendable (String) throws -> Element
    let describe: @Sendable (Element) -> String
    let allValues: [String]
    let completion: CompletionKind

    /// Reads with a function; a default of such a type has no description that a user could type.
    init(_ transform: @escaping @Sendable (String) throws -> Element) {
        read = transform
        describe = { _ in "" }
        allValues = []
        completion = .none
    }

    /// Reads as the type says.
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
