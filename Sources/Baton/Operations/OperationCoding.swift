import Foundation

/// The encoding of operations and their outputs: JSON with members sorted by name, so equal values have equal bytes.
enum OperationCoding {
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// The reason of a failed encoding or decoding, in a sentence, with the place in the value.
    static func reason(of error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            sentence("The member \"\(key.stringValue)\" is missing.", context.codingPath)
        case DecodingError.valueNotFound(_, let context), DecodingError.typeMismatch(_, let context),
            DecodingError.dataCorrupted(let context):
            sentence(context.debugDescription, context.codingPath)
        case EncodingError.invalidValue(_, let context):
            sentence(context.debugDescription, context.codingPath)
        default:
            String(describing: error)
        }
    }

    private static func sentence(_ text: String, _ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return text }
        return "At \(path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")): \(text)"
    }
}
