@_spi(Baton) import BatonDocuments

/// A decoder that notes the keys that a value asks for, and the forms of their values, and gives it samples.
final class SchemaRecorder: Decoder {
    /// A member that was asked for.
    struct Member {
        var name: String
        var schema: Schema
        /// Whether the member may be missing or null.
        var isOptional: Bool
    }

    /// A fault that ends the recording.
    struct Unsupported: Error {}

    private let table: SchemaTable
    /// Whether optional members are null.
    private let isMissing: Bool
    /// The members that were asked for, in order.
    private(set) var members: [Member] = []
    /// The form of the value, if it is no object.
    private(set) var single: Schema?
    private var optionalKey: String?

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(_ table: SchemaTable, isMissing: Bool) {
        self.table = table
        self.isMissing = isMissing
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed(recorder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unsupported() }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(recorder: self) }

    /// A sample of a type with the type's form.
    private func sample<T: Decodable>(_ type: T.Type) throws -> (schema: Schema, value: T) {
        func pair(_ schema: Schema, _ value: Any) throws -> (Schema, T) {
            guard let value = value as? T else { throw Unsupported() }
            return (schema, value)
        }
        if let type = type as? any SampledValue.Type { return try pair(type.schema, type.sample) }
        if let type = type as? any DerivedValue.Type {
            return try pair(type.schema { element in try form(of: element) }, type.sample)
        }
        if let words = Self.words(of: type) { return try pair(.words(words.words), words.first) }
        let recorder = SchemaRecorder(table, isMissing: isMissing)
        let value = try T(from: recorder)
        if let type = type as? any Document.Type { return (table.reference(to: type), value) }
        guard let schema = recorder.single else { throw Unsupported() }
        return (schema, value)
    }

    /// The form of a type of which no value is needed.
    private func form(of type: any Decodable.Type) throws -> Schema {
        // A document may have documents of its own kind in it: a sample of it would never end.
        if let type = type as? any Document.Type { return table.reference(to: type) }
        if let type = type as? any DerivedValue.Type { return try type.schema { element in try form(of: element) } }
        return try sample(type).schema
    }

    /// The words of an enumeration whose raw values are texts, with its first value; nil for another type.
    private static func words(of type: any Decodable.Type) -> (words: [String], first: Any)? {
        guard let type = type as? any CaseIterable.Type else { return nil }
        func cases<C: CaseIterable>(_ type: C.Type) -> (words: [String], first: Any)? {
            let words = type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
            guard let first = type.allCases.first, words.count == type.allCases.count else { return nil }
            return (words, first)
        }
        return cases(type)
    }

    /// The members of an object.
    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let recorder: SchemaRecorder
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { true }

        func decodeNil(forKey key: Key) throws -> Bool {
            recorder.optionalKey = key.stringValue
            return recorder.isMissing
        }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
            let isOptional = recorder.optionalKey == key.stringValue && !(type is any LaterKeyValue.Type)
            let (schema, value) = try recorder.sample(type)
            recorder.members.append(Member(name: key.stringValue, schema: schema, isOptional: isOptional))
            return value
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw Unsupported() }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw Unsupported() }

        func superDecoder() throws -> any Decoder { throw Unsupported() }

        func superDecoder(forKey key: Key) throws -> any Decoder { throw Unsupported() }
    }

    /// A value that is no object.
    private struct Single: SingleValueDecodingContainer {
        let recorder: SchemaRecorder
        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { false }

        func decode<T: Decodable>(_ type: T.Type) throws -> T {
            let (schema, value) = try recorder.sample(type)
            recorder.single = schema
            return value
        }
    }
}
