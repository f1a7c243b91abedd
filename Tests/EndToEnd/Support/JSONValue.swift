import Foundation

/// A JSON document as a script would see it: `document.counts.succeeded == 3`.
@dynamicMemberLookup
enum JSONValue: Decodable, Hashable, Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(parsing text: String) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    init(from decoder: any Decoder) throws {
        // The most frequent kinds come first: an attempt that fails is expensive.
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode([String: JSONValue].self) {
            self = .object(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else {
            self = .array(try container.decode([JSONValue].self))
        }
    }

    /// The value of a key; null without such a key.
    subscript(dynamicMember key: String) -> JSONValue { self[key] }

    /// The value of a key; null without such a key.
    subscript(key: String) -> JSONValue {
        guard case .object(let members) = self else { return .null }
        return members[key] ?? .null
    }

    /// The elements of an array; empty for any other value.
    var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    /// The text of a string; empty for any other value.
    var string: String {
        guard case .text(let text) = self else { return "" }
        return text
    }

    /// The value of a number; NaN for any other value.
    var number: Double {
        guard case .number(let number) = self else { return .nan }
        return number
    }

    /// The value of a whole number; -1 for any other value.
    var int: Int {
        guard case .number(let number) = self else { return -1 }
        return Int(exactly: number) ?? -1
    }
}

extension JSONValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral
{
    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
    init(booleanLiteral value: Bool) { self = .boolean(value) }
    init(nilLiteral: ()) { self = .null }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}
