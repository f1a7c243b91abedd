/// A small JSON value, such as a column of a table: it can be built, compared, written and read as a whole.
///
/// A large text is written piece by piece with ``JSONWriter`` and read node by node with ``JSONTree``.
@_spi(Baton) public enum JSONValue: Hashable, Sendable {
    case null
    case truth(Bool)
    /// A number without fraction and exponent that fits in 64 bits.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The strings of an array of strings; nil for any other value.
    public var strings: [String]? {
        elements { if case .string(let text) = $0 { text } else { nil } }
    }

    /// The whole numbers of an array of whole numbers; nil for any other value.
    public var integers: [Int64]? {
        elements { if case .integer(let number) = $0 { number } else { nil } }
    }

    private func elements<Element>(_ read: (JSONValue) -> Element?) -> [Element]? {
        guard case .array(let elements) = self else { return nil }
        var result: [Element] = []
        result.reserveCapacity(elements.count)
        for element in elements {
            guard let value = read(element) else { return nil }
            result.append(value)
        }
        return result
    }

    /// An array of strings.
    @inlinable
    public static func strings(_ texts: some Sequence<String>) -> JSONValue {
        .array(texts.map { .string($0) })
    }
}
